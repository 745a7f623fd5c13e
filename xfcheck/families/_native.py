"""Model descriptions: the architecture itself written as YAML or JSON, for designs that have no code yet.

A description has `stacks` (and, to be sure, `xfcheck: 1`); its keys are those of `architecture.model.Architecture`. Tensors are named by
their part: `text.layers.3.attention.query.weight`. No reference exists for a design, so its numbers say `estimated`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..architecture.model import Architecture
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ()
MARK = "xfcheck"
WHOLE = ("final_norm", "embedding_norm")


class PartNames(Names):
    """Names made of the parts themselves."""

    def find(self, key: str, stream: str) -> str:
        """The key, under its stack where a stack has one of its own."""
        if key == "layer":
            return f"{stream}.layers.{{layer}}."
        return f"{stream}.{key}" if key in WHOLE else key


NAMES = PartNames({}, base_prefix="")


def describes(data: dict[str, Any]) -> bool:
    """Whether a config is a model description."""
    return isinstance(data.get("stacks"), list) and "model_type" not in data


def architecture(c: Settings) -> Architecture:
    """The description, validated. Raises pydantic.ValidationError."""
    c.assume("stacks", None, "a model description: no reference implementation to compare with", estimated=True)
    return Architecture.model_validate({key: value for key, value in c.data.items() if key != MARK})


def ledger(a: Architecture) -> list[Row]:
    """Rows named by their parts."""
    return [
        row._replace(name=row.name.replace(".expert.", ".experts.{expert}.")) if row.experts is not None else row for row in model(a, NAMES)
    ]
