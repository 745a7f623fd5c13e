"""The image towers of Qwen2-VL (arXiv 2409.12191), Qwen2.5-VL (arXiv 2502.13923) and Qwen3-VL (arXiv 2511.21631).

All cut videos into patches of two frames, turn queries and keys by rows and columns, and merge squares of patches at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.blocks import Projection, Stack
from ...architecture.layers import LayerSet
from ...architecture.mixers.mlp import MLP
from ...architecture.norm import Norm
from .._read.decoder import QKVO
from .._read.plain import plain
from .._rows.names import Names
from ._layers import alone, column, heads, linear, normed, patches, rows, vector

if TYPE_CHECKING:
    from ...architecture.blocks import Block
    from ...architecture.model import Architecture
    from ...ledger import Row
    from .._read.settings import Settings

SECOND = {
    "patches": "patch_embed.proj",
    "layer": "blocks.{layer}.",
    "attention.norm": "norm1",
    "attention.qkv": "attn.qkv",
    "attention.query": "attn.q",
    "attention.key": "attn.k",
    "attention.value": "attn.v",
    "attention.output": "attn.proj",
    "feed_forward.norm": "norm2",
    "mlp.up": "mlp.fc1",
    "mlp.down": "mlp.fc2",
    "merger_norm": "merger.ln_q",
    "merger_1": "merger.mlp.0",
    "merger_2": "merger.mlp.2",
}
GATED = {**SECOND, "mlp.gate": "mlp.gate_proj", "mlp.up": "mlp.up_proj", "mlp.down": "mlp.down_proj"}
THIRD = {
    **SECOND,
    "positions": "pos_embed",
    "mlp.up": "mlp.linear_fc1",
    "mlp.down": "mlp.linear_fc2",
    "merger_norm": "merger.norm",
    "merger_1": "merger.linear_fc1",
    "merger_2": "merger.linear_fc2",
    "deep_norm": "deepstack_merger_list.{number}.norm",
    "deep_1": "deepstack_merger_list.{number}.linear_fc1",
    "deep_2": "deepstack_merger_list.{number}.linear_fc2",
}
THIRD_OMNI = {
    **THIRD,
    **{key: SECOND[key] for key in ("merger_norm", "merger_1", "merger_2")},
    "deep_norm": "merger_list.{number}.ln_q",
    "deep_1": "merger_list.{number}.mlp.0",
    "deep_2": "merger_list.{number}.mlp.2",
}
NAMES = {"second": SECOND, "gated": GATED, "third": THIRD, "third_omni": THIRD_OMNI}

LAYER = Norm(kind="layer", eps=1e-6, bias=True)
RMS = Norm(eps=1e-6)


def architecture(c: Settings) -> Architecture:
    """Qwen2-VL: layer norms, two matrices. Qwen2.5-VL: RMS norms, gated. Qwen3-VL: a table of positions, more mergers."""
    kind = "" if c.table is None else c.table.model_type
    if kind.startswith(("qwen3", "qwen4", "cohere")):
        return third(c, "third_omni" if kind == "qwen3_omni_moe_vision_encoder" else "third")
    return gated(c, packed=kind != "qwen2_5_omni_vision_encoder") if kind != "qwen2_vl_vision" else second(c)


def second(c: Settings) -> Architecture:
    """`embed_dim` is the tower's width, `hidden_size` that of the language model."""
    wide = c.int("embed_dim")
    ratio = c.number("mlp_ratio", noted=True) or 0
    own, forward = heads(c, wide, QKVO, packed=True, key="num_heads"), plain(int(wide * ratio), c.text("hidden_act") or "quick_gelu")
    beside = [patched(c, wide, bias=False), *merger(c, wide, c.int("hidden_size"))]
    return made(wide, column(c, own, forward, LAYER, key="depth"), beside, "second")


def gated(c: Settings, *, packed: bool) -> Architecture:
    """Windows of patches in most layers, which hold no tensor of their own."""
    wide = c.int("hidden_size")
    own = heads(c, wide, QKVO, packed=packed, key="num_heads", kv=c.optional_int("num_key_value_heads", minimum=1))
    forward = MLP(intermediate_size=c.int("intermediate_size"), activation=c.text("hidden_act") or "silu", bias=True, output_bias=True)
    beside = [patched(c, wide, bias=False), *merger(c, wide, c.int("out_hidden_size"), bias=False)]
    return made(wide, column(c, own, forward, RMS, key="depth"), beside, "gated")


def third(c: Settings, naming: str) -> Architecture:
    """`deepstack_visual_indexes`: the layers whose output a merger of its own hands to the language model."""
    wide, out = c.int("hidden_size"), c.int("out_hidden_size")
    own, forward = heads(c, wide, QKVO, packed=True, key="num_heads"), plain(c.int("intermediate_size"), c.text("hidden_act") or "gelu")
    beside = [patched(c, wide, bias=True), vector("positions", c.int("num_position_embeddings"), wide), *merger(c, wide, out)]
    taken, flat = c.list("deepstack_visual_indexes") or [], wide * c.int("spatial_merge_size") ** 2
    if taken:
        numbers = {"numbers": LayerSet.first(len(taken))}
        deep = [normed("deep_norm", flat), linear("deep_1", flat, flat), linear("deep_2", out, flat)]
        beside += [projection.model_copy(update=numbers) for projection in deep]
    return made(wide, column(c, own, forward, LAYER, key="depth"), beside, naming)


def patched(c: Settings, wide: int, *, bias: bool) -> Projection:
    """The convolution over patches of some frames."""
    return patches(c, wide, bias=bias, channels="in_channels", frames="temporal_patch_size")


def merger(c: Settings, wide: int, out: int, *, bias: bool = True) -> list[Projection]:
    """A norm of each patch, and two maps over a square of them. `bias`: of the norm."""
    flat = wide * c.int("spatial_merge_size") ** 2
    return [normed("merger_norm", wide, bias=bias), linear("merger_1", flat, flat), linear("merger_2", out, flat)]


def made(wide: int, blocks: list[Block], beside: list[Projection], naming: str) -> Architecture:
    """The tower, with its set of names."""
    stack = Stack(stream="image", hidden_size=wide, blocks=blocks, component="vision", projections=beside)
    return alone(stack).model_copy(update={"naming": naming})


def ledger(a: Architecture) -> list[Row]:
    """The rows of the tower."""
    return rows(a, Names(NAMES[a.naming or "second"], base_prefix=""))
