"""Pieces that most decoders read alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ...architecture.mixers.attention import Attention
from ...architecture.mixers.mlp import MLP
from ...architecture.model import Architecture
from ...architecture.norm import Norm
from ...architecture.vocabulary import Embedding, Head
from ...problems import Refused
from .head import CLASSIFIERS, classifier_bias, head_kind, head_prefix, labels

if TYPE_CHECKING:
    from ...architecture.blocks import Stack
    from ...architecture.masks import Mask
    from ...architecture.part import Part
    from ...architecture.vocabulary import HeadKind
    from .settings import Settings

Biased = Literal["query", "key", "value", "output", "gate"]
QKVO: list[Biased] = ["query", "key", "value", "output"]
QKV: list[Biased] = ["query", "key", "value"]


def rms(c: Settings, key: str = "rms_norm_eps", *, unit_offset: bool = False) -> Norm:
    """The RMS norm of the residual stream."""
    return Norm(kind="rms", eps=c.number(key), unit_offset=unit_offset)


def layer_norm(c: Settings, key: str = "layer_norm_eps", *, bias: bool = True) -> Norm:
    """The layer norm of the residual stream."""
    return Norm(kind="layer", eps=c.number(key), bias=bias)


def head_dim(c: Settings, hidden: int, heads: int, *, needed: bool = False) -> int:
    """`head_dim` where the file or the class gives one (declared or honoured undeclared), else hidden / heads.

    `needed`: the class does not derive it. Raises Refused XF102 where the quotient is no whole number, XF101 where only a given width
    builds.
    """
    given = c.optional_int("head_dim", minimum=1)
    if given is not None:
        return given
    if needed or null_refused(c, "head_dim"):
        raise Refused(
            "needs the key 'head_dim': null does not build",
            code="XF101",
            pointer=c.at("head_dim"),
            help=f"hidden_size / heads is {hidden / heads:g}",
        )
    return quotient(c, hidden, heads)


def null_refused(c: Settings, key: str) -> bool:
    """Whether the file writes null for a key whose class takes none.

    It is declared without null, or read undeclared, where only absence means a default.
    """
    if c.table is None or not c.has(key) or c.raw(key, noted=False) is not None:
        return False
    types = c.table.types(key)
    return "null" not in types and "any" not in types


def quotient(c: Settings, hidden: int, heads: int) -> int:
    """The quotient hidden / heads. Raises Refused XF102 where it is no whole number."""
    if hidden % heads:
        raise Refused(
            f"hidden_size {hidden} is not divisible by {heads} heads, and head_dim is not given",
            code="XF102",
            pointer=c.at("num_attention_heads"),
            help=f"heads that divide {hidden}, or a head_dim",
        )
    return hidden // heads


def kv_heads(c: Settings, heads: int, key: str = "num_key_value_heads") -> int:
    """Key-value heads; null or absent without a class default means as many as query heads."""
    given = c.optional_int(key, minimum=1)
    if given is None and null_refused(c, key):
        raise c.refuse(key, f"{key} is null, the class takes a whole number")
    return heads if given is None else given


def attention(  # noqa: PLR0913 (every option is given by name)
c: Settings, hidden: int, *, mask: Mask, position: Part | None, biases: list[Biased] | None = None, width: int | None = None,
              query_norm: Norm | None = None, key_norm: Norm | None = None, scale: float | None = None, softcap: float | None = None,
              kept_tokens: int | None = None) -> Attention:  # fmt: skip
    """Grouped-query attention from the usual keys."""
    heads = c.int("num_attention_heads")
    return Attention(
        query_heads=heads,
        kv_heads=kv_heads(c, heads),
        head_dim=head_dim(c, hidden, heads) if width is None else width,
        biases=biases or [],
        query_norm=query_norm,
        key_norm=key_norm,
        scale=scale,
        softcap=softcap,
        mask=mask,
        position=position,
        kept_tokens=kept_tokens,
        dropout=c.number("attention_dropout") or 0.0,
    )


def gated(c: Settings, key: str = "intermediate_size", *, bias: bool = False, activation: str = "hidden_act") -> MLP:
    """The gated feed-forward network from the usual keys."""
    return MLP(intermediate_size=c.int(key), activation=c.text(activation) or "silu", gated=True, bias=bias, output_bias=bias)


def causal_model(  # noqa: PLR0913 (every option is given by name)
    c: Settings,
    stack: Stack,
    *,
    tied: bool | None = None,
    head_bias: bool = False,
    position: Part | None = None,
    multiplier: float = 1.0,
    softcap: float | None = None,
    default: HeadKind = "causal",
    width: int | None = None,
    head_multiplier: float = 1.0,
) -> Architecture:
    """A decoder around its stack: table, head by `architectures`, and what the file says of dtype and length."""
    rows = c.int("vocab_size")
    kind = head_kind(c, default)
    classifies = kind in CLASSIFIERS
    return Architecture(
        embedding=Embedding(
            rows=rows,
            width=width,
            projection=width is not None and width != stack.hidden_size,
            position=position,
            multiplier=multiplier,
            streams=[stack.stream],
        ),
        stacks=[stack],
        head=Head(
            kind=kind,
            rows=0 if classifies or kind == "none" else rows,
            tied=c.flag("tie_word_embeddings") if tied is None else tied,
            bias=classifier_bias(c, kind) if classifies else head_bias,
            labels=(2 if kind == "question_answering" else labels(c)) if classifies else 0,
            softcap=softcap,
            multiplier=head_multiplier,
            stream=stack.stream,
            prefix=head_prefix(c),
        ),
        maximum_positions=maximum_positions(c),
        dtype=dtype(c),
        quantization=c.mapping("quantization_config"),
    )


def maximum_positions(c: Settings, key: str = "max_position_embeddings") -> int | None:
    """The declared length in tokens, null where none is usable."""
    value = c.raw(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def dtype(c: Settings) -> str | None:
    """The file's dtype in torch's name: `dtype` beats `torch_dtype`; null where absent or no name of a dtype."""
    from ...accounting.dtypes import full_name

    for key in ("dtype", "torch_dtype"):
        value = c.data.get(key)
        if isinstance(value, str):
            return full_name(value)
    return None
