"""Question 3: how positions are known, how far they reach, and how long training and deployment sequences are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .answer import Answer, derived, from_key, of_class, setting, unanswered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..model import Model
    from ..rules._context import Context, Scope

QUESTION = "Which position mechanism, for which training and deployment length?"


def answers(context: Context, model: Model, scope: Scope) -> Iterator[Answer]:
    """The mechanism with its parameters, the declared length, and the lengths of training and deployment."""
    found = dict.fromkeys(_mechanisms(model))
    if not found:
        yield of_class(scope, "mechanism", "none: order is known from the mask or the recurrence alone")
    for mechanism in found:
        keys = ("rope_parameters", "rope_scaling", "rope_theta") if mechanism.startswith("rotary") else ("max_position_embeddings", "position_embedding_type")
        yield from_key(context, scope, "mechanism", mechanism, *keys)
    length = model.architecture.maximum_positions
    if length is not None:
        yield from_key(context, scope, "maximum positions", length, "max_position_embeddings", "n_positions", "max_seq_len", "seq_length")
    else:
        yield unanswered("maximum positions", "max_position_embeddings in the config")
    tokenizer = context.side("tokenizer_config.json")
    limit = tokenizer.get("model_max_length") if isinstance(tokenizer, dict) else None
    if isinstance(limit, int) and limit < 10**6:
        yield derived("tokenizer length", limit, "tokenizer_config.json /model_max_length")
    else:
        yield unanswered("tokenizer length", "model_max_length in tokenizer_config.json")
    yield setting(context, "train", "sequence_length", "training length")
    yield setting(context, "deploy", "context_length", "deployment length")


def _mechanisms(model: Model) -> Iterator[str]:
    table: Any = None if model.architecture.embedding is None else model.architecture.embedding.position
    if table is not None:
        yield f"{table.kind} table" + (f" of {table.rows} rows" if table.rows else "")
    for stack in model.architecture.stacks:
        for block in stack.blocks:
            for sublayer in block.sublayers:
                for mixer in sublayer.mixers:
                    position: Any = getattr(mixer, "position", None)
                    if position is not None:
                        yield _shown(position)


def _shown(position: Any) -> str:
    if position.kind == "rotary":
        scaling = position.scaling
        stretched = "" if scaling is None else f", {scaling.kind}" + (f" x {scaling.factor:g}" if scaling.factor is not None else "")
        theta = "?" if position.theta is None else f"{position.theta:g}"
        return f"rotary, theta {theta}, {position.width} dimensions, {position.layout}{stretched}"
    if position.kind == "relative_bias":
        return f"relative bias, {position.buckets} buckets"
    return str(position.kind)
