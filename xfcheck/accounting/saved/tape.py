"""What autograd keeps for the backward pass, operation by operation: a forward pass over sizes alone.

An operation keeps what its derivative reads: a matrix product its input, a product of two tensors both, a sigmoid its result, a sum or a
scaling nothing. Memory is counted once however many operations read it, and a slice keeps the whole of what it was cut from. Left out, as
they are no activations: parameters, masks, indices, and tables that depend on positions alone.
"""

from __future__ import annotations


class UnknownError(Exception):
    """What is kept is not known; the text names the component."""


class Value:
    """A tensor by its bytes, and whether it is kept already. A slice of it is the same value."""

    __slots__ = ("elements", "kept", "width")

    def __init__(self, elements: int, width: int) -> None:
        self.elements, self.width, self.kept = elements, width, False


class Tape:
    """One pass over `batch` sequences of `new` vectors at `width` bytes an element.

    `source`: the vectors of each sequence that cross attention reads. `tiled`: scores are never written out, and recurrences run in fused
    kernels; else both are written out as products.
    """

    def __init__(self, batch: int, new: int, width: int, *, tiled: bool, source: int = 0) -> None:
        self.batch, self.new, self.width, self.tiled, self.source = batch, new, width, tiled, source
        self.bytes = 0

    @property
    def rows(self) -> int:
        """Vectors of the whole batch."""
        return self.batch * self.new

    def make(self, each: int, width: int | None = None) -> Value:
        """A new tensor of `each` elements a vector."""
        return self.whole(each * self.rows, width)

    def whole(self, elements: int, width: int | None = None) -> Value:
        """A new tensor of that many elements."""
        return Value(elements, self.width if width is None else width)

    def keep(self, *values: Value) -> None:
        """Keep tensors, each once."""
        for value in values:
            if not value.kept:
                value.kept = True
                self.bytes += value.elements * value.width

    def like(self, value: Value, width: int | None = None) -> Value:
        """A new tensor of as many elements."""
        return self.whole(value.elements, value.width if width is None else width)

    def cast(self, value: Value, width: int) -> Value:
        """At another width: a copy, unless it has it already."""
        return value if value.width == width else self.like(value, width)

    def linear(self, x: Value, out: int) -> Value:
        """A weight matrix keeps its input."""
        self.keep(x)
        return self.make(out)

    def times(self, a: Value, b: Value) -> Value:
        """The product of two tensors, the second one no larger, keeps both."""
        self.keep(a, b)
        return self.like(a)

    def scaled(self, a: Value) -> Value:
        """Times trained numbers of its own size or fewer: the tensor is kept, as the numbers' gradient needs it."""
        self.keep(a)
        return self.like(a)

    def own(self, a: Value) -> Value:
        """A function whose derivative needs its result (sigmoid, tanh, exp, softmax): that is kept."""
        out = self.like(a)
        self.keep(out)
        return out

    def of(self, a: Value) -> Value:
        """A function whose derivative needs its input (SiLU, GELU, softplus, powers): that is kept."""
        self.keep(a)
        return self.like(a)

    def operand(self, a: Value, elements: int | None = None) -> Value:
        """Heads of a batch as a product reads them: a copy in another order, but for a single sequence, of which they are slices.

        `elements`: those of all heads, where several share `a`'s or where it holds more.
        """
        out = a if self.batch == 1 and (elements is None or elements == a.elements) else self.whole(elements or a.elements, a.width)
        self.keep(out)
        return out
