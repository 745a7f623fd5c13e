"""dots3 note: sparse latent attention in some layers, windowed latent attention of another size in the rest, a gate a head."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..architecture.blocks import Block, Stack
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL
from ._classes import class_table
from ._read.decoder import causal_model, gated, rms
from ._read.latent import DENSE, block, deepseek_experts, feeds_by_frequency, indexed, indexer, latent, overridden, pair
from ._read.layers import crossed, depth, grouped, listed
from ._read.per_layer import differing, overrides
from ._read.settings import Settings
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row

MODEL_TYPES = ("dots3_note", "dots3_note_text")

INDEXED = "indexed_attention"
SLIDING_SIZES = {
    "num_attention_heads": 64, "num_key_value_heads": 64, "q_lora_rank": 1024, "kv_lora_rank": 1024, "head_dim": 256,
    "qk_nope_head_dim": 192, "v_head_dim": 128,
}  # fmt: skip
"""What windowed layers read where the file has neither `per_layer_config` nor the `swa_` key (configuration_dots3_note.py)."""

NAMES = LLAMA.but({"latent_attention.gate": "self_attn.g_proj", "latent_attention.rope_norm": "self_attn.k_rope_only_layernorm"})


def architecture(c: Settings) -> Architecture:
    """The language model. Indexed layers read the plain sizes, windowed ones those of `per_layer_config` or of the `swa_` keys."""
    t = text(c)
    norm, layers = rms(t), depth(t)
    window = t.optional_int("sliding_window")
    if window is None:
        window = t.int("sliding_window_size") if t.has("sliding_window_size") else 512
    given = overrides(t, layers)
    kinds = attention_kinds(t, layers, use_dsa=t.flag("use_dsa", given is None) if given is None or t.has("use_dsa") else None)
    if given is None:
        given = dict.fromkeys(kinds.get(SLIDING, LayerSet(())), sliding_sizes(t))
    mixed = {f"{index}": one for index, one in enumerate(differing(t, kinds, given))}
    crossing = crossed({index: one.layers for index, one in mixed.items()}, feeds_by_frequency(t, layers))
    blocks = [kind(t, mixed[index].kind, mixed[index].values, feed, held, window) for (index, feed), held in crossing.items()]
    return causal_model(t, Stack(hidden_size=t.int("hidden_size"), blocks=blocks, final_norm=norm))


def text(c: Settings) -> Settings:
    """The settings of the language model: `text_config`, or the whole file where it has none (published files are flat)."""
    if c.table is None or c.table.model_type != "dots3_note":
        return c
    table = class_table("dots3_note_text")
    inner = c.mapping("text_config")
    if inner is None:
        return Settings({k: v for k, v in c.data.items() if k != "model_type"}, table, pointer=c.pointer, reading=c.reading)
    return Settings({"architectures": c.data.get("architectures"), **inner}, table, pointer=c.at("text_config"), reading=c.reading)


def attention_kinds(c: Settings, layers: int, *, use_dsa: bool | None) -> dict[str, LayerSet]:
    """Indexed and sliding layers: the file's list (older files call indexed layers full), else the first two and each fourth indexed."""
    plain = FULL if use_dsa is False else INDEXED
    sliding = c.flag("use_sliding_window", True)
    kinds = listed(c, layers) or grouped(plain if not sliding or i < 2 or i % 4 == 1 else SLIDING for i in range(layers))
    if use_dsa is None:
        return kinds
    old, new = (FULL, INDEXED) if use_dsa else (INDEXED, FULL)
    out: dict[str, list[LayerSet]] = {}
    for name, held in kinds.items():
        out.setdefault(new if name == old else name, []).append(held)
    return {name: LayerSet.union(held) for name, held in out.items()}


def sliding_sizes(c: Settings) -> dict[str, Any]:
    """The sizes of windowed layers by the `swa_` keys."""
    sizes = {name: c.int(f"swa_{name}") if c.has(f"swa_{name}") else default for name, default in SLIDING_SIZES.items()}
    rope = c.int("swa_qk_rope_head_dim") if c.has("swa_qk_rope_head_dim") else sizes["head_dim"] - sizes["qk_nope_head_dim"]
    return {**sizes, "qk_rope_head_dim": rope}


def kind(c: Settings, name: str, values: dict[str, Any], feed: str, held: LayerSet, window: int) -> Block:
    """One kind of layer; the rotary key has a norm of its own, the indexer's keys are rotated in 32 bits and stay so."""
    own, norm = overridden(c, values), rms(c)
    mask = indexed(own) if name == INDEXED else mask_of(own, name, window) if name == SLIDING else CAUSAL
    attention = latent(
        own, ranked=True, norm_eps=norm.eps or 1e-5, interleaved=True, layer_type=name, mask=mask,
        indexer=indexer(own, full_precision=True) if name == INDEXED else None, rope_norm=norm, gate="headwise",
    )  # fmt: skip
    shared = (
        c.int("moe_shared_expert_intermediate_size")
        if c.has("moe_shared_expert_intermediate_size")
        else c.int("shared_experts_intermediate_size")
    )
    return block(f"{name}_{feed}", held, pair(attention, gated(c) if feed == DENSE else deepseek_experts(c, shared_width=shared), norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a dots3 note language model."""
    return model(a, NAMES)
