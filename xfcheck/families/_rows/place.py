"""Where in a model a part stands: what turns a part's matrices into rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...ledger import Kind, Row, role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...architecture.layers import LayerSet
    from ...architecture.norm import Norm
    from .names import Names


class Place(NamedTuple):
    """A slot of some layers of a stack. Its methods yield the rows of one part each, named by the family's `names`.

    `slot` is the first part of the names' keys, `component` the bucket, `hidden` the width of the residual stream. `experts` and `active`
    are set inside a mixture of experts.
    """

    names: Names
    stack: str
    stream: str
    layers: LayerSet | None
    hidden: int
    slot: str = ""
    component: str = "other"
    uses: int = 1
    experts: int | None = None
    active: tuple[int, int] | None = None

    def at(
        self, slot: str, component: str, *, stream: str | None = None, experts: int | None = None, active: tuple[int, int] | None = None
    ) -> Place:
        """The same layers, another slot."""
        return self._replace(slot=slot, component=component, stream=stream or self.stream, experts=experts, active=active)

    def matrix(
        self,
        part: str,
        rows: int,
        columns: int,
        *,
        bias: bool = False,
        stream: str | None = None,
        component: str | None = None,
        transposed: bool = False,
    ) -> Iterator[Row]:
        """A linear map to `rows` from `columns`, and its bias of `rows`. `transposed`: stored [columns, rows] (GPT-2's Conv1D)."""
        shape = (columns, rows) if transposed else (rows, columns)
        yield self.row(part, shape, multiplies=True, stream=stream, component=component)
        if bias:
            yield self.row(part, (rows,), ending=".bias", suffix="_bias", stream=stream, component=component)

    def vector(
        self,
        part: str,
        *shape: int,
        component: str | None = None,
        kind: Kind = "parameter",
        dtype: str | None = None,
        ending: str = ".weight",
    ) -> Iterator[Row]:
        """A trained tensor that no token is multiplied by: a scale, a table, a decay."""
        yield self.row(part, shape, component=component, kind=kind, dtype=dtype, ending=ending)

    def norm(self, part: str, norm: Norm | None, size: int) -> Iterator[Row]:
        """The weight and the bias that a norm has."""
        if norm is None:
            return
        width = size if norm.size is None else norm.size
        if norm.heads is not None:
            yield from self._head_norms(part, norm.heads, width)
            return
        if norm.weight:
            yield self.row(part, (width,), component="norm")
        if norm.bias:
            yield self.row(part, (width,), component="norm", ending=".bias", suffix="_bias")

    def _head_norms(self, part: str, heads: int, width: int) -> Iterator[Row]:
        """A weight a head: one tensor, or one a head where the family's name of it has a place for `{head}`."""
        whole = self.row(part, (heads, width), component="norm")
        if "{head}" not in whole.name:
            yield whole
            return
        for head in range(heads):
            module = whole.module and whole.module.replace("{head}", str(head))
            yield whole._replace(name=whole.name.replace("{head}", str(head)), module=module, shape=(width,))

    def row(  # noqa: PLR0913 (every option is given by name)
        self,
        part: str,
        shape: tuple[int, ...],
        *,
        multiplies: bool = False,
        stream: str | None = None,
        component: str | None = None,
        kind: Kind = "parameter",
        dtype: str | None = None,
        ending: str = ".weight",
        suffix: str = "",
    ) -> Row:
        """One row of this place."""
        key = f"{self.slot}.{part}" if self.slot else part
        name, module = self._name(key, ending)
        split = () if module is None or "|" not in module else tuple(module.split("|"))
        return Row(
            name=name,
            module=None if split else module,
            split=split,
            shape=shape,
            role=role(component or self.component, part + suffix, multiplies),
            layers=self.layers,
            experts=self.experts,
            dtype=dtype,
            stream=stream or self.stream,
            uses=self.uses,
            active=self.active,
            kind=kind,
        )

    def _name(self, key: str, ending: str) -> tuple[str, str | None]:
        """The checkpoint's full name and the module's, null where they agree."""
        prefix = self.names.find("layer", self.stack) if self.layers is not None else ""
        name = _ended(prefix + self.names.find(key, self.stack), ending)
        module_prefix, leaf = (
            self.names.find_module("layer", self.stack) if self.layers is not None else None,
            self.names.find_module(key, self.stack),
        )
        if module_prefix is None and leaf is None:
            return name, None
        parts = (leaf or self.names.find(key, self.stack)).split("|")
        module = "|".join(_ended((prefix if module_prefix is None else module_prefix) + part, ending) for part in parts)
        return name, None if module == name else module


def _ended(name: str, ending: str) -> str:
    """The name with its ending; one that ends in `!` is whole, but a bias of a whole name still says so (`experts.down_proj_bias`)."""
    if not name.endswith("!"):
        return name + ending
    return name[:-1] + ("_bias" if ending == ".bias" else "")
