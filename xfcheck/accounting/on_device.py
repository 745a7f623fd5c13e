"""A budget put on one device: what it needs, what fits, what the device's peaks allow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .activations import alive
from .dtypes import size
from .fit import bounds, fit, fit_training
from .run import Run

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..devices import Device
    from ..model import Model


def on_device(
    device: Device,
    model: Model,
    out: dict[str, Any],
    kept: Callable[[int, int], dict[str, Any]],
    *,
    dtype: str,
    step_tokens: int,
    utilisation: float,
) -> dict[str, Any]:
    """The `device` object of the budget.

    Inference needs the weights, the cache, the activations of one step of at most `step_tokens` tokens and the logits of each sequence's
    last position; memory of the driver, of graphs and of fragmentation is not counted. With `--training` it needs the training's total.
    `bounds` are least times.
    """
    batch, context = out["cache"]["batch"], out["cache"]["context"]
    weights = out["memory"]["weight_bytes"]
    if out["memory"]["training"] is not None:
        return fit_training(device, out["memory"]["training"]["total_bytes"])
    activations = alive(model.architecture, dtype, Run(1, min(batch * context, step_tokens)))
    logits = size(batch * model.architecture.head.rows, dtype)
    what = ["memory.weight_bytes", "cache.bytes", "last_logits"] + ([] if activations is None else ["step_activations"])
    found = fit(
        device,
        utilisation=utilisation,
        fixed=weights + logits + (activations or 0),
        cache_bytes=lambda b, n: kept(b, n)["bytes"],
        batch=batch,
        context=context,
        what=what,
    )
    decode = out["flops"]["decode"]
    cache = out["cache"]["bytes"]
    read = None if cache is None else int(weights * read_share(model, batch)) + cache
    found["bounds"] = bounds(
        device, dtype, prefill=_least(out["flops"]["prefill"]), decode=None if decode is None else _least(decode),
        read_bytes=read, batch=batch
    )  # fmt: skip
    return found


def _least(flops: dict[str, Any]) -> int:
    """FLOPs of a pass over visible pairs, or with absorbed latents where that is less."""
    return int(min(flops["total_visible"], flops.get("absorbed_total", flops["total_visible"])))


def read_share(model: Model, batch: int) -> float:
    """The share of the weights that a step of `batch` tokens reads: of E experts E (1 - (1 - k/E)^batch), of an input table nothing."""
    whole = read = 0.0
    for row in model.rows:
        if not row.counted:
            continue
        whole += row.elements
        looked_up = row.role.component == "token_embedding" and not any(r.tied_to for r in model.rows if r.role.component == "head")
        share = (
            0.0
            if looked_up
            else 1.0
            if row.active is None or not row.active[1]
            else 1 - (1 - min(row.active[0], row.active[1]) / row.active[1]) ** batch
        )
        read += row.elements * share
    return read / whole if whole else 1.0
