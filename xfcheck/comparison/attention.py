"""Kinds of attention: MHA, GQA, MQA (arXiv 2305.13245) and latent attention (arXiv 2405.04434), put in the place of another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ..problems import Refused, Usage
from .parts import ATTENTION, attentions, changed, of_kind

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..architecture.part import Mixer
    from .keys import Keys

STYLE = re.compile(r"(mha|mqa)|gqa:(\d{1,7})|mla(?::(\d{1,7})\+(\d{1,7}))?")
RANK, ROPE = 512, 64
"""Widths of `mla` without numbers: those of DeepSeek-V2 (arXiv 2405.04434, section 3.1.2)."""


class Style(NamedTuple):
    """`kv_heads` key-value heads (null: as many as query heads), or a latent of `rank` and a shared rotary key of `rope`."""

    kv_heads: int | None = None
    rank: int | None = None
    rope: int = 0


def style(text: str) -> Style:
    """Read `mha`, `gqa:8`, `mqa`, `mla`, `mla:512+64`. Raises Usage for anything else."""
    found = STYLE.fullmatch(text.strip().lower())
    if found is None:
        raise Usage(f"attention={text}: one of mha, gqa:8 (8 key-value heads), mqa, mla, mla:512+64 (latent and rotary width)")
    plain, groups, rank, rope = found.groups()
    if plain is not None:
        return Style(None if plain == "mha" else 1)
    if groups is not None:
        return Style(int(groups))
    return Style(None, RANK if rank is None else int(rank), ROPE if rope is None else int(rope))


def reached(a: Architecture, wanted: Style) -> bool:
    """Whether every attention is of the style. Raises Refused where there is no attention."""
    soft, latent = attentions(a), of_kind(a, "latent_attention")
    if not soft and not latent:
        raise Refused("no layer has an attention to vary", code="usage")
    if wanted.rank is not None:
        return not soft and all((x.kv_rank, x.rope_dim) == (wanted.rank, wanted.rope) for x in latent)
    return not latent and all(x.kv_heads == (x.query_heads if wanted.kv_heads is None else wanted.kv_heads) for x in soft)


def candidates(a: Architecture, wanted: Style) -> list[Keys]:
    """The keys under which configs say it."""
    if wanted.rank is not None:
        return [{"kv_lora_rank": wanted.rank, "qk_rope_head_dim": wanted.rope}]
    heads = max((x.query_heads for x in attentions(a)), default=1)
    n = heads if wanted.kv_heads is None else wanted.kv_heads
    out: list[Keys] = [{"num_key_value_heads": n}, {"num_kv_heads": n}, {"attn_config/kv_n_heads": n}]
    out += [{"multi_query_attention": True, "multi_query_group_num": n}, {"new_decoder_architecture": True, "num_kv_heads": n}]
    if n in (1, heads):
        out += [{"multi_query": n == 1}, {"multi_query_attention": False}, {"new_decoder_architecture": False, "multi_query": n == 1}]
    return out


def edited(a: Architecture, wanted: Style) -> Architecture:
    """Every attention replaced; masks and positions stay.

    Latent attention takes the width of a head for its nope and value widths and no query rank; heads made of a latent one are as wide
    as its queries and its
    values. Raises Refused for kinds of attention that have weights of their own beside these.
    """
    return changed(a, lambda spec: _replaced(spec, wanted))


def _replaced(spec: Any, wanted: Style) -> Mixer:
    from ..architecture.mixers.attention import Attention

    if spec.kind == "latent_attention":
        if wanted.rank is not None:
            mixer: Mixer = spec.model_copy(update={"kv_rank": wanted.rank, "rope_dim": wanted.rope})
            return mixer
        return _softmax(spec, wanted)
    if not isinstance(spec, Attention):
        same: Mixer = spec
        return same
    if spec.kind not in ATTENTION or spec.passes != 1 or (wanted.rank is not None and spec.kind != "attention"):
        raise Refused(f"the heads of {spec.kind.replace('_', ' ')} cannot be varied apart from its config's own keys", code="usage")
    if wanted.rank is not None and spec.mask.kind in ("bidirectional", "local", "cross"):
        raise Refused("latent attention is described for causal attention alone: without a cache it saves nothing", code="usage")
    if wanted.rank is None:
        return spec.model_copy(update={"kv_heads": spec.query_heads if wanted.kv_heads is None else wanted.kv_heads})
    return _latent(spec, wanted)


def _latent(spec: Any, wanted: Style) -> Mixer:
    """Latent attention in the place of another.

    A bias of keys or values becomes one of kv_a, as DeepSeek's `attention_bias` has it; norms of queries and keys fall away, the latent has
    its own.
    """
    from ..architecture.mixers.latent_attention import LatentAttention

    biases: list[Any] = [part for part in ("query", "output") if part in spec.biases]
    if "key" in spec.biases or "value" in spec.biases:
        biases.append("kv_a")
    return LatentAttention(
        name=spec.name, input_size=spec.input_size, output_size=spec.output_size, query_heads=spec.query_heads, query_rank=None,
        kv_rank=wanted.rank or RANK,
        nope_dim=spec.head_dim, rope_dim=wanted.rope, value_dim=spec.values, biases=biases, gate=spec.gate, sinks=spec.sinks,
        softcap=spec.softcap, dropout=spec.dropout, mask=spec.mask, position=_turned(spec.position, wanted.rope),
    )  # fmt: skip


def _softmax(spec: Any, wanted: Style) -> Mixer:
    from ..architecture.mixers.attention import Attention

    if spec.indexer is not None:
        raise Refused("latent attention whose keys an indexer picks cannot be varied apart from its config's own keys", code="usage")
    width = spec.nope_dim + spec.rope_dim
    return Attention(
        name=spec.name, input_size=spec.input_size, output_size=spec.output_size, query_heads=spec.query_heads,
        kv_heads=spec.query_heads if wanted.kv_heads is None else wanted.kv_heads, head_dim=width,
        value_dim=None if spec.value_dim == width else spec.value_dim,
        gate=spec.gate, sinks=spec.sinks, softcap=spec.softcap, dropout=spec.dropout, mask=spec.mask, position=spec.position,
    )  # fmt: skip


def _turned(position: Any, width: int) -> Any:
    """A rotary position that turns the shared rotary key alone."""
    return position.model_copy(update={"width": width, "sections": None}) if getattr(position, "kind", None) == "rotary" else position
