"""Query and key-value heads of every attention a config describes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .._names import first, read

if TYPE_CHECKING:
    from .._context import Context, Scope


class Heads(NamedTuple):
    """`query` heads and `key_value` heads of an attention, where each is said, and whether the class said the latter."""

    query: int
    key_value: int
    query_at: str
    key_value_at: str
    by_class: bool


def heads(context: Context) -> list[Heads]:
    """One entry a distinct pair: of the model's attentions where it could be built, else of the keys of each config object."""
    found = []
    for scope in context.nested:
        pairs = {(m.query_heads, m.kv_heads) for _, m in context.attentions} if context.of_model(scope) else written(scope)
        for query, key_value in sorted(pairs):
            found.append(_placed(scope, query, key_value))
    return found


def latent(scope: Scope) -> bool:
    """Whether the class has latent attention, in which key-value heads and head_dim say nothing."""
    return (scope.whole("kv_lora_rank") or 0) > 0 and scope.whole("qk_nope_head_dim") is not None


def written(scope: Scope) -> set[tuple[int, int]]:
    """Pairs of the usual two keys, none where the class reads no key-value heads."""
    query, key_value = first(scope, "heads"), first(scope, "kv_heads")
    if (
        query is None
        or key_value is None
        or latent(scope)
        or (scope.boolean("multi_query") and not scope.boolean("new_decoder_architecture"))
    ):
        return set()
    return {(query[1], key_value[1])}


def _placed(scope: Scope, query: int, key_value: int) -> Heads:
    query_key = next((name for name, value in read(scope, "heads") if value == query), "num_attention_heads")
    key = next((name for name, value in read(scope, "kv_heads") if value == key_value), None)
    given = key is not None and scope.has(key)
    return Heads(
        query,
        key_value,
        scope.at(query_key),
        scope.at(key) if key is not None and given else scope.at(query_key),
        key is not None and not given,
    )
