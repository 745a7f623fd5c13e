"""GPT-Neo: GPT-2 with a window of 256 tokens on every other layer and unscaled scores (EleutherAI 2021)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..architecture.blocks import Block, Stack
from ..architecture.masks import CAUSAL, Mask
from ..architecture.positions.tables import Learned
from ._read.decoder import causal_model, layer_norm
from ._read.layers import crossed, depth, grouped
from ._read.plain import multi_head, plain, sequential
from ._read.undeclared import cached
from ._rows.gpt_names import TRANSFORMER
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.layers import LayerSet
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("gpt_neo",)

NAMES = TRANSFORMER.but(
    {
        "positions": "transformer.wpe",
        "attention.query": "attn.attention.q_proj",
        "attention.key": "attn.attention.k_proj",
        "attention.value": "attn.attention.v_proj",
        "attention.output": "attn.attention.out_proj",
        "mlp.up": "mlp.c_fc",
        "mlp.down": "mlp.c_proj",
    }
)
LONGEST = 100_000


def architecture(c: Settings) -> Architecture:
    """A bias on the output projection alone; the cache keeps every token of local layers too."""
    hidden, norm = c.int("hidden_size"), layer_norm(c, "layer_norm_epsilon")
    window = c.int("window_size")
    forward = plain(c.optional_int("intermediate_size", minimum=1) or 4 * hidden, c.text("activation_function") or "gelu_new")
    blocks = []
    for (kind, kept), held in crossed(kinds(c, depth(c)), cached(c, depth(c))).items():
        mask = CAUSAL if kind == "global" else Mask(kind="sliding", window=window)
        mixer = multi_head(c, hidden, mask=mask, biases=["output"], kept_tokens=kept or 0, scale=1.0)
        blocks.append(Block(name=kind if not kept else f"{kind}_keeping_{kept}", layers=held, sublayers=sequential(mixer, forward, norm)))
    stack = Stack(hidden_size=hidden, blocks=blocks, final_norm=norm)
    return causal_model(c, stack, position=Learned(rows=c.int("max_position_embeddings")))


def kinds(c: Settings, layers: int) -> dict[str, LayerSet]:
    """Global and local layers as `attention_types` lays them out: lists of kinds, each with how often it is repeated.

    Raises Refused XF114 for anything else, and where the layers are not as many as the model's.
    """
    given: list[Any] = c.list("attention_types") or [[["global", "local"], 12]]
    out: list[str] = []
    for item in given:
        fine = (
            isinstance(item, list)
            and len(item) == 2
            and isinstance(item[0], list)
            and isinstance(item[1], int)
            and not isinstance(item[1], bool)
        )
        if not fine or not all(kind in ("global", "local") for kind in item[0]) or len(item[0]) * item[1] > LONGEST:
            raise c.refuse("attention_types", f"attention_types holds {str(item)[:60]}", code="XF114", help='[[["global", "local"], 12]]')
        out.extend(item[0] * item[1])
    if len(out) != layers:
        raise c.refuse("attention_types", f"attention_types lays out {len(out)} layers, the model has {layers}", code="XF114")
    return grouped(out)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a GPT-Neo checkpoint."""
    return model(a, NAMES)
