"""Arctic (Snowflake 2024): a dense network of the model's width beside 128 experts in every layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Sublayer
from ..architecture.masks import CAUSAL
from ..architecture.mixers.mlp import MLP
from ..architecture.mixers.moe import Router
from ._read.blocks import DENSE, SPARSE, decoder_stack
from ._read.decoder import attention, causal_model, gated, head_dim, rms
from ._read.layers import depth, every
from ._read.moe import routed
from ._read.published import like, published, under
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("arctic",)

TABLE = published(
    "arctic",
    "ArcticConfig",
    "configuration_arctic.py of Snowflake/snowflake-arctic-base",
    defaults={
        "vocab_size": 32000, "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
        "num_key_value_heads": None, "hidden_act": "silu", "max_position_embeddings": 4096, "rms_norm_eps": 1e-5,
        "tie_word_embeddings": False, "num_experts_per_tok": 1, "num_local_experts": 8, "moe_layer_frequency": 2,
        "parallel_attn_mlp_res": False, "use_residual": None, "router_aux_loss_coef": 0.001,
    },
    models={"ArcticForCausalLM": "causal"},
)  # fmt: skip

EXPERTS = "block_sparse_moe"
NAMES = LLAMA.but(
    {
        "moe.router": f"{EXPERTS}.gate",
        **{f"moe.expert.{part}": f"{EXPERTS}.experts.{{expert}}.w{n}" for part, n in (("gate", 1), ("down", 2), ("up", 3))},
        **{f"mlp.{part}": f"{EXPERTS}.mlp.w{n}" for part, n in (("gate", 1), ("down", 2), ("up", 3))},
        **{f"residual.{part}": f"residual_mlp.w{n}" for part, n in (("gate", 1), ("down", 2), ("up", 3))},
        "beside.norm": "residual_layernorm",
    },
    {},
)


def architecture(c: Settings) -> Architecture:
    """`parallel_attn_mlp_res`: layers with experts also have a dense network as wide as the model, behind a norm of its own."""
    like(c, "read from the published class: the publisher's 480B parameters, 17B of them active, are rounded")
    c = under(c, TABLE)
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    width = head_dim(c, hidden, c.int("num_attention_heads"))
    heads = attention(c, hidden, mask=CAUSAL, width=width, position=rotary(c, width))
    beside = c.flag("parallel_attn_mlp_res") or c.flag("use_residual")
    experts = routed(c, experts="num_local_experts", width="intermediate_size", router=Router(normalise=True))

    def sublayers(kind: str) -> list[Sublayer]:
        steps = [Sublayer(name="attention", mixers=[heads], norm=norm)]
        if kind == DENSE:
            return [*steps, Sublayer(name="feed_forward", mixers=[gated(c)], norm=norm)]
        steps.append(Sublayer(name="feed_forward", mixers=[experts], norm=norm))
        if beside:
            wide = MLP(name="residual", intermediate_size=hidden, gated=True)
            steps.append(Sublayer(name="beside", mixers=[wide], norm=norm))
        return steps

    kinds = {(kind,): held for kind, held in every(layers, c.int("moe_layer_frequency"), SPARSE, DENSE).items()}
    return causal_model(c, decoder_stack(hidden, kinds, sublayers, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES)
