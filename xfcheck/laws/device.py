"""Where laws run: on a GPU where there is one, in 64 bits where it has them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import torch

from ..problems import Usage
from ..verification.check import Check

if TYPE_CHECKING:
    from collections.abc import Callable

BOUNDS = {torch.float64: 1e-9, torch.float32: 1e-3}
"""Bound of a difference that rounding alone may make, of numbers near one, by dtype."""
KINDS = re.compile(r"auto|cpu|mps|cuda(:\d+)?")


class Place(NamedTuple):
    """A device by its torch name, the dtype that laws run in there, what the machine calls it."""

    device: str
    dtype: torch.dtype
    called: str

    @property
    def bound(self) -> float:
        """What rounding may make of a difference."""
        return BOUNDS[self.dtype]

    def told(self) -> Check:
        """The row that says where the laws ran."""
        dtype = str(self.dtype).removeprefix("torch.")
        why = f"{self.called}; a difference may be {self.bound:g} of rounding in {dtype}"
        return Check("laws.device", None, f"{self.device}, {dtype}", "agreed", why)


CPU = Place("cpu", torch.float64, "CPU")


def choose(asked: str, *, gpus: int | None = None, called: Callable[[str], str] | None = None) -> Place:
    """The place of `auto`, `cpu`, `cuda`, `cuda:1` or `mps`. `gpus` and `called` stand for what torch finds.

    `auto` is the first GPU, else the CPU. Raises Usage for an unknown word and for a device that is not there.
    """
    if not KINDS.fullmatch(asked):
        raise Usage(f"--device is auto, cpu, cuda, cuda:1 or mps, not {asked!r}")
    found = (torch.cuda.device_count() if torch.cuda.is_available() else 0) if gpus is None else gpus
    if asked == "mps":
        if not torch.backends.mps.is_available():
            raise Usage("--device mps: this machine has none")
        return Place("mps", torch.float32, "Apple GPU")
    if asked == "cpu" or (asked == "auto" and not found):
        return CPU
    number = int(asked.partition(":")[2] or 0)
    if number >= found:
        raise Usage(f"--device {asked}: torch finds {found} GPUs")
    device = f"cuda:{number}"
    return Place(device, torch.float64, (called or torch.cuda.get_device_name)(device))
