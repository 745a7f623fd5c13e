"""Question 1: width d, depth L, query heads, key-value heads, head width, feed-forward width."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .answer import Answer, derived, from_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..model import Model
    from ..rules._context import Context, Scope

QUESTION = "What are d, L, H_q, H_kv, d_h and d_ff?"
DEPTH = ("num_hidden_layers", "num_layers", "n_layer", "n_layers", "encoder_layers")
HEADS = ("num_attention_heads", "num_heads", "n_head", "n_heads", "encoder_attention_heads")
KV_HEADS = ("num_key_value_heads", "num_kv_heads", "multi_query_group_num")
FEED_FORWARD = ("intermediate_size", "d_ff", "n_inner", "ffn_dim", "encoder_ffn_dim", "ffn_hidden_size")
EXPERT_WIDTH = ("moe_intermediate_size", "intermediate_size", "expert_ffn_hidden_size")


def answers(context: Context, model: Model, scope: Scope) -> Iterator[Answer]:
    """The sizes, each with where it was read."""
    a = model.architecture
    main = a.main
    yield from_key(context, scope, "hidden_size", main.hidden_size, "hidden_size", "d_model", "n_embd", "dim")
    yield from_key(context, scope, "layers", main.depth, *DEPTH)
    shapes = attention_shapes(model)
    if not shapes:
        yield derived("attention", None, "no layer has attention")
    for heads, groups, width in shapes:
        yield from_key(context, scope, "query_heads", heads, *HEADS)
        if groups is None:
            yield derived("kv_heads", None, "latent attention: every head's keys come from one latent")
        else:
            yield _kv_heads(context, scope, heads, groups)
        yield _head_dim(context, scope, heads, width, main.hidden_size)
    for field, width in feed_forward_widths(model):
        yield from_key(context, scope, field, width, *(EXPERT_WIDTH if field == "expert_size" else FEED_FORWARD))


def attention_shapes(model: Model) -> list[tuple[int, int | None, int]]:
    """(query heads, KV heads or null for latent attention, head width) of each distinct self-attention of the main stack."""
    out: dict[tuple[int, int | None, int], None] = {}
    for block in model.architecture.main.blocks:
        for sublayer in block.sublayers:
            for mixer in sublayer.mixers:
                spec: Any = mixer
                if mixer.kind == "attention":
                    out[spec.query_heads, spec.kv_heads, spec.head_dim] = None
                elif mixer.kind == "latent_attention":
                    out[spec.query_heads, None, spec.nope_dim + spec.rope_dim] = None
    return list(out)


def feed_forward_widths(model: Model) -> list[tuple[str, int]]:
    """(field, width) of each distinct feed-forward network and expert of the main stack."""
    out: dict[tuple[str, int], None] = {}
    for block in model.architecture.main.blocks:
        for sublayer in block.sublayers:
            for mixer in sublayer.mixers:
                spec: Any = mixer
                if mixer.kind == "mlp":
                    out["intermediate_size", spec.intermediate_size] = None
                elif mixer.kind == "moe":
                    out["expert_size", spec.expert.intermediate_size] = None
    return list(out)


def _kv_heads(context: Context, scope: Scope, heads: int, groups: int) -> Answer:
    answer = from_key(context, scope, "kv_heads", groups, *KV_HEADS)
    unsaid = answer.evidence is None or answer.evidence.value is None
    return derived("kv_heads", groups, "as many as query heads: the file gives none") if unsaid and groups == heads else answer


def _head_dim(context: Context, scope: Scope, heads: int, width: int, hidden: int) -> Answer:
    named = from_key(context, scope, "head_dim", width, "head_dim", "d_kv", "kv_channels", "attention_head_dim")
    if (
        (named.evidence is None or named.evidence.value is None or named.evidence.source == "class code")
        and heads
        and width * heads == hidden
    ):
        return derived("head_dim", width, f"hidden_size / query_heads = {hidden} / {heads}")
    return named
