"""xLSTM with matrix memories alone (arXiv 2503.13427)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Stack, Sublayer
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.mixers.mlp import MLP
from ..architecture.mixers.mlstm import MLstm
from ..architecture.norm import Norm
from ._read.decoder import causal_model
from ._read.layers import depth
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("xlstm",)

LAYER = "mlstm_layer"

NAMES = Names(
    {
        "embedding": "backbone.embeddings",
        "layer": "backbone.blocks.{layer}.",
        "final_norm": "backbone.out_norm",
        "head": "lm_head",
        "mlstm.norm": "norm_mlstm",
        "mlstm.query": f"{LAYER}.q",
        "mlstm.key": f"{LAYER}.k",
        "mlstm.value": f"{LAYER}.v",
        "mlstm.gate": f"{LAYER}.ogate_preact",
        "mlstm.input_gate": f"{LAYER}.igate_preact",
        "mlstm.forget_gate": f"{LAYER}.fgate_preact",
        "mlstm.qkvo": f"{LAYER}.qkv_opreact",
        "mlstm.gates": f"{LAYER}.ifgate_preact",
        "mlstm.head_norm": f"{LAYER}.multihead_norm",
        "mlstm.out": f"{LAYER}.out_proj",
        "feed_forward.norm": "norm_ffn",
        "mlp.gate": "ffn.proj_up_gate",
        "mlp.up": "ffn.proj_up",
        "mlp.gate_up": "ffn.proj_up_gate_z",
        "mlp.down": "ffn.proj_down",
    },
    base_prefix="backbone.",
)


def architecture(c: Settings) -> Architecture:
    """Alike blocks, `num_blocks` of them (default: `num_hidden_layers`); biases of `use_bias` are on norms too. The head is never tied."""
    hidden, bias, fused = c.int("hidden_size"), c.flag("use_bias"), c.text("weight_mode") == "fused"
    given = c.optional_int("embedding_dim")
    if given not in (None, hidden):
        raise c.refuse(
            "embedding_dim", f"embedding_dim {given} is not hidden_size {hidden}, and nothing maps one to the other", code="XF102"
        )
    layers = c.optional_int("num_blocks", maximum=LIMIT)
    norm = Norm(eps=c.number("norm_eps"), bias=bias)
    factor, multiple = c.number("ffn_proj_factor", noted=True), c.int("ffn_round_up_to_multiple_of")
    inner = int(((hidden * (0 if factor is None else factor) + multiple - 1) // multiple) * multiple)
    forward = MLP(intermediate_size=inner, bias=bias, output_bias=bias, packing="gate_up" if fused else "separate")
    block = Block(
        name="mlstm",
        layers=LayerSet.first(depth(c) if layers is None else layers),
        sublayers=[
            Sublayer(name="mlstm", mixers=[memory(c, hidden)], norm=norm),
            Sublayer(name="feed_forward", mixers=[forward], norm=norm),
        ],
    )
    stack = Stack(hidden_size=hidden, blocks=[block], final_norm=Norm(eps=norm.eps))
    return causal_model(c, stack, tied=False, softcap=c.number("output_logit_soft_cap"))


def memory(c: Settings, hidden: int) -> MLstm:
    """The matrix memory; the widths are shares of the residual stream's, cut to whole numbers, and divided among the heads."""
    heads, bias = c.int("num_heads"), c.flag("use_bias")
    shares = {key: c.number(key, noted=True) for key in ("qk_dim_factor", "v_dim_factor")}
    keys, values = (int(hidden * (0 if share is None else share)) for share in shares.values())
    return MLstm(
        heads=heads,
        key_dim=keys // heads,
        value_dim=values // heads,
        keys=keys,
        values=values,
        chunk=c.int("chunk_size"),
        longest=c.optional_int("max_inference_chunksize", minimum=1),
        packing="fused" if c.text("weight_mode") == "fused" else "separate",
        bias=bias,
        head_norm=Norm(kind="layer", eps=c.number("norm_eps"), bias=bias),
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of an xLSTM checkpoint."""
    return model(a, NAMES)
