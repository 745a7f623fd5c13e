"""What autograd keeps of a forward pass, counted: the bytes of all floating-point tensors saved for the backward pass, each memory once.

Parameters and buffers are left out, and tensors that no gradient reaches (masks, rotary tables).
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode

from ..accounting.run import Run
from ..accounting.saved import passed
from ..accounting.saved.tape import UnknownError
from ..accounting.walk import mixers
from ..problems import Refused
from .check import Check, compared, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..architecture.model import Architecture
    from ..model import Model

BATCH, TOKENS, SOURCE = 2, 11, 7
LARGEST = 20_000_000
"""Parameters of a scaled-down config above which nothing is run."""


class _Constants(TorchFunctionMode):  # type: ignore[misc]
    """Memory of tensors without a gradient, less that of tensors with one.

    Memory is held, so that none is used twice; tensors are not, so that a branch that leads to nothing is freed.
    """

    def __init__(self) -> None:
        super().__init__()
        self.held: list[Any] = []
        self.constant: set[int] = set()
        self.grown: set[int] = set()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        for tensor in out if isinstance(out, tuple | list) else [out]:
            if isinstance(tensor, torch.Tensor) and _counts(tensor):
                self.held.append(tensor.untyped_storage())
                (self.grown if tensor.requires_grad else self.constant).add(_memory(tensor))
        return out


def _counts(tensor: torch.Tensor) -> bool:
    return bool(tensor.is_floating_point() or tensor.is_complex())


def _memory(tensor: torch.Tensor) -> int:
    found: int = tensor.untyped_storage()._cdata
    return found


def saved_bytes(forward: Callable[[], Any], weights: Iterable[torch.Tensor]) -> int:
    """Bytes kept for what `forward` returns; `weights` are parameters and buffers, which are not counted."""
    alive: list[weakref.ref[_Kept]] = []

    def pack(tensor: torch.Tensor) -> Any:
        if not _counts(tensor):
            return tensor
        alive.append(weakref.ref(found := _Kept(tensor)))
        return found

    mode = _Constants()
    with torch.enable_grad(), mode, torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: getattr(kept, "tensor", kept)):
        out = forward()
    kept = {_memory(found.tensor): found.tensor for ref in alive if (found := ref()) is not None}
    left_out = {_memory(w) for w in weights} | (mode.constant - mode.grown)
    total: int = sum(t.untyped_storage().nbytes() for memory, t in kept.items() if memory not in left_out)
    del out
    return total


class _Kept:
    """What the graph holds of a tensor, without the graph itself; it goes with it."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor.data


def expected(a: Architecture, *, source: int) -> int:
    """The accountant's number for the same pass in 32 bits, attention written out, without the loss. Raises UnknownError."""
    alone = all(stack.stream == "encoder" for stack in a.stacks)
    return passed(a, Run(BATCH, TOKENS, 0, TOKENS if alone else source), 4, tiled=False, loss=False).total


OTHERWISE = {
    "mamba": "the scan of Mamba-1", "mamba2": "the scan of Mamba-2", "gated_delta": "the gated delta rule",
    "kimi_delta": "Kimi delta attention", "rg_lru": "the linear recurrent unit", "time_mix": "time mixing", "channel_mix": "channel mixing",
}  # fmt: skip
"""Kinds of mixers whose closed form is of the reference's steps; the generic modules take others to the same result."""


def _otherwise(a: Architecture) -> Iterator[str]:
    """Parts in which the generic modules take other steps than the closed forms describe."""
    from ..torch_build.mixers.mlp import ACTIVATIONS

    for placed in mixers(a):
        mixer: Any = placed.mixer
        if mixer.kind in OTHERWISE:
            yield OTHERWISE[mixer.kind]
        if getattr(mixer, "multiplied", "chosen") == "all":
            yield "experts that all tokens pass"
        networks = [mixer, getattr(mixer, "expert", None), getattr(mixer, "shared", None)]
        yield from (
            f"the activation {n.activation}" for n in networks if getattr(n, "kind", "") == "mlp" and n.activation not in ACTIVATIONS
        )


def activations(model: Model, reasons: list[str]) -> Check:
    """The accountant's closed forms against the generic modules, run scaled down. `reasons`: what of the model has no forward here."""
    from ..shrink import shrink
    from ..torch_build.initial import initialise
    from ..torch_build.model import build
    from ..torch_build.passes import Pass

    name = "activations.saved"
    if reasons:
        return unknown(name, f"no forward here for {', '.join(reasons)}")
    try:
        small = shrink(model)
    except Refused:
        return unknown(name, "no scaled-down config to run")
    a = small.model.architecture
    try:
        want = expected(a, source=SOURCE)
    except UnknownError as component:
        return unknown(name, f"no closed form for {component}")
    others = sorted(set(_otherwise(a)))
    if others:
        return unknown(
            name, f"the generic modules take other steps in {', '.join(others)}; --against transformers counts the reference's", want
        )
    if small.parameters > LARGEST:
        return unknown(name, f"the scaled-down config has {small.parameters:,} parameters")
    made = build(a, whole=True, device="cpu")
    initialise(made)
    buffers = {id(getattr(m, name)) for m in made.modules() for name, mark in getattr(m, "marks", {}).items() if mark.kind == "buffer"}
    for parameter in made.parameters():
        parameter.requires_grad_(id(parameter) not in buffers)
    ids = torch.arange(BATCH * max(TOKENS, SOURCE)).view(BATCH, -1) % 8
    try:
        got = saved_bytes(lambda: made(ids[:, :TOKENS], Pass(), ids[:, :SOURCE]), made.parameters())
    except (NotImplementedError, ValueError, RuntimeError, IndexError) as error:
        return unknown(name, f"the build does not run: {' '.join(str(error).split())[:200]}", want)
    return compared(name, want, got, f"scaled down to {small.parameters:,} parameters, batch {BATCH}, {TOKENS} tokens, 32 bits, eager")
