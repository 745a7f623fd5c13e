"""One forward pass over a built model: what it carries from layer to layer and from pass to pass."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import torch

    from ..architecture.blocks import Padding

State = dict[str, "torch.Tensor"]


@dataclass
class Pass:
    """State of a pass.

    `past`: tokens before the new ones. `states`: what layers keep between passes, by (layer, use, mixer). `memory`: the encoder's output
    `[B, source, d]`. `padding`: `[B, n]`, true where a token is real (null: all). `source_padding`: the same of the source. `times`: how
    many layers the layer now running stands for. `see(name, tensor)` is told every activation; `count(times)` gives a context that counts
    the FLOPs inside so often. `batch` sequences of `new` tokens, `source` tokens of an encoder's input, `image` and `audio` vectors that
    towers read, `given` what towers hand on, by stream. `paddings`: what stacks compute beside their tokens, by stream.
    `streams`: what the whole calls the streams of the member now running.
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
    times: int = 1
    batch: int = 1
    new: int = 0
    source: int = 0
    image: int = 0
    audio: int = 0
    given: dict[str, torch.Tensor] = field(default_factory=dict)
    streams: dict[str, str] = field(default_factory=dict)
    paddings: dict[str, Padding] = field(default_factory=dict)

    def vectors(self, stream: str, kept: int | None = None) -> int:
        """Vectors of one sequence that a weight of that stream meets in this pass: new tokens, or what the stream's name says.

        `latent`: what is kept (at most `kept`) and the new ones; `memory`: the source in every pass, `cross` and `encoder` in the first
        alone; `both`: source and new ones; `pooled`: one a pass; `once`: one in the first. Raises NotImplementedError for another stream.
        """
        first = 0 if self.past else 1
        found = {
            "text": self.new, "decoder": self.new, "given": self.new, "delayed": self.new + first, "absent": 0, "pooled": 1, "once": first,
            "latent": self.new + (self.past if kept is None else min(self.past, kept)), "memory": self.source,
            "encoder": first * self.source, "cross": first * self.source, "both": self.new + first * self.source,
            "image": first * self.image, "audio": first * self.audio,
        }  # fmt: skip
        called = self.streams.get(stream, stream)
        if called not in found:
            raise NotImplementedError(f"the stream {called!r}")
        tokens, padding = found[called], self.paddings.get(stream)
        if padding is None or not tokens:
            return tokens
        return padding.filled(tokens) + padding.extra + (padding.prompts if first else 0)

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
            source=self.source,
            image=self.image,
            audio=self.audio,
            given=self.given,
            paddings=self.paddings,
        )

    def kept_bytes(self) -> int:
        """Bytes of all that is kept, every layer counted as often as it stands for."""
        return sum(
            self.counts.get(key, 1) * tensor.numel() * tensor.element_size()
            for key, state in self.states.items()
            for tensor in state.values()
        )
