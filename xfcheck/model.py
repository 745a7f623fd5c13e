"""From a file to an architecture and its ledger: the way every command but the plainest takes."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .families._classes import class_table
from .families._index import family
from .families._read.entry import entry
from .families._read.foreign import unasked
from .families._read.settings import Settings
from .problems import Refused

if TYPE_CHECKING:
    from pydantic import ValidationError

    from .architecture.model import Architecture
    from .documents.folder import ModelFolder
    from .families._read.settings import Assumption
    from .ledger import Row

PARTS = ("parameters", "active", "flops", "cache")
"""What a fidelity is given for."""


@dataclass(slots=True, eq=False, repr=False, match_args=False)
class Model:
    """A config that was understood.

    `rows` is the ledger; `fidelity_by` says of each of `PARTS` whether the family is held to a reference (`exact`) or not (`estimated`),
    and `verified_by` to which one.
    """

    folder: ModelFolder
    settings: Settings
    model_type: str
    family: str
    architecture: Architecture
    rows: list[Row]
    fidelity_by: dict[str, str]
    verified_by: dict[str, str]

    @property
    def fidelity(self) -> str:
        """The weakest of `fidelity_by`."""
        return "exact" if all(v == "exact" for v in self.fidelity_by.values()) else "estimated"

    @property
    def assumptions(self) -> list[Assumption]:
        """Every class default or guess that moved a number."""
        return list(self.settings.reading.assumptions.values())


def load(folder: ModelFolder) -> Model:
    """Read a config into its architecture and ledger. Raises Refused where no model can be built from it, with the rule's code."""
    config = folder.config
    if config is None:
        raise Refused(f"{folder.path} holds no config.json", code="XF901", help="a config file, or a folder with config.json")
    fault = next((p for p in config.problems if p.severity == "error"), None)
    if fault is not None or config.data is None:
        place = f" (line {fault.line}, column {fault.column})" if fault is not None and fault.line is not None else ""
        message = "the file holds no value" if fault is None else fault.message + place
        raise Refused(message, code="XF901", pointer="" if fault is None else fault.pointer, help=None if fault is None else fault.help)
    return understand(config.data, folder)


def understand(data: dict[str, Any], folder: ModelFolder) -> Model:
    """The same for the config's value alone. Raises Refused."""
    from pydantic import ValidationError

    try:
        settings, module, name, model_type = entry(data)
        architecture = module.architecture(settings)
        unasked(settings)
        rows = module.ledger(architecture)
    except ValidationError as error:
        raise _invalid(error) from error
    by, sources = _fidelity(model_type, settings, getattr(module, "CONFIRMED", {}))
    return Model(folder, settings, model_type, name, architecture, rows, by, sources)


def _invalid(error: ValidationError) -> Refused:
    """What the schema says of the first thing that is wrong, with its pointer."""
    first = error.errors()[0]
    pointer = "".join(f"/{part}" for part in first["loc"])
    code = {"extra_forbidden": "XF112", "missing": "XF101", "value_error": "XF118"}.get(first["type"], "XF113")
    more = error.error_count() - 1
    said = first["msg"].removeprefix("Value error, ").rstrip(".")
    return Refused(f"no valid architecture: {said}" + (f" (and {more} more)" if more else ""), code=code, pointer=pointer)


@functools.cache
def verified() -> dict[str, Any]:
    """Which types were held to which reference, from the generated `families/_verified.json` (scripts/prove_families.py)."""
    path = Path(__file__).parent / "families" / "_verified.json"
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found


def _fidelity(model_type: str, settings: Settings, confirmed: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """(part -> fidelity, part -> reference). `confirmed`: a type that transformers does not have -> the published total of its family.

    A total confirms parameters, and what a token meets of them; no reference runs such a class, so FLOPs and cache stay estimates.
    """
    table = verified()
    if model_type in confirmed and model_type not in table["types"]:
        parts = {p for p in ("parameters", "active") if not settings.reading.estimated}
        return {p: "exact" if p in parts else "estimated" for p in PARTS}, dict.fromkeys(sorted(parts), confirmed[model_type])
    parts = set(table["types"].get(model_type, ())) if not settings.reading.estimated else set()
    source = f"{table['reference']}, {table['date']}"
    return {p: "exact" if p in parts else "estimated" for p in PARTS}, {p: source for p in PARTS if p in parts}


__all__ = ["Model", "Refused", "Settings", "class_table", "family", "load", "understand"]
