"""GPT-NeoX and Pythia (arXiv 2204.06745, 2304.01373); the Japanese variant keeps one bias, in its last layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL
from ._read.decoder import QKVO, causal_model, layer_norm, quotient
from ._read.dense import alike
from ._read.layers import depth
from ._read.plain import multi_head, parallel_normed, plain, sequential
from ._read.rotary import rotary
from ._read.undeclared import cache_window
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("gpt_neox", "gpt_neox_japanese")

PARTS = {
    "token_classification:classifier": "classifier",
    "attention.qkv": "attention.query_key_value",
    "attention.output": "attention.dense",
    "attention.dense_bias": "attention.dense_bias!",
    "mlp.norm": "post_attention_layernorm",
    "mlp.up": "mlp.dense_h_to_4h",
    "mlp.down": "mlp.dense_4h_to_h",
}


def _base(prefix: str) -> dict[str, str]:
    return {
        **PARTS,
        "embedding": f"{prefix}.embed_in",
        "layer": f"{prefix}.layers.{{layer}}.",
        "final_norm": f"{prefix}.final_layer_norm",
        "head": "embed_out",
    }


NAMES = LLAMA.but(_base("gpt_neox"), {"head": "lm_head"}, base_prefix="gpt_neox.")
JAPANESE = LLAMA.but(_base("gpt_neox_japanese"), base_prefix="gpt_neox_japanese.")


def architecture(c: Settings) -> Architecture:
    """Attention and MLP in parallel with a norm each, or in turn; a quarter of each head is turned by class."""
    hidden, norm = c.int("hidden_size"), layer_norm(c)
    width = quotient(c, hidden, c.int("num_attention_heads"))
    if c.table is not None and c.table.model_type == "gpt_neox_japanese":
        return japanese(c, hidden, width)
    forward = plain(c.int("intermediate_size"), c.text("hidden_act") or "gelu")
    arrange = parallel_normed if c.flag("use_parallel_residual", True) else sequential
    biases = QKVO if c.flag("attention_bias", True) else []
    position = rotary(c, width, partial=0.25)

    def layer(kept: int | None) -> list[Sublayer]:
        return arrange(multi_head(c, hidden, mask=CAUSAL, position=position, biases=biases, packed=True, kept_tokens=kept), forward, norm)

    return causal_model(c, alike(c, hidden, layer, norm))


def japanese(c: Settings, hidden: int, width: int) -> Architecture:
    """No biases but one vector after the last layer's attention; d_ff is a whole multiple of d."""
    norm, layers = layer_norm(c), depth(c)
    forward = plain(hidden * c.int("intermediate_multiple_size"), c.text("hidden_act") or "gelu", bias=False)
    mixer = multi_head(c, hidden, mask=CAUSAL, position=rotary(c, width, partial=1.0), packed=True, kept_tokens=cache_window(c))
    steps = sequential(mixer, forward, norm)
    extra = Projection(name="dense_bias", shape=[hidden], multiplies=False, component="attention")
    last = [steps[0].model_copy(update={"projections": [extra]}), steps[1]]
    parts = (("decoder", LayerSet((range(layers - 1),)), steps), ("last", LayerSet((range(layers - 1, layers),)), last))
    blocks = [Block(name=name, layers=held, sublayers=own) for name, held, own in parts if len(held)]
    return causal_model(c, Stack(name="japanese", hidden_size=hidden, blocks=blocks, final_norm=norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a GPT-NeoX checkpoint; its head is `embed_out` on disk."""
    return model(a, JAPANESE if a.main.name == "japanese" else NAMES)
