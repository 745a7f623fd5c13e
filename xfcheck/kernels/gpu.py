"""What timing asks of a GPU: events, graphs and a flushed cache. A test gives another object of the same methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch


class Event(Protocol):
    """A moment on the device's own queue of work."""

    def record(self) -> None:
        """Put it behind everything that was launched so far."""

    def synchronize(self) -> None:
        """Wait until the device has reached it."""

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds to a later one."""


class Gpu(Protocol):
    """A device whose work is done later than it is asked for."""

    def synchronise(self) -> None:
        """Wait until everything is done."""

    def event(self) -> Event:
        """A new event that takes the time."""

    def capture(self, call: Callable[[], object], calls: int) -> Callable[[], object]:
        """So many calls as one graph; what replays it. Raises RuntimeError where a kernel cannot be captured."""

    def flush(self) -> None:
        """Overwrite a buffer larger than the last cache, so that nothing else is left in it."""


class Cuda:
    """A CUDA device through torch."""

    def __init__(self, device: torch.device, cache_bytes: int) -> None:
        self.device = device
        self.size = 2 * cache_bytes
        self.buffer: torch.Tensor | None = None

    def synchronise(self) -> None:
        """Wait until everything is done."""
        import torch

        torch.cuda.synchronize(self.device)

    def event(self) -> Any:
        """A new event that takes the time."""
        import torch

        return torch.cuda.Event(enable_timing=True)

    def capture(self, call: Callable[[], object], calls: int) -> Callable[[], object]:
        """Calls are made three times on a stream beside, which allocates what they need, and then recorded.

        Raises RuntimeError where a kernel waits for the device, allocates in ways of its own or is otherwise not capturable.
        """
        import torch

        here = torch.cuda.current_stream(self.device)
        beside = torch.cuda.Stream(self.device)
        beside.wait_stream(here)
        with torch.cuda.stream(beside):
            for _ in range(3):
                call()
        here.wait_stream(beside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(calls):
                call()
        return graph.replay

    def flush(self) -> None:
        """Writes zeros over twice the cache."""
        import torch

        if self.buffer is None:
            self.buffer = torch.empty(self.size, dtype=torch.uint8, device=self.device)
        self.buffer.zero_()
