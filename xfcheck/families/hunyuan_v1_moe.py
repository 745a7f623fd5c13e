"""Hunyuan-A13B: experts and a shared network in every layer, norms on query and key, a choice of experts that may differ by layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL
from ..architecture.mixers.moe import Router
from ..architecture.norm import Norm
from ._read.blocks import decoder_stack, prenorm
from ._read.decoder import QKVO, attention, causal_model, rms
from ._read.heads import head_width
from ._read.layers import crossed, depth, grouped
from ._read.moe import routed, shared_experts
from ._read.rotary import rotary
from ._read.undeclared import cached
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("hunyuan_v1_moe",)

NAMES = LLAMA.but(
    {
        "attention.query_norm": "self_attn.query_layernorm",
        "attention.key_norm": "self_attn.key_layernorm",
        "moe.router": "mlp.gate.wg",
        "moe.shared.gate": "mlp.shared_mlp.gate_proj",
        "moe.shared.up": "mlp.shared_mlp.up_proj",
        "moe.shared.down": "mlp.shared_mlp.down_proj",
    }
)


def architecture(c: Settings) -> Architecture:
    """`head_dim` has no class default and is needed; dense and expert networks are `intermediate_size` wide."""
    hidden, norm, layers, width = c.int("hidden_size"), rms(c), depth(c), head_width(c)
    head_norm = Norm(eps=norm.eps, size=width)
    position, biases = rotary(c, width), QKVO if c.flag("attention_bias") else []
    chosen = chosen_experts(c, layers)
    experts = routed(
        c, experts="num_experts", width="intermediate_size", per_token="moe_topk" if isinstance(c.raw("moe_topk"), int) else "num_experts",
        router=Router(normalise=True), shared=shared_experts(c, c.int("intermediate_size")), shared_experts=1,
    )  # fmt: skip

    def sublayers(kept: int | None, count: str) -> list[Sublayer]:
        heads = attention(
            c,
            hidden,
            mask=CAUSAL,
            width=width,
            position=position,
            biases=biases,
            query_norm=head_norm,
            key_norm=head_norm,
            kept_tokens=kept,
        )
        return prenorm(heads, experts.model_copy(update={"experts_per_token": int(count)}), norm)

    return causal_model(c, decoder_stack(hidden, crossed(cached(c, layers), chosen), sublayers, norm))


def chosen_experts(c: Settings, layers: int) -> dict[str, LayerSet]:
    """Experts a token -> the layers that choose as many: `moe_topk` is a number, or a list with one a layer."""
    given = c.raw("moe_topk")
    if not isinstance(given, list):
        return {str(c.int("moe_topk", minimum=0)): LayerSet.first(layers)}
    if len(given) < layers:
        raise c.refuse("moe_topk", f"moe_topk has {len(given)} entries for {layers} layers", code="XF114")
    if any(isinstance(n, bool) or not isinstance(n, int) or n < 0 for n in given):
        raise c.refuse("moe_topk", "moe_topk holds something else than numbers of experts")
    return grouped(str(n) for n in given[:layers])


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Hunyuan checkpoint."""
    return model(a, NAMES)
