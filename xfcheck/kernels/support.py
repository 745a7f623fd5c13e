"""What each backend takes, found by trying it: a small case a feature, held to the reference."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .backend import ImpossibleError
from .case import Case
from .check import WrongError
from .inputs import DegenerateError
from .recurrence import Recurrence
from .trial import trial

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import torch

    from .backend import Backend
    from .layers import Problem


def features(dtype: str) -> Iterator[tuple[str, Problem, str]]:
    """(name, case, direction) of each feature, of attention and then of recurrences."""
    plain = Case("support", 1, 32, 32, 4, 4, 64, 64, dtype)
    yield "forward", plain, "forward"
    yield "backward", plain, "backward"
    for other in ("float64", "float32", "float16", "bfloat16"):
        yield f"dtype {other}", replace(plain, dtype=other), "forward"
    for width in (40, 80, 128, 192, 256, 512):
        yield f"head_dim {width}", replace(plain, head_dim=width, value_dim=width), "forward"
    yield "values narrower than keys", replace(plain, head_dim=192, value_dim=128), "forward"
    yield "gqa", replace(plain, kv_heads=2), "forward"
    yield "mqa", replace(plain, kv_heads=1), "forward"
    yield "gqa, backward", replace(plain, kv_heads=2), "backward"
    yield "bidirectional", replace(plain, kind="bidirectional"), "forward"
    yield "causal, n < m", replace(plain, key_length=48), "forward"
    yield "decode", replace(plain, query_length=1), "forward"
    yield "gqa, decode", replace(plain, query_length=1, kv_heads=2), "forward"
    yield "window", replace(plain, kind="sliding", window=8), "forward"
    yield "window, n < m", replace(plain, kind="sliding", window=8, key_length=48), "forward"
    yield "local window", replace(plain, kind="local", window=8), "forward"
    yield "chunks", replace(plain, kind="chunked", window=8), "forward"
    yield "documents", replace(plain, kind="document", window=12), "forward"
    yield "prefix", replace(plain, kind="prefix", prefix=12), "forward"
    yield "cross attention", replace(plain, kind="bidirectional", memory=True, key_length=48), "forward"
    yield "softcap", replace(plain, softcap=5.0), "forward"
    yield "sinks", replace(plain, sinks=True), "forward"
    state = Recurrence("support", 1, 40, 0, 4, 4, 16, 32, dtype, chunk=16)
    yield "decay a head", state, "forward"
    yield "decay a head, backward", state, "backward"
    yield "decay a channel", replace(state, decay="channel"), "forward"
    yield "no decay", replace(state, decay="none"), "forward"
    yield "delta rule", replace(state, delta=True), "forward"
    yield "shared keys", replace(state, groups=2), "forward"
    yield "one token after others", replace(state, query_length=1, past=40), "forward"
    yield "tokens after others", replace(state, past=40), "forward"


def table(backends: Sequence[Backend], dtype: str, where: torch.device) -> list[dict[str, Any]]:
    """A row a backend and feature: whether it works, the largest error, and why not. Backends that cannot be called have none."""
    rows = []
    for backend in backends:
        if backend.why_not is not None or backend.prepare is None:
            continue
        for name, case, direction in features(dtype):
            if case.family != backend.family:
                continue
            error, why = None, None
            try:
                error = trial(backend, case, direction, where).error
            except (ImpossibleError, WrongError, DegenerateError) as problem:
                why = str(problem)
            rows.append({"backend": backend.name, "feature": name, "works": why is None, "max_abs_error": error, "why": why})
    return rows
