"""Qwen4-Exp's language model: gated delta rule, attention over indexed blocks, several residual streams, hashed n-grams in some layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.mixers.indexed_attention import IndexedAttention
from ._read.composite import language_model
from ._read.decoder import causal_model, rms
from ._read.gated_delta import gated_delta
from ._read.head import named_kind
from ._read.hybrid import FULL, LINEAR
from ._read.layers import depth, every, listed
from ._read.ngrams import embeddings
from ._read.qwen_gated import experts, gated_attention
from ._read.towers import JOINED, language, tower, whole
from ._rows.model import model
from ._rows.names import LLAMA
from ._rows.state_space_names import QWEN_GATED
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.mixers.ngram_embedding import NgramEmbedding
    from ..architecture.model import Architecture
    from ..architecture.norm import Norm
    from ..architecture.part import Mixer
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("qwen4_exp", "qwen4_exp_text")

INDEXED = "indexed_attention"

MIX = {"streams_norm": "hc_norm", "mix_down": "input_mix_weight_down", "mix_up": "input_mix_weight_up", "inject": "block_inject_weight"}

ATTENTION = {
    key.removeprefix("attention."): name for key, name in LLAMA.checkpoint.items() if key.startswith("attention.") and "norm" not in key
}

NAMES = LLAMA.but(
    {
        **QWEN_GATED,
        **{f"{INDEXED}.{part}": name for part, name in ATTENTION.items()},
        f"{INDEXED}.query_norm": "self_attn.q_norm",
        f"{INDEXED}.key_norm": "self_attn.k_norm",
        f"{INDEXED}.index": "self_attn.indexer.index_qk_proj",
        f"{INDEXED}.index_query_norm": "self_attn.indexer.q_layernorm",
        f"{INDEXED}.index_key_norm": "self_attn.indexer.k_layernorm",
        "ngram_embedding.table": "ple.ple_embedding.ngram_embedding.shard_{number}",
        "ngram_embedding.multipliers": "ple.ple_embedding.layer_multipliers!",
        "ngram_embedding.head_sizes": "ple.ple_embedding.ngram_heads_vocab_sizes!",
        "ngram_embedding.head_offsets": "ple.ple_embedding.ngram_heads_offsets!",
        "ngram_embedding.key": "ple.key_proj",
        "ngram_embedding.value": "ple.value_proj",
        "ngram_embedding.key_norm": "ple.norm_key",
        "ngram_embedding.query_norm": "ple.norm_query",
        "ngram_embedding.conv_norm": "ple.norm_conv",
        "ngram_embedding.conv": "ple.conv1d",
        **{f"mixing.{part}": f"attn_hyper_connection.{name}" for part, name in MIX.items()},
        **{f"feed_forward.{part}": f"mlp_hyper_connection.{name}" for part, name in MIX.items()},
        **{part: f"model.hyper_connection_mixer.{name}" for part, name in MIX.items()},
    },
    {"ngram_embedding.table": "ple.ple_embedding.ngram_embedding"},
)


def architecture(c: Settings) -> Architecture:
    """Layers by `layer_types` (full attention is the indexed kind) or `full_attention_interval`; `ple_layer_ids` count from one.

    The class that makes texts of images has a tower beside it.
    """
    if c.table is not None and c.table.model_type == "qwen4_exp":
        if named_kind(c) == "conditional_generation":
            return whole(c, JOINED, language(c), {"visual": tower(c)}, [])
        c = language_model(c, "qwen4_exp_text")
    hidden, norm, layers = c.int("hidden_size"), rms(c, unit_offset=True), depth(c)
    streams = mixing(c, hidden)
    feed = Sublayer(name="feed_forward", mixers=[experts(c)], projections=streams)

    def block(name: str, held: LayerSet, mixer: Mixer, before: NgramEmbedding | None = None) -> Block:
        lookup = [] if before is None else [Sublayer(name="ngram_embedding", mixers=[before])]
        return Block(name=name, layers=held, sublayers=[*lookup, Sublayer(name="mixing", mixers=[mixer], projections=streams), feed])

    linear, indexed = kinds(c, layers)
    blocks, tables = [], ngram_layers(c, linear, layers)
    plain = LayerSet.of(i for i in linear if i not in tables)
    if len(linear):
        delta = gated_delta(c, "qkv")
        blocks += [block("linear", plain, delta)] if len(plain) else []
        blocks += [
            block(f"ngram_{i}", LayerSet.of([i]), delta, table) for i, table in zip(tables, embeddings(c, hidden, len(tables)), strict=True)
        ]
    if len(indexed):
        heads = attention(c, hidden, norm)
        first = min(indexed)
        rest = LayerSet.of(i for i in indexed if i != first)
        blocks.append(block("indexed_first", LayerSet.of([first]), heads.model_copy(update={"positions": True})))
        blocks += [block("indexed", rest, heads)] if len(rest) else []
    return causal_model(c, Stack(hidden_size=hidden, blocks=blocks, projections=streams[:3]))


def kinds(c: Settings, layers: int) -> tuple[LayerSet, LayerSet]:
    """Linear layers and indexed ones."""
    interval = c.optional_int("full_attention_interval", minimum=1)
    named = listed(c, layers, known=(LINEAR, FULL, INDEXED)) or every(layers, 4 if interval is None else interval, INDEXED, LINEAR)
    empty = LayerSet(())
    return named.get(LINEAR, empty), LayerSet.union(held for kind, held in named.items() if kind != LINEAR) if set(named) - {
        LINEAR
    } else empty


def ngram_layers(c: Settings, linear: LayerSet, layers: int) -> list[int]:
    """Layers with a table of n-grams, in order. Raises Refused XF114 for one that is no linear layer."""
    found = set()
    for value in c.list("ple_layer_ids") or []:
        if isinstance(value, bool) or not isinstance(value, int) or value - 1 not in linear:
            raise c.refuse("ple_layer_ids", f"ple_layer_ids holds {value!r}, which is no linear layer of 1 to {layers}", code="XF114")
        found.add(value - 1)
    return sorted(found)


def mixing(c: Settings, hidden: int) -> list[Projection]:
    """What makes one input of all streams, and shares the output among them: a norm, a pair of narrow matrices, one weight a stream."""
    wide, rank = c.int("hc_count", minimum=2) * hidden, c.int("hc_lowrank")
    return [
        Projection(name="streams_norm", shape=[wide], multiplies=False, component="norm"),
        Projection(name="mix_down", shape=[rank, wide]),
        Projection(name="mix_up", shape=[wide, rank]),
        Projection(name="inject", shape=[wide // hidden, wide]),
    ]


def attention(c: Settings, hidden: int, norm: Norm) -> IndexedAttention:
    """Gated attention with an indexer, which the class cannot do without."""
    plain = gated_attention(c, hidden, norm)
    return IndexedAttention(
        **{key: getattr(plain, key) for key in type(plain).model_fields if key != "kind"}, index_heads=c.int("indexer_n_heads"),
        index_dim=c.int("indexer_head_dim"), budget=c.int("indexer_budget"), ratio=c.int("indexer_compress_ratio"),
    )  # fmt: skip


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Qwen4-Exp checkpoint of the language model, its tables of n-grams in shards, or of the whole."""
    return tower_rows(a, {}) if a.members else model(a, NAMES)
