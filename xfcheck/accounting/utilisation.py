"""Model and hardware FLOPs utilisation from a measured rate (Chowdhery et al. 2022, arXiv 2204.02311, section 4.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..problems import Usage

if TYPE_CHECKING:
    from ..devices import Device


def utilisation(flops: dict[str, Any], tokens_per_second: float, device: Device | None, devices: int, dtype: str) -> dict[str, Any]:
    """The `utilisation` object of the budget.

    `mfu`: forward and backward FLOPs of the tokens trained in a second (three forward passes, whole attention) over the dense peak of all
    devices; `hfu`: with what is computed again. `by_convention`: training FLOPs of each convention asked for over the same peak. Raises
    Usage without a device or without its peak.
    """
    if device is None:
        raise Usage("--tokens-per-second needs --device, whose peak it is compared with")
    peak = device.peak(dtype)
    if peak is None:
        raise Usage(f"{device.id} has no known peak in {dtype}")
    rate = tokens_per_second / (peak * devices)
    training = flops["training"]
    return {
        "tokens_per_second": tokens_per_second, "device": device.id, "devices": devices, "peak_flops": peak * devices,
        "mfu": flops["training_per_token"] * rate, "hfu": training["total_per_token"] * rate,
        "by_convention": {name: found["training_per_token"] * rate for name, found in flops.get("conventions", {}).items()},
    }  # fmt: skip
