"""One forward pass over a built model: what it carries from layer to layer and from pass to pass."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import torch

State = dict[str, "torch.Tensor"]


@dataclass
class Pass:
    """State of a pass.

    `past`: tokens before the new ones. `states`: what layers keep between passes, by (layer, use, mixer). `memory`: the encoder's output
    `[B, source, d]`. `padding`: `[B, n]`, true where a token is real (null: all). `source_padding`: the same of the source. `times`: how
    many layers the layer now running stands for. `see(name, tensor)` is told every activation; `count(times)` gives a context that counts
    the FLOPs inside so often.
    """

    past: int = 0
    states: dict[tuple[str, int, str], State] = field(default_factory=dict)
    counts: dict[tuple[str, int, str], int] = field(default_factory=dict)
    memory: torch.Tensor | None = None
    padding: torch.Tensor | None = None
    source_padding: torch.Tensor | None = None
    positions: torch.Tensor | None = None
    bias: dict[str, torch.Tensor] = field(default_factory=dict)
    keys: dict[str, Any] = field(default_factory=dict)
    see: Callable[[str, torch.Tensor], None] | None = None
    count: Callable[[int], Any] | None = None
    where: str = ""
    key: tuple[str, int, str] = ("", 0, "")
    stream: str = "text"

    def saw(self, name: str, value: torch.Tensor) -> torch.Tensor:
        """Tell the watcher of an activation, under the name of the place now running."""
        if self.see is not None:
            self.see(f"{self.where}.{name}" if self.where else name, value)
        return value

    @contextmanager
    def inside(self, name: str) -> Iterator[None]:
        """Name what runs inside after this place."""
        before, self.where = self.where, f"{self.where}.{name}" if self.where else name
        try:
            yield
        finally:
            self.where = before

    @contextmanager
    def counted(self, times: int) -> Iterator[None]:
        """Count what runs inside `times` times."""
        if self.count is None:
            yield
            return
        with self.count(times):
            yield

    @property
    def state(self) -> State:
        """What the mixer now running keeps."""
        return self.states.setdefault(self.key, {})

    def following(self, new: int) -> Pass:
        """The pass after this one, which took `new` tokens."""
        return Pass(
            past=self.past + new,
            states=self.states,
            counts=self.counts,
            memory=self.memory,
            source_padding=self.source_padding,
            see=self.see,
            count=self.count,
        )

    def kept_bytes(self) -> int:
        """Bytes of all that is kept, every layer counted as often as it stands for."""
        return sum(
            self.counts.get(key, 1) * tensor.numel() * tensor.element_size()
            for key, state in self.states.items()
            for tensor in state.values()
        )
