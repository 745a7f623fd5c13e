"""A.X-K2: sparse latent attention with an output gate from the query's latent, and norms followed by a low-rank gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection, Stack, Sublayer
from ._read.decoder import causal_model, gated, rms
from ._read.latent import DENSE, block, deepseek_experts, feeds_by_frequency, indexed, indexer, latent
from ._read.layers import depth
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Block
    from ..architecture.layers import LayerSet
    from ..architecture.model import Architecture
    from ..architecture.norm import Norm
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("axk2",)

NAMES = LLAMA.but(
    {
        "attention.norm": "input_layernorm.norm",
        "attention.gate_down": "input_layernorm.W_down",
        "attention.gate_up": "input_layernorm.W_up",
        "experts.norm": "post_attention_layernorm.norm",
        "experts.gate_down": "post_attention_layernorm.W_down",
        "experts.gate_up": "post_attention_layernorm.W_up",
    },
    {
        "attention.gate_down": "input_layernorm.mlp.fc1",
        "attention.gate_up": "input_layernorm.mlp.fc2",
        "experts.gate_down": "post_attention_layernorm.mlp.fc1",
        "experts.gate_up": "post_attention_layernorm.mlp.fc2",
        "latent_attention.query_b": "self_attn.q_gate_proj",
    },
)


def architecture(c: Settings) -> Architecture:
    """The query's up projection reads its latent twice, normalised and raw; a dense layer's second norm has no gate."""
    layers = depth(c)
    blocks = [kind(c, feed, held, rms(c)) for feed, held in feeds_by_frequency(c, layers).items()]
    return causal_model(c, Stack(hidden_size=c.int("hidden_size"), blocks=blocks, final_norm=rms(c)))


def kind(c: Settings, feed: str, held: LayerSet, norm: Norm) -> Block:
    """One kind of layer: the norms before attention and before experts are gated."""
    attention = latent(c, ranked=True, interleaved=True, mask=indexed(c), indexer=indexer(c), gate="query")
    attention = attention.model_copy(update={"query_input": 2 * c.int("q_lora_rank")})
    hidden, rank = c.int("hidden_size"), c.int("gated_norm_rank")
    gate = [
        Projection(name="gate_down", shape=[rank, hidden], component="norm"),
        Projection(name="gate_up", shape=[hidden, rank], component="norm"),
    ]
    first = Sublayer(name="attention", mixers=[attention], norm=norm, projections=gate)
    if feed == DENSE:
        return block(feed, held, [first, Sublayer(name="feed_forward", mixers=[gated(c)], norm=norm)])
    return block(feed, held, [first, Sublayer(name="experts", mixers=[deepseek_experts(c)], norm=norm, projections=gate)])


def ledger(a: Architecture) -> list[Row]:
    """The rows of an A.X-K2 checkpoint."""
    return model(a, NAMES)
