"""MiniMax-M3's language model: sparse attention over blocks that an indexer picks, sigmoid routing shifted by a bias, one shared expert."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL
from ..architecture.mixers.block_indexed_attention import BlockIndexedAttention, BlockIndexer
from ..architecture.mixers.mlp import MLP
from ..architecture.norm import Norm
from ._read.blocks import DENSE, SPARSE, decoder_stack, feeds, prenorm
from ._read.decoder import attention, causal_model, rms
from ._read.heads import head_width
from ._read.layers import crossed, depth, grouped, listed
from ._read.moe import routed
from ._read.rotary import rotary
from ._read.routers import shifted_sigmoid
from ._read.windows import FULL
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("minimax_m3_vl_text",)

INDEXED = "minimax_m3_sparse"

EXPERTS = {"moe.expert.gate_up": "mlp.experts.gate_up_proj!", "moe.expert.down": "mlp.experts.down_proj!"}

NAMES = LLAMA.but(
    {
        "block_indexed_attention.indexer_query": "self_attn.indexer.q_proj",
        "block_indexed_attention.indexer_key": "self_attn.indexer.k_proj",
        "block_indexed_attention.indexer_query_norm": "self_attn.indexer.q_norm",
        "block_indexed_attention.indexer_key_norm": "self_attn.indexer.k_norm",
        "moe.shared.gate_up": "mlp.shared_experts.gate_up_proj",
        **EXPERTS,
    }
)

PUBLISHED = NAMES.but(
    {
        "block_indexed_attention.indexer_query": "self_attn.index_q_proj",
        "block_indexed_attention.indexer_key": "self_attn.index_k_proj",
        "block_indexed_attention.indexer_query_norm": "self_attn.index_q_norm",
        "block_indexed_attention.indexer_key_norm": "self_attn.index_k_norm",
        "moe.router": "block_sparse_moe.gate",
        "moe.correction": "block_sparse_moe.e_score_correction_bias!",
        "moe.expert.gate": "block_sparse_moe.experts.{expert}.w1",
        "moe.expert.up": "block_sparse_moe.experts.{expert}.w3",
        "moe.expert.down": "block_sparse_moe.experts.{expert}.w2",
        "moe.shared.gate": "block_sparse_moe.shared_experts.gate_proj",
        "moe.shared.up": "block_sparse_moe.shared_experts.up_proj",
        "moe.shared.down": "block_sparse_moe.shared_experts.down_proj",
    },
    {
        **{
            f"block_indexed_attention.indexer_{part}{norm}": f"self_attn.indexer.{name}{'_norm' if norm else '_proj'}"
            for part, name in (("query", "q"), ("key", "k"))
            for norm in ("", "_norm")
        },
        "moe.router": "mlp.gate",
        "moe.correction": "mlp.gate.e_score_correction_bias!",
        "moe.shared.gate": "mlp.shared_experts.gate_up_proj",
        "moe.shared.up": "mlp.shared_experts.gate_up_proj",
        "moe.shared.down": "mlp.shared_experts.down_proj",
        "mlp.gate": "mlp.gate_up_proj",
        "mlp.up": "mlp.gate_up_proj",
    },
)
"""The names in files of the whole model, whose language model this is."""

OLDER = {
    "index_n_heads": "sparse_num_index_heads",
    "index_head_dim": "sparse_index_dim",
    "index_block_size": "sparse_block_size",
    "index_topk_blocks": "sparse_topk_blocks",
    "index_local_blocks": "sparse_local_block",
}
"""Key of the class -> key inside the published `sparse_attention_config`, which wins."""


def architecture(c: Settings) -> Architecture:
    """All layers full and with experts unless lists say otherwise.

    The published files' `sparse_attention_config` and `moe_layer_freq` are such lists. Alone the model is saved as its modules are;
    inside the whole it has the published files' names, an expert and a matrix a tensor.
    """
    inside = bool(c.pointer)
    hidden, norm, layers, width = c.int("hidden_size"), rms(c, unit_offset=True), depth(c), head_width(c)
    head_norm = Norm(eps=norm.eps, size=width, unit_offset=True)
    turning = c.optional_int("rotary_dim")
    position = rotary(c, width, partial=None if turning is None else turning / width)
    own = c.nested("sparse_attention_config", None)

    def number(key: str, minimum: int = 1) -> int:
        return own.int(OLDER[key], minimum=minimum) if own.has(OLDER[key]) else c.int(key, minimum=minimum)

    def sublayers(kind: str, feed: str) -> list[Sublayer]:
        heads: Any = attention(c, hidden, mask=CAUSAL, width=width, position=position, query_norm=head_norm, key_norm=head_norm)
        if kind == INDEXED:
            indexer = BlockIndexer(
                heads=number("index_n_heads"), head_dim=number("index_head_dim"), block=number("index_block_size"),
                top_blocks=number("index_topk_blocks"),
                local_blocks=number("index_local_blocks", 0), norm=Norm(eps=norm.eps, unit_offset=True),
            )  # fmt: skip
            heads = BlockIndexedAttention(
                **{name: getattr(heads, name) for name in type(heads).model_fields if name != "kind"}, indexer=indexer
            )
        if feed == DENSE:
            return prenorm(heads, network(c.int("dense_intermediate_size"), packed=not inside), norm)
        experts = routed(
            c, experts="num_local_experts", width="intermediate_size", router=shifted_sigmoid(c, scale="routed_scaling_factor"),
            storage="separate" if inside else "stacked",
            shared=network(c.int("shared_intermediate_size", minimum=0), packed=not inside), shared_experts=1,
        )  # fmt: skip
        return prenorm(heads, experts, norm)

    placed = crossed(attentions(c, own, layers), feeds(c, layers, frequencies(c, layers)))
    made = causal_model(c, decoder_stack(hidden, placed, sublayers, norm))
    return made.model_copy(update={"naming": "published"}) if inside else made


def network(width: int, *, packed: bool) -> MLP:
    """A dense or shared network, its gate and up one matrix or two; its activation is a clamped, scaled SiLU whatever the file says."""
    return MLP(intermediate_size=width, activation="silu", packing="gate_up" if packed else "separate")


def attentions(c: Settings, own: Settings, layers: int) -> dict[str, LayerSet]:
    """Which layers have an indexer: by `layer_types`, else by `sparse_attention_freq` (1: it has), else none."""
    given = listed(c, layers)
    marks = own.list("sparse_attention_freq") if given is None else None
    if marks is None:
        return given or {FULL: LayerSet.first(layers)}
    if len(marks) < layers:
        raise own.refuse("sparse_attention_freq", f"sparse_attention_freq has {len(marks)} entries for {layers} layers", code="XF114")
    return grouped(INDEXED if mark else FULL for mark in marks[:layers])


def frequencies(c: Settings, layers: int) -> dict[str, LayerSet]:
    """Which layers have experts where `mlp_layer_types` is silent: by `moe_layer_freq` (1: it has), else all."""
    marks = c.list("moe_layer_freq")
    if marks is None:
        return {SPARSE: LayerSet.first(layers)}
    if len(marks) < layers:
        raise c.refuse("moe_layer_freq", f"moe_layer_freq has {len(marks)} entries for {layers} layers", code="XF114")
    return grouped(SPARSE if mark else DENSE for mark in marks[:layers])


def ledger(a: Architecture) -> list[Row]:
    """The rows of the language model."""
    return model(a, PUBLISHED if a.naming == "published" else NAMES)
