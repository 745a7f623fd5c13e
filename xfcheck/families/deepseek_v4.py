"""DeepSeek-V4: windows beside compressed entries, experts in every layer, residual streams joined by hyper-connections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import Mask
from ..architecture.mixers.compressed_attention import CompressedAttention
from ..architecture.mixers.latent_attention import Indexer
from ..architecture.mixers.mlp import MLP
from ..architecture.mixers.moe import Router
from ..architecture.mixers.residual_streams import ResidualStreams
from ._read.decoder import causal_model, rms
from ._read.layers import crossed, depth, grouped, listed
from ._read.moe import routed
from ._read.rotary import rotary
from ._read.streams import hyper_connection
from ._read.windows import SLIDING
from ._rows.deepseek_v4_names import BARE, NAMES
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.mixers.moe import MoE
    from ..architecture.model import Architecture
    from ..architecture.norm import Norm
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("deepseek_v4",)

SPARSE, HEAVY = "compressed_sparse_attention", "heavily_compressed_attention"
RATIOS = {0: SLIDING, 4: SPARSE, 128: HEAVY}
STRIDES = {SPARSE: 4, HEAVY: 128}
HASHED, ROUTED = "hash_moe", "moe"
HASHED_LAYERS = 3
ROTARY_SHARE = 64 / 512


def architecture(c: Settings) -> Architecture:
    """By class two heavily compressed layers, then sparse and heavy ones in turn; the first three layers choose experts by token id."""
    hidden, layers, streams = c.int("hidden_size"), depth(c), c.int("hc_mult")
    norm, strides = rms(c), compression(c)
    mixing = hyper_connection("streams", streams, hidden, (2 + streams) * streams, 3)
    product = ResidualStreams(streams=streams, width=hidden)
    blocks = [
        Block(
            name=f"{kind}_{feed}",
            layers=held,
            sublayers=[
                Sublayer(name="attention", mixers=[attention(c, kind, strides, norm), product], norm=norm, projections=mixing),
                Sublayer(name="feed_forward", mixers=[experts(c, hashed=feed == HASHED), product], norm=norm, projections=mixing),
            ],
        )
        for (kind, feed), held in crossed(attention_kinds(c, layers), feed_kinds(c, layers)).items()
    ]
    last: list[Projection] = hyper_connection("streams", streams, hidden, streams, 1)
    return causal_model(c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm, projections=last))


def attention_kinds(c: Settings, layers: int) -> dict[str, LayerSet]:
    """Layers by `layer_types`, else by the older `compress_ratios` (0, 4 or 128 a layer), else the class's pattern."""
    given = listed(c, layers, known=(SLIDING, SPARSE, HEAVY))
    if given is not None:
        return given
    ratios = c.list("compress_ratios")
    if ratios is None:
        return grouped(HEAVY if i < 2 or i % 2 == 0 else SPARSE for i in range(layers))
    if len(ratios) < layers or any(isinstance(r, bool) or r not in RATIOS for r in ratios):
        raise c.refuse("compress_ratios", f"compress_ratios needs {layers} entries, each 0, 4 or 128", code="XF114")
    return grouped(RATIOS[r] for r in ratios[:layers])


def feed_kinds(c: Settings, layers: int) -> dict[str, LayerSet]:
    """Layers that look their experts up and layers that route, by `mlp_layer_types` or the older `num_hash_layers`."""
    given = listed(c, layers, "mlp_layer_types", known=(HASHED, ROUTED))
    if given is not None:
        return given
    first = min(c.int("num_hash_layers", minimum=0) if c.data.get("num_hash_layers") is not None else HASHED_LAYERS, layers)
    kinds = {HASHED: LayerSet((range(first),)), ROUTED: LayerSet((range(first, layers),))}
    return {kind: held for kind, held in kinds.items() if len(held)}


def compression(c: Settings) -> dict[str, int]:
    """Tokens an entry stands for, by kind of layer. Raises Refused for a rate that is no positive number."""
    given = c.mapping("compress_rates")
    rates = dict(STRIDES) if given is None else {kind: given.get(kind) for kind in STRIDES}
    for kind, key in ((SPARSE, "compress_rate_csa"), (HEAVY, "compress_rate_hca")):
        if c.data.get(key) is not None:
            rates[kind] = c.int(key)
    wrong = {
        kind: rate for kind, rate in rates.items() if rate is not None and (isinstance(rate, bool) or not isinstance(rate, int) or rate < 1)
    }
    if wrong:
        raise c.refuse("compress_rates", f"compress_rates needs positive whole numbers, not {wrong}")
    return {kind: rate for kind, rate in rates.items() if rate is not None}


def attention(c: Settings, kind: str, strides: dict[str, int], norm: Norm) -> CompressedAttention:
    """One head of keys that are values; `attention_bias` and `num_key_value_heads` are not read."""
    if kind != SLIDING and kind not in strides:
        raise c.refuse("compress_rates", f"compress_rates has no rate for {kind}", code="XF114")
    width, heads, groups = c.int("head_dim"), c.int("num_attention_heads"), c.int("o_groups")
    picks = (
        Indexer(heads=c.int("index_n_heads"), head_dim=c.int("index_head_dim"), top_k=c.int("index_topk"), key_norm=norm)
        if kind == SPARSE
        else None
    )
    share = c.number("partial_rotary_factor")
    rope = c.optional_int("qk_rope_head_dim", minimum=1)
    share = (ROTARY_SHARE if rope is None else rope / width) if share is None else share
    return CompressedAttention(
        query_heads=heads, head_dim=width, query_rank=c.int("q_lora_rank"), groups=groups, output_rank=c.int("o_lora_rank"),
        latent_norm=norm, stride=None if kind == SLIDING else strides[kind], overlapping=kind == SPARSE, indexer=picks,
        mask=Mask(kind="sliding", window=c.int("sliding_window")),
        position=rotary(c, width, layer_type="main" if kind == SLIDING else "compress", layout="interleaved", partial=share),
        dropout=c.number("attention_dropout") or 0.0,
    )  # fmt: skip


def experts(c: Settings, *, hashed: bool) -> MoE:
    """Routed experts and one shared network of the same width (`n_shared_experts` is not read); a score or the token's id chooses."""
    bias, width = c.flag("mlp_bias"), c.int("moe_intermediate_size")
    return routed(
        c, experts="n_routed_experts", width="moe_intermediate_size",
        router=Router(
            scoring=_scoring(c), normalise=True, scale=c.number("routed_scaling_factor") or 1.0, correction="none" if hashed else "buffer",
            table_rows=c.int("vocab_size") if hashed else None,
        ),
        shared=MLP(intermediate_size=width, activation=c.text("hidden_act") or "silu", bias=bias, output_bias=bias), shared_experts=1,
    )  # fmt: skip


def _scoring(c: Settings) -> Literal["softmax", "sigmoid", "sqrtsoftplus"]:
    known: dict[str | None, Literal["softmax", "sigmoid"]] = {"softmax": "softmax", "sigmoid": "sigmoid"}
    return known.get(c.text("scoring_func"), "sqrtsoftplus")


def ledger(a: Architecture) -> list[Row]:
    """The rows of a DeepSeek-V4 checkpoint."""
    return model(a, BARE if a.head.kind == "none" else NAMES)
