"""Low-rank adapters (Hu et al. 2021, arXiv 2106.09685) as PEFT's adapter_config.json beside a config describes them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ..architecture.layers import LayerSet
from ..problems import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..documents.folder import ModelFolder
    from ..ledger import Row

FILE = "adapter_config.json"
ALL = "all-linear"
NOT_LINEAR = ("head", "router")
"""What `all-linear` leaves alone: PEFT takes the output layer out, and routers of transformers 5 are parameters, not linear layers."""


class Adapter(NamedTuple):
    """`rank` r and its exceptions by pattern.

    `targets` module names, or a regular expression, or `all-linear`; `excluded` likewise; `parameters` names of parameters that are no
    modules (experts in one tensor); `layers` indices, null for all, found below `pattern` (null: below any name); `saved` modules trained
    whole; `biases` none, all or lora_only.
    """

    name: str
    rank: int
    ranks: dict[str, int]
    targets: str | tuple[str, ...]
    excluded: str | tuple[str, ...]
    parameters: tuple[str, ...]
    layers: frozenset[int] | None
    pattern: tuple[str, ...]
    saved: tuple[str, ...]
    magnitudes: bool
    biases: str


def adapter(folder: ModelFolder | None) -> Adapter | None:
    """The adapter beside the config, null for none. Raises Refused where it is no LoRA or has no rank or targets."""
    document = None if folder is None else folder.side(FILE)
    if document is None:
        return None
    data: Any = document.data
    if not isinstance(data, dict) or str(data.get("peft_type", "LORA")).upper() != "LORA":
        raise Refused(f"{FILE} is no LoRA adapter", code="usage", pointer="/peft_type")
    rank, targets, parameters = data.get("r"), data.get("target_modules"), _names(data.get("target_parameters"))
    if not isinstance(rank, int) or isinstance(rank, bool) or rank < 1:
        raise Refused(f"{FILE} gives no rank", code="usage", pointer="/r")
    if not isinstance(targets, str) and not _names(targets) and not parameters:
        raise Refused(f"{FILE} names no target modules", code="usage", pointer="/target_modules")
    ranks = data.get("rank_pattern")
    layers = data.get("layers_to_transform")
    return Adapter(
        "dora" if data.get("use_dora") else "lora", rank,
        {k: v for k, v in ranks.items() if _whole(v)} if isinstance(ranks, dict) else {},
        targets if isinstance(targets, str) else _names(targets), _either(data.get("exclude_modules")), parameters,
        None if layers is None else frozenset(n for n in (layers if isinstance(layers, list) else [layers]) if _whole(n)),
        _names(data.get("layers_pattern")), _names(data.get("modules_to_save")), bool(data.get("use_dora")), str(data.get("bias", "none")),
    )  # fmt: skip


def adapter_rows(found: Adapter, rows: Sequence[Row], stored: Sequence[Row] = ()) -> list[Row]:
    """The trained tensors: A `[r, in]` and B `[out, r]` a target (and a magnitude `[out]` with DoRA), modules that are saved whole.

    `rows` have the names of modules, `stored` those of the checkpoint: where transformers 5 keeps experts in one tensor, a target that
    names an expert's matrix is one pair an expert, as with the modules of transformers 4. A parameter of experts `[E, in, out]` that is
    named itself gets A `[r E, in]` and B `[out, r E]`. Raises Refused where nothing is matched, as PEFT does.
    """
    out = [low for row in rows for low in _trained(found, row)]
    if found.targets != ALL:
        experts = found._replace(saved=(), biases="none")
        out += [low for row in stored if fused(row) for low in _trained(experts, row)]
    if not any(row.name.endswith((".lora_A", ".lora_B")) for row in out):
        said = found.targets if isinstance(found.targets, str) else ", ".join(found.targets or found.parameters)
        raise Refused(f"{FILE}: no module of the model is called {said}", code="XF911", pointer="/target_modules")
    return out


def fused(row: Row) -> bool:
    """Whether a checkpoint's tensor of one expert lies in a tensor of all in transformers."""
    return row.experts is not None and row.module is not None and "{expert}" not in row.module


