"""Zamba2 (arXiv 2411.15242): Mamba-2 layers and a few transformer blocks that some layers share, with low-rank adapters a use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.mixers.mamba2 import Mamba2
from ..architecture.mixers.mlp import MLP
from ..architecture.norm import Norm
from ._read.decoder import causal_model, rms
from ._read.hybrid import LINEAR
from ._read.layers import depth, grouped, listed
from ._read.rotary import rotary
from ._read.shared_blocks import HYBRID, stack, wide_attention
from ._read.state_space import expanded
from ._rows.model import model
from ._rows.names import LLAMA
from ._rows.state_space_names import mamba2

if TYPE_CHECKING:
    from ..architecture.layers import LayerSet
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("zamba2",)

USUAL = [LINEAR, *([LINEAR] * 5 + [HYBRID]) * 7, *[LINEAR] * 4, HYBRID, *[LINEAR] * 3, HYBRID, *[LINEAR] * 2]
"""The class's 54 layers, where the file lists none."""

SHARED = "shared_transformer."

NAMES = LLAMA.but(
    {
        "final_norm": "model.final_layernorm",
        "linear_attention.norm": "input_layernorm",
        "hybrid.norm": "mamba_decoder.input_layernorm",
        **mamba2("mamba"),
        **mamba2("mamba_decoder.mamba", "hybrid"),
        "linear": "linear",
        "attention.norm": f"{SHARED}input_layernorm",
        "attention.query": f"{SHARED}self_attn.q_proj",
        "attention.key": f"{SHARED}self_attn.k_proj",
        "attention.value": f"{SHARED}self_attn.v_proj",
        "attention.output": f"{SHARED}self_attn.o_proj",
        "feed_forward.norm": f"{SHARED}pre_ff_layernorm",
        "mlp.gate_up": f"{SHARED}feed_forward.gate_up_proj",
        "mlp.down": f"{SHARED}feed_forward.down_proj",
        "feed_forward.adapter_in": f"{SHARED}feed_forward.gate_up_proj_adapter_list.{{number}}.0",
        "feed_forward.adapter_out": f"{SHARED}feed_forward.gate_up_proj_adapter_list.{{number}}.1",
        **{f"attention.{x}_adapter_in": f"{SHARED}self_attn.linear_{x}_adapter_list.{{number}}.0" for x in "qkv"},
        **{f"attention.{x}_adapter_out": f"{SHARED}self_attn.linear_{x}_adapter_list.{{number}}.1" for x in "qkv"},
    }
)


def architecture(c: Settings) -> Architecture:
    """`num_mem_blocks` blocks in turn, shared only where the head is tied; rotary only with `use_mem_rope`."""
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    tied, bias = c.flag("tie_word_embeddings"), c.flag("add_bias_linear")
    inner = c.optional_int("intermediate_size") or 4 * hidden
    forward = MLP(intermediate_size=inner, activation=c.text("hidden_act") or "gelu", bias=bias, output_bias=bias, packing="gate_up")
    heads = wide_attention(c, hidden, None)
    if c.flag("use_mem_rope"):
        heads = wide_attention(c, hidden, rotary(c, heads.head_dim))

    def adapters(uses: LayerSet, active: tuple[int, int] | None) -> tuple[list[Projection], list[Projection]]:
        rank, wide = c.int("adapter_rank"), heads.input_size or 2 * hidden
        attending = [pair for x in "qkv" for pair in lowrank(f"{x}_", wide, rank, wide, uses, active, "attention")]
        return (attending if c.flag("use_shared_attention_adapter") else []), lowrank("", hidden, rank, 2 * inner, uses, active, "mlp")

    whole = stack(
        kinds(c, layers),
        hidden,
        norm,
        state_space=mixer(c, hidden),
        block=(heads, forward),
        groups=c.int("num_mem_blocks"),
        shared=tied,
        adapters=adapters,
    )
    return causal_model(c, whole, tied=tied)


def lowrank(
    prefix: str, read: int, rank: int, written: int, uses: LayerSet, active: tuple[int, int] | None, component: str
) -> list[Projection]:
    """A pair of matrices for each use of a shared block."""
    shapes = {"adapter_in": [rank, read], "adapter_out": [written, rank]}
    return [Projection(name=prefix + part, shape=shape, numbers=uses, active=active, component=component) for part, shape in shapes.items()]


def kinds(c: Settings, layers: int) -> dict[str, LayerSet]:
    """Layers by `layers_block_type`, else the class's 54. Raises Refused XF114 where they are not as many as `num_hidden_layers`."""
    named = listed(c, layers, "layers_block_type", known=(LINEAR, HYBRID))
    if named is None and layers != len(USUAL):
        message = f"num_hidden_layers is {layers}, and without layers_block_type the class has {len(USUAL)}"
        raise c.refuse("num_hidden_layers", message, code="XF114", help="write layers_block_type")
    if named is None:
        c.assume("layers_block_type", "54 layers, 9 hybrid", "what the class of transformers 5.24.0 takes where the file gives no layers")
    return grouped(USUAL) if named is None else named


def mixer(c: Settings, hidden: int) -> Mamba2:
    """Mamba-2; its convolution always has a bias. Raises Refused XF102 where the heads do not make up the width."""
    inner, heads = expanded(c, "mamba_expand", hidden), c.int("n_mamba_heads")
    given = c.optional_int("mamba_headdim", minimum=1)
    width = inner // heads if given is None else given
    if heads * width != inner:
        raise c.refuse("n_mamba_heads", f"n_mamba_heads {heads} x {width} is not the width {inner} of the state space", code="XF102")
    return Mamba2(
        heads=heads,
        head_dim=width,
        state_size=c.int("mamba_d_state"),
        groups=c.int("mamba_ngroups"),
        kernel=c.int("mamba_d_conv"),
        chunk=c.int("chunk_size"),
        bias=c.flag("add_bias_linear"),
        gated_norm=Norm(eps=1e-5),
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Zamba2 checkpoint."""
    return model(a, NAMES)
