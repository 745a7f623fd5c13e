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
        keys = (
            ("rope_parameters", "rope_scaling", "rope_theta")
            if mechanism.startswith("rotary")
            else ("max_position_embeddings", "position_embedding_type")
        )
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


def table(context: Context, model: Model, scope: Scope) -> list[dict[str, Any]]:
    """One row a reader and kind of layer: base, scaling, the original and the extended reach in tokens, the window.

    `reach` is what the positions cover as that reader takes them; models without rotary positions have one row, of transformers' model.
    """
    from ..readers.views import READERS, view

    declared = model.architecture.maximum_positions
    windows = _windows(model)
    rows = []
    for reader in READERS:
        seen = view(context, reader)
        if seen.refused is not None:
            continue
        start = scope.pointer.strip("/").replace("/", ".") + "." if scope.pointer else ""
        blocks: dict[str, dict[str, Any]] = {}
        for name, value in seen.values.items():
            kind, _, key = name.removeprefix(f"{start}rope.").rpartition(".")
            if name.startswith(f"{start}rope."):
                blocks.setdefault(kind, {})[key] = value.value
        lost = f"{start}sliding_window" in seen.values and seen.values[f"{start}sliding_window"].value is None
        everywhere = list(dict.fromkeys(w for held in windows.values() for w in held)) or [None]
        served = seen.values.get("max_model_len")
        for kind, block in blocks.items():
            for window in [None] if lost else windows.get(kind, [None]) if kind else everywhere:
                name = kind or ("all" if len(everywhere) == 1 or lost else "full" if window is None else "windowed")
                row = _row(reader, name, block, declared, window)
                rows.append(row if served is None else {**row, "reach": served.value})
    return rows or [_unrotated(model, kind, window) for kind, held in windows.items() for window in held]


def _row(reader: str, kind: str, block: dict[str, Any], declared: int | None, window: int | None) -> dict[str, Any]:
    from ..readers.rope import reached

    factor, original = _number(block.get("factor")), block.get("original_max_position_embeddings")
    original = original if isinstance(original, int) and not isinstance(original, bool) else None
    if original is None and block.get("type") not in ("llama3", "longrope"):
        original = declared
    reach = None if declared is None else reached(block.get("type"), factor, original, declared)
    return {
        "reader": reader, "layers": kind, "theta": _number(block.get("theta")),
        "type": str(block.get("type")), "factor": factor, "original": original, "reach": reach, "window": window,
    }  # fmt: skip


def _unrotated(model: Model, kind: str, window: int | None) -> dict[str, Any]:
    learned = None if model.architecture.embedding is None else model.architecture.embedding.position
    rows: Any = getattr(learned, "rows", None)
    reach = rows - getattr(learned, "offset", 0) if isinstance(rows, int) else model.architecture.maximum_positions
    mechanism = "none" if learned is None else f"{learned.kind} table"  # type: ignore[attr-defined]
    return {"reader": "transformers@5", "layers": kind, "type": mechanism, "rows": rows, "reach": reach, "window": window}


def _windows(model: Model) -> dict[str, list[int | None]]:
    """Kind of layer -> the windows of its attentions, null for none."""
    out: dict[str, list[int | None]] = {}
    for stack in model.architecture.stacks:
        for mixer in (m for block in stack.blocks for sub in block.sublayers for m in sub.mixers):
            mask = getattr(mixer, "mask", None)
            if mask is not None and mask.kind != "cross":
                window = mask.window if mask.kind in ("sliding", "local", "chunked") else None
                held = out.setdefault("full_attention" if window is None else f"{mask.kind}_attention", [])
                if window not in held:
                    held.append(window)
    return out


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


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
        base = position.theta
        theta = "?" if base is None else f"{base:,.0f}" if float(base).is_integer() else f"{base:g}"
        return f"rotary, theta {theta}, {position.width} dimensions, {position.layout}{stretched}"
    if position.kind == "relative_bias":
        return f"relative bias, {position.buckets} buckets"
    return str(position.kind)
