"""Doge (SmallDoge): dynamic masks from the values, and optionally a thousand small experts beside the MLP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection, Sublayer
from ..architecture.masks import Mask, retained
from ..architecture.mixers.mlp import MLP
from ..architecture.mixers.moe import Balance, MoE, Router
from ..architecture.norm import Norm
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, kv_heads, rms
from ._read.dense import alike
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("doge",)

NAMES = LLAMA.but(
    {
        "attention.scale": "input_residual!",
        "attention.decay": "self_attn.A!",
        "attention.step": "self_attn.dt_proj",
        "feed_forward.scale": "post_attention_residual!",
        "moe.router": "mlp.router_gate",
        "moe.expert.up": "mlp.down_embed",
        "moe.expert.down": "mlp.up_embed",
        "moe.shared.gate": "mlp.gate_proj",
        "moe.shared.up": "mlp.up_proj",
        "moe.shared.down": "mlp.down_proj",
    },
    {"moe.expert.up": "mlp.down_embed", "moe.expert.down": "mlp.up_embed"},
)


def architecture(c: Settings) -> Architecture:
    """`is_moe` adds single-neuron experts found by product keys. Every layer has a window where `sliding_window` is set."""
    hidden, norm, heads = c.int("hidden_size"), rms(c), c.int("num_attention_heads")
    width, biases, keys = head_dim(c, hidden, heads), QKVO if c.flag("attention_bias") else [], kv_heads(c, heads)
    position, head_norm, window = rotary(c, width), Norm(eps=norm.eps, size=width), c.optional_int("sliding_window")
    forward = gated(c, bias=c.flag("mlp_bias"))
    mask = Mask(kind="sliding", window=window) if window is not None else Mask(kind="indexed", window=c.int("keep_window_size", minimum=0))

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = attention(
            c, hidden, mask=mask, position=position, biases=biases, width=width, query_norm=head_norm, key_norm=head_norm, kept_tokens=kept
        )
        cached = retained(window if kept is None else kept)
        chosen = [
            Projection(name="decay", shape=[keys], multiplies=False, component="attention"),
            Projection(name="step", shape=[keys, keys * width], bias=bool(biases), component="attention", stream="latent", kept=cached),
        ]
        return [
            Sublayer(name="attention", mixers=[mixer], norm=norm, layer_scale=True, projections=chosen),
            Sublayer(name="feed_forward", mixers=[_experts(c, forward) if c.flag("is_moe") else forward], norm=norm, layer_scale=True),
        ]

    return causal_model(c, alike(c, hidden, layer, norm))


def _experts(c: Settings, forward: MLP) -> MoE:
    """The MLP that serves every token, and the experts beside it: one row in, one row out each, looked up by their number."""
    return MoE(
        experts=c.int("num_experts"),
        experts_per_token=c.int("num_experts_per_tok"),
        expert=MLP(intermediate_size=1, activation=forward.activation, gated=False),
        shared=forward,
        shared_experts=1,
        router=Router(product_keys=True, order="topk_then_score", normalise=c.flag("norm_topk_prob")),
        balance=Balance(auxiliary_loss=c.number("router_aux_loss_coef")),
        storage="flattened",
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Doge checkpoint."""
    return model(a, NAMES)