def _trained(found: Adapter, row: Row) -> Iterator[Row]:
    """What of one row is trained, its layers apart where they differ."""
    if row.kind != "parameter":
        return
    module = row.name.removesuffix(".weight").removesuffix(".bias")
    if any(_expression(rf"(^|.*\.){name}($|\..*)").match(module) for name in found.saved):
        yield row._replace(tied_to=None)
        return
    bias = row.name.endswith("bias")
    if bias and found.biases == "all":
        yield row
        return
    by_rank: dict[int, list[int]] = {}
    for layer in row.layers or (0,):
        rank = _rank(found, row, row.name.replace("{layer}", str(layer)).replace("{expert}", "0"), bias=bias)
        if rank:
            by_rank.setdefault(rank, []).append(layer)
    for rank, layers in by_rank.items():
        own = row if row.layers is None else row._replace(layers=LayerSet.of(layers))
        yield from (own,) if bias else _matrices(own, module, rank, magnitudes=found.magnitudes)


def _matrices(row: Row, module: str, rank: int, *, magnitudes: bool) -> Iterator[Row]:
    *experts, rows, columns = row.shape
    inner = rank * (experts[0] if experts else 1)
    plain = row._replace(dtype=None, tied_to=None)
    yield plain._replace(name=f"{module}.lora_A", shape=(inner, columns))
    yield plain._replace(name=f"{module}.lora_B", shape=(rows, inner))
    if magnitudes and not experts:
        turned = row.transposed or row.role.component == "token_embedding"
        yield plain._replace(name=f"{module}.lora_magnitude_vector", shape=(columns if turned else rows,))


def _rank(found: Adapter, row: Row, name: str, *, bias: bool) -> int:
    """The rank of one layer's tensor, 0 where it is not adapted."""
    module = name.removesuffix(".weight").removesuffix(".bias")
    if bias:
        if found.biases != "lora_only" or not _named(found.targets, module) or not _chosen(found, module):
            return 0
    elif any(_is(name, parameter) for parameter in found.parameters):
        if len(row.shape) not in (2, 3):
            return 0
    elif not _targeted(found, module, row):
        return 0
    return next((r for key, r in found.ranks.items() if _expression(rf"(.*\.)?({key})$").match(module)), found.rank)


def _targeted(found: Adapter, module: str, row: Row) -> bool:
    if len(row.shape) != 2 or not row.name.endswith(".weight") or _named(found.excluded, module):
        return False
    if found.targets == ALL:
        return row.role.multiplies and row.role.component not in NOT_LINEAR
    matrix = row.role.multiplies or row.role.component == "token_embedding"
    return matrix and _named(found.targets, module) and _chosen(found, module)


def _chosen(found: Adapter, module: str) -> bool:
    """Whether `layers_to_transform` leaves the module in, its layer found as PEFT finds it (`check_target_module_exists`)."""
    if not found.layers:
        return True
    for name in found.pattern or (r"[^.]*",):
        index = _expression(rf"(?:^|.*?\.){name}\.(\d+)\.").match(module)
        if index is not None:
            return int(index[1]) in found.layers
    return False


def _named(names: str | tuple[str, ...], module: str) -> bool:
    if isinstance(names, str):
        return bool(names) and _expression(names).fullmatch(module) is not None
    return any(_is(module, name) for name in names)


def _expression(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise Refused(f"{FILE}: {text!r} is no regular expression: {error}", code="usage", pointer="/target_modules") from error


def _is(module: str, name: str) -> bool:
    """Whether a module has this name, or this end of its name, as PEFT compares them."""
    return module == name or module.endswith("." + name)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _names(value: Any) -> tuple[str, ...]:
    """Texts of a list, or the one that stands alone."""
    given: Iterable[Any] = [value] if isinstance(value, str) else value if isinstance(value, list) else ()
    return tuple(name for name in given if isinstance(name, str) and name)


def _either(value: Any) -> str | tuple[str, ...]:
    """A list of names, or one expression."""
    return value if isinstance(value, str) else _names(value)
