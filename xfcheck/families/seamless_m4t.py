"""The text-to-text model of SeamlessM4T, versions 1 and 2 (Barrault et al. 2023, arXiv 2308.11596 and 2312.05187)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._read.encoder_decoder import Style, encoder_decoder
from ._read.head import architecture_name
from ._rows.bart_names import BART
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("seamless_m4t", "seamless_m4t_v2")

TEXT = ("SeamlessM4TForTextToText", "SeamlessM4Tv2ForTextToText")
"""Classes without speech; those with it are not described."""

NAMES = BART.but(
    {
        "embedding": "shared",
        **{
            f"{stream}:{key}": f"text_{stream}.{name}"
            for stream in ("encoder", "decoder")
            for key, name in (("stack_embedding", "embed_tokens"), ("layer", "layers.{layer}."), ("final_norm", "layer_norm"))
        },
        **{
            f"cross_attention.{part}": f"cross_attention.{name}"
            for part, name in (("query", "q_proj"), ("key", "k_proj"), ("value", "v_proj"), ("output", "out_proj"))
        },
        "cross_attention.norm": "cross_attention_layer_norm",
        "feed_forward.norm": "ffn_layer_norm",
        "mlp.up": "ffn.fc1",
        "mlp.down": "ffn.fc2",
    },
    base_prefix="",
)


def architecture(c: Settings) -> Architecture:
    """Pre-norm, computed positions. A class with speech is counted as the text-to-text model, as an estimate."""
    named = architecture_name(c)
    text = c
    if named is not None and named not in TEXT:
        c.assume(
            "architectures", named, f"{named} works on speech, which is not described: counted as the text-to-text model", estimated=True
        )
        text = type(c)({**c.data, "architectures": None}, c.table, pointer=c.pointer, reading=c.reading)
    return encoder_decoder(text, Style(pre_norm=True, final_norm=True, embedding_norm=False, positions="none", offset=2, logits_bias=False))


def ledger(a: Architecture) -> list[Row]:
    """The rows of the text-to-text model's checkpoint."""
    return model(a, NAMES)
