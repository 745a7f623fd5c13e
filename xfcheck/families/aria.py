"""Aria (Li et al. 2024, arXiv 2410.05993): SigLIP's layers, trained queries that read the patches, a mixture of experts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.towers import SPLIT, language, maps, norm_of, tower, vectors, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("aria",)

CROSS = "multi_modal_projector.cross_attn."
NAMES = {
    "queries": "multi_modal_projector.query!",
    "query": f"{CROSS}q_proj",
    "key": f"{CROSS}k_proj",
    "value": f"{CROSS}v_proj",
    "inner": f"{CROSS}multihead_attn.in_proj_weight!",
    "inner_bias": f"{CROSS}multihead_attn.in_proj_bias!",
    "outer": f"{CROSS}multihead_attn.out_proj",
    "linear": f"{CROSS}linear",
    "query_norm": f"{CROSS}layer_norm",
    "key_norm": f"{CROSS}layer_norm_kv",
    "norm": "multi_modal_projector.layer_norm",
    "up": "multi_modal_projector.feed_forward.linear_in",
    "down": "multi_modal_projector.feed_forward.linear_out",
}


def architecture(c: Settings) -> Architecture:
    """As many queries as the largest entry of `projector_patch_to_query_dict`; query, key and value are mapped twice."""
    text, seen = language(c), tower(c)
    width, out = seen.width, text.width
    counts = [n for n in (c.mapping("projector_patch_to_query_dict") or {}).values() if isinstance(n, int) and n > 0]
    projector = [
        vectors("queries", max(counts, default=QUERIES), width),
        *maps([(name, width, width) for name in ("query", "key", "value")], bias=False),
        *maps([("inner", 3 * width, width)], bias=False),
        vectors("inner_bias", 3 * width),
        *maps([("outer", width, width), ("linear", width, width)]),
        *(norm_of(width, name) for name in ("query_norm", "key_norm", "norm")),
        *maps([("up", out, width), ("down", out, out)], bias=False),
    ]
    return whole(c, SPLIT, text, {"vision_tower": seen}, projector)


QUERIES = 256
"""Where the file has no such object (configuration_aria.py of transformers 5.24)."""


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, NAMES)
