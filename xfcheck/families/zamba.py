"""Zamba (arXiv 2405.16712): Mamba-1 layers and one transformer block that some layers share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.mixers.mamba import Mamba
from ._read.decoder import causal_model, gated, rms
from ._read.hybrid import LINEAR
from ._read.layers import depth, grouped, listed
from ._read.shared_blocks import HYBRID, stack, wide_attention
from ._read.state_space import rank
from ._rows.model import model
from ._rows.names import LLAMA
from ._rows.state_space_names import mamba

if TYPE_CHECKING:
    from ..architecture.layers import LayerSet
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("zamba",)


def sliced(prefix: str, slot: str) -> dict[str, str]:
    """Names of a Mamba-1 mixer whose inner projections are tensors of their own, not modules."""
    return {
        **mamba(prefix, slot),
        f"{slot}.x": f"{prefix}.x_proj_weight!",
        f"{slot}.dt": f"{prefix}.dt_proj_weight!",
        f"{slot}.dt_bias": f"{prefix}.dt_proj_bias!",
    }


NAMES = LLAMA.but(
    {
        "final_norm": "model.final_layernorm",
        "linear_attention.norm": "input_layernorm",
        "hybrid.norm": "mamba_decoder.input_layernorm",
        **sliced("mamba", "mamba"),
        **sliced("mamba_decoder.mamba", "hybrid"),
        "linear": "linear",
        "attention.norm": "shared_transf.input_layernorm",
        "attention.query": "shared_transf.self_attn.q_proj",
        "attention.key": "shared_transf.self_attn.k_proj",
        "attention.value": "shared_transf.self_attn.v_proj",
        "attention.output": "shared_transf.self_attn.o_proj",
        "feed_forward.norm": "shared_transf.pre_ff_layernorm",
        "mlp.gate": "shared_transf.feed_forward.gate_proj",
        "mlp.up": "shared_transf.feed_forward.up_proj",
        "mlp.down": "shared_transf.feed_forward.down_proj",
    }
)


def architecture(c: Settings) -> Architecture:
    """Layers by `layers_block_type`, else by `attn_layer_period` and its offset; the block is shared only where the head is tied."""
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    tied = c.flag("tie_word_embeddings")
    whole = stack(
        kinds(c, layers),
        hidden,
        norm,
        state_space=mixer(c, hidden),
        block=(wide_attention(c, hidden, None), gated(c)),
        groups=1,
        shared=tied,
        adapters=lambda uses, active: ([], []),
    )
    return causal_model(c, whole, tied=tied)


def kinds(c: Settings, layers: int) -> dict[str, LayerSet]:
    """The third layer, and after it those at the offset of each period, are hybrid."""
    named = listed(c, layers, "layers_block_type", known=(LINEAR, HYBRID))
    if named is not None:
        return named
    period, offset = c.int("attn_layer_period"), c.int("attn_layer_offset", minimum=0)
    if layers < 3:
        raise c.refuse(
            "num_hidden_layers", f"num_hidden_layers {layers} is fewer than the three layers that the pattern begins with", code="XF114"
        )
    return grouped([LINEAR, LINEAR, HYBRID, *(HYBRID if i % period == offset else LINEAR for i in range(layers - 3))])


def mixer(c: Settings, hidden: int) -> Mamba:
    """Mamba-1 in `n_mamba_heads` slices. Raises Refused XF102 where they do not divide the width."""
    inner, heads = c.int("mamba_expand") * hidden, c.int("n_mamba_heads")
    if inner % heads:
        raise c.refuse("n_mamba_heads", f"n_mamba_heads {heads} do not divide the width {inner} of the state space", code="XF102")
    return Mamba(
        inner_size=inner,
        state_size=c.int("mamba_d_state"),
        kernel=c.int("mamba_d_conv"),
        rank=rank(c, "mamba_dt_rank", hidden),
        heads=heads,
        conv_bias=c.flag("mamba_conv_bias", True),
        bias=c.flag("mamba_proj_bias"),
        activation=c.text("hidden_mamba_act") or "silu",
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Zamba checkpoint."""
    return model(a, NAMES)
