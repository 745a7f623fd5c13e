"""Phi-1 to Phi-2 as first published (`mixformer-sequential`, `phi-msft`): the same weights, every layer one of a numbered list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ..architecture.positions.rotary import Rotary
from ._read.decoder import QKVO, causal_model, layer_norm, quotient
from ._read.dense import alike, parallel
from ._read.published import published, under
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("mixformer-sequential", "phi-msft")
CONFIRMED = {"mixformer-sequential": "index of microsoft/phi-2 in its first form: 11,118,735,360 bytes in fp32"}

TABLE = published(
    "mixformer-sequential",
    "MixFormerSequentialConfig",
    "configuration_mixformer_sequential.py of microsoft/phi-1_5",
    defaults={
        "vocab_size": 50304,
        "n_positions": 2048,
        "n_embd": 1024,
        "n_layer": 20,
        "n_inner": None,
        "n_head": 16,
        "n_head_kv": None,
        "rotary_dim": 32,
        "activation_function": "gelu_new",
        "layer_norm_epsilon": 1e-5,
        "tie_word_embeddings": False,
    },
    aliases={
        "hidden_size": "n_embd",
        "num_hidden_layers": "n_layer",
        "num_attention_heads": "n_head",
        "num_key_value_heads": "n_head_kv",
        "max_position_embeddings": "n_positions",
    },
    models={"MixFormerSequentialForCausalLM": "causal", "PhiForCausalLM": "causal"},
)

NAMED = Names(
    {
        "embedding": "transformer.embd.wte",
        "layer": "transformer.h.{layer}.",
        "final_norm": "lm_head.ln",
        "head": "lm_head.linear",
        "attention.norm": "ln",
        "attention.qkv": "mixer.Wqkv",
        "attention.output": "mixer.out_proj",
        "mlp.up": "mlp.fc1",
        "mlp.down": "mlp.fc2",
    },
    base_prefix="transformer.",
)
NUMBERED = NAMED.but({"embedding": "layers.0.wte", "layer": "layers.{layer}."}, base_prefix="")


def architecture(c: Settings) -> Architecture:
    """One norm, from which attention and network both read; biases everywhere, at the head too."""
    numbered = c.data.get("model_type") == "mixformer-sequential"
    c = under(c, TABLE, n_head_kv=None)
    hidden, norm, heads = c.int("hidden_size"), layer_norm(c, "layer_norm_epsilon"), c.int("num_attention_heads")
    width, groups = quotient(c, hidden, heads), c.optional_int("num_key_value_heads", minimum=1) or heads
    inner = c.optional_int("n_inner", minimum=1) or 4 * hidden
    forward = MLP(intermediate_size=inner, activation=c.text("activation_function") or "gelu_new", gated=False, bias=True, output_bias=True)
    position = Rotary(theta=10000.0, width=min(c.int("rotary_dim"), width))

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = Attention(
            query_heads=heads, kv_heads=groups, head_dim=width, packing="qkv", biases=QKVO, mask=CAUSAL, position=position, kept_tokens=kept
        )
        return parallel(mixer, forward, norm)

    made = causal_model(c, alike(c, hidden, layer, norm), head_bias=True)
    return made.model_copy(update={"naming": "numbered" if numbered else None})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint; in the numbered list the embedding is 0, the layers follow, the head is the last."""
    if a.naming != "numbered":
        return model(a, NAMED)
    last = f"layers.{a.main.depth + 1}."
    rows = model(a, NUMBERED.but({"final_norm": f"{last}ln", "head": f"{last}linear"}))
    return [row if row.layers is None else row._replace(layers=_shifted(row.layers)) for row in rows]


def _shifted(layers: LayerSet) -> LayerSet:
    return LayerSet(range(r.start + 1, r.stop + 1, r.step) for r in layers.ranges)
