"""Low-rank adapters (Hu et al. 2021, arXiv 2106.09685) as PEFT's adapter_config.json beside a config describes them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ..problems import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..documents.folder import ModelFolder
    from ..ledger import Row

FILE = "adapter_config.json"
OUTPUT = ("head",)


class Adapter(NamedTuple):
    """`rank` r and its exceptions by pattern.

    `targets` module names, or a regular expression, or `all-linear`; `saved` modules trained whole.
    """

    name: str
    rank: int
    ranks: dict[str, int]
    targets: str | tuple[str, ...]
    saved: tuple[str, ...]
    magnitudes: bool


def adapter(folder: ModelFolder | None) -> Adapter | None:
    """The adapter beside the config, null for none. Raises Refused where it is no LoRA or has no rank or targets."""
    document = None if folder is None else folder.side(FILE)
    if document is None:
        return None
    data: Any = document.data
    if not isinstance(data, dict) or str(data.get("peft_type", "LORA")).upper() != "LORA":
        raise Refused(f"{FILE} is no LoRA adapter", code="usage", pointer="/peft_type")
    rank, targets = data.get("r"), data.get("target_modules")
    if not isinstance(rank, int) or isinstance(rank, bool) or rank < 1:
        raise Refused(f"{FILE} gives no rank", code="usage", pointer="/r")
    if not isinstance(targets, str) and not (isinstance(targets, list) and targets and all(isinstance(t, str) for t in targets)):
        raise Refused(f"{FILE} names no target modules", code="usage", pointer="/target_modules")
    pattern = data.get("rank_pattern") or {}
    return Adapter(
        "dora" if data.get("use_dora") else "lora", rank, {k: v for k, v in pattern.items() if isinstance(v, int)},
        targets if isinstance(targets, str) else tuple(targets),
        tuple(data.get("modules_to_save") or ()), bool(data.get("use_dora")),
    )  # fmt: skip


def adapter_rows(found: Adapter, rows: Sequence[Row]) -> list[Row]:
    """The trained tensors: A `[r, in]` and B `[out, r]` a target (and a magnitude `[out]` with DoRA), modules that are saved whole."""
    out: list[Row] = []
    for row in rows:
        if row.kind != "parameter":
            continue
        module = row.name.removesuffix(".weight").removesuffix(".bias")
        if any(_is(module, name) for name in found.saved):
            out.append(row._replace(tied_to=None))
        elif row.role.multiplies and len(row.shape) == 2 and row.name.endswith(".weight") and _targeted(found, module, row):
            rank = next((r for key, r in found.ranks.items() if _expression(rf"(.*\.)?({key})$").search(module)), found.rank)
            rows_, columns = row.shape
            plain = row._replace(dtype=None, tied_to=None)
            out += [
                plain._replace(name=f"{module}.lora_A", shape=(rank, columns)),
                plain._replace(name=f"{module}.lora_B", shape=(rows_, rank)),
            ]
            if found.magnitudes:
                out.append(plain._replace(name=f"{module}.lora_magnitude_vector", shape=(rows_,)))
    return out


def _targeted(found: Adapter, module: str, row: Row) -> bool:
    if found.targets == "all-linear":
        return row.role.component not in OUTPUT
    if isinstance(found.targets, str):
        return _expression(found.targets).fullmatch(module.replace("{layer}", "0").replace("{expert}", "0")) is not None
    return any(_is(module, name) for name in found.targets)


def _expression(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise Refused(f"{FILE}: {text!r} is no regular expression: {error}", code="usage", pointer="/target_modules") from error


def _is(module: str, name: str) -> bool:
    """Whether a module has this name, or this end of its name, as PEFT compares them."""
    return module == name or module.endswith("." + name)
