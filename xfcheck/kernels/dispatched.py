"""Which operator computed, whatever was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .backend import ImpossibleError

if TYPE_CHECKING:
    from collections.abc import Callable

    from .backend import Backend


class _Attention(TorchDispatchMode):
    """Notes which operators of attention are dispatched."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Whether torch wraps the method against its compiler: that imports the compiler (seconds), and nothing here is compiled."""
        return False

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = str(func.name())
        if "attention" in name:
            self.names.add(name.removeprefix("aten::"))
        return func(*args, **(kwargs or {}))


def ran(call: Callable[[], object], *, gradients: bool = False) -> set[str]:
    """Names of the fused operators that a call came down to; `math` alone where it was products and a softmax.

    `gradients`: of a call whose backward pass follows, for which torch may choose another.
    """
    with torch.set_grad_enabled(gradients), _Attention() as seen:
        call()
    return seen.names or {"math"}


def require_itself(backend: Backend, operators: set[str]) -> None:
    """Raises ImpossibleError where another operator computed than the one that was asked for."""
    if backend.marks is None or any(backend.marks in name for name in operators):
        return
    raise ImpossibleError(f"another kernel computed in its place: {', '.join(sorted(operators)) or 'none with a known name'}")
