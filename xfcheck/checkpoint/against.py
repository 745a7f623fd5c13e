"""A checkpoint against a config: the tensors that the ledger expects, and those that headers or an index list.

Without torch and without reading a tensor. Names may be those of today, of older versions, or of transformers' modules; a base model may
stand with or without its prefix. Quantised tensors are told by what stands in the place of a matrix (a packed word, a scale).
"""

from __future__ import annotations

import re
import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from ..ledger import expand, modules
from .naming import BUFFERS, fold, naming

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..documents.folder import ModelFolder
    from ..ledger import Row
    from ..model import Model
    from ..rules._context import Context
    from .files import Checkpoint, Tensor

DTYPES = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I64": "int64", "I32": "int32", "I8": "int8", "U8": "uint8",
    "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2", "BOOL": "bool",
}  # fmt: skip
"""Dtypes of the safetensors format by the names of torch."""
FLOATS = ("float64", "float32", "float16", "bfloat16")
IN_PLACE = (
    "weight_packed", "qweight", "weight_scale_inv", "weight_scale", "weight_scale_2", "weight_zero_point", "weight_shape", "weight_g_idx",
    "weight_global_scale", "input_global_scale", "input_scale", "activation_scale", "output_scale", "qzeros", "scales", "g_idx", "biases",
    "SCB", "weight_format", "k_scale", "v_scale", "q_scale", "codes", "codebooks", "W_q", "scale", "zero", "meta",
)  # fmt: skip
"""Last parts of the names of tensors that quantisation methods put beside a matrix or in its place."""
BLOCKS = ("_blocks", "_scales")
CARRIERS = ("weight_packed", "qweight", "codes", "W_q")
"""The parts among them that hold a matrix's own values; where a method keeps the name `weight`, that holds them."""
_STEM = re.compile(r"^(?P<stem>.+)\.weight\.(?:absmax|quant_map|nested_absmax|nested_quant_map|quant_state\.\w+)$")
MOST = 200
"""Folded entries of one kind that a report lists."""


class Entry(NamedTuple):
    """Tensors that differ in one way, folded over layers and experts; `expected` and `found` are shapes or dtypes, null where absent."""

    name: str
    layers: str | None
    experts: str | None
    tensors: int
    expected: Any = None
    found: Any = None
    role: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The object of a report."""
        return self._asdict()


@dataclass(slots=True)
class Comparison:
    """What differs.

    `tied` are tensors stored though the config ties them, `not_loaded` those that transformers leaves out (draft layers, old buffers),
    `quantised` how many tensors stand in place of others; none of these three is a difference. `expected`: tensors of the ledger.
    """

    naming: str
    headers: bool
    expected: int
    found: int
    missing: list[Entry] = field(default_factory=list)
    unexpected: list[Entry] = field(default_factory=list)
    shape: list[Entry] = field(default_factory=list)
    dtype: list[Entry] = field(default_factory=list)
    tied: list[Entry] = field(default_factory=list)
    not_loaded: list[Entry] = field(default_factory=list)
    quantised: int = 0
    bytes_expected: int | None = None
    bytes_found: int | None = None

    @property
    def agrees(self) -> bool:
        """Whether a loader would find every tensor, of its shape and dtype, and no other."""
        return not (self.missing or self.unexpected or self.shape or self.dtype)


def against(model: Model, checkpoint: Checkpoint) -> Comparison:
    """Compare the tensors of a checkpoint with those of the model's ledger."""
    rows, words = _basis(model, checkpoint)
    expected = dict(expand(rows))
    by = naming(checkpoint.tensors, expected)
    found: dict[str, tuple[str, Tensor]] = {}
    for name, tensor in checkpoint.tensors.items():
        found.setdefault(by.rename(name), (name, tensor))
    out = Comparison(words or by.words, checkpoint.headers, 0, len(checkpoint.tensors))
    packed = _packed(found, expected, quantised=model.architecture.quantization is not None)
    out.quantised = len(packed.companions)
    _match(out, model, expected, found, packed)
    _strangers(out, model, expected, found, packed)
    _sizes(out, model, checkpoint)
    return out


def _basis(model: Model, checkpoint: Checkpoint) -> tuple[list[Row], str | None]:
    """The ledger under the checkpoint's kind of names: as saved, or as transformers' modules where those fit more of the checkpoint."""
    saved = model.rows
    if not any(row.module is not None or row.split for row in saved):
        return saved, None
    names = list(checkpoint.tensors)
    held = modules(saved)
    first, second = dict(expand(saved)), dict(expand(held))
    better = sum(n in second for n in names) > sum(n in first for n in names)
    return (held, "names of transformers' modules") if better else (saved, None)


class _Packed(NamedTuple):
    """Quantised matrices.

    `companions`: names that belong to one. `replaced`: matrices that stand in another form; `carried`: those whose values are there.
    """

    companions: frozenset[str]
    replaced: frozenset[str]
    carried: frozenset[str]


def _packed(found: dict[str, tuple[str, Tensor]], expected: dict[str, Row], *, quantised: bool) -> _Packed:
    companions, replaced, carried = set(), set(), set()
    for name in found:
        if name in expected:
            continue
        stem, _, last = name.rpartition(".")
        whole = _STEM.match(name)
        matrix = f"{whole['stem']}.weight" if whole is not None else name.rpartition("_")[0] if name.endswith(BLOCKS) else f"{stem}.weight"
        if matrix in expected and (whole is not None or name.endswith(BLOCKS) or last in IN_PLACE):
            companions.add(name)
            replaced.add(matrix)
            if last in CARRIERS or name.endswith(BLOCKS[0]):
                carried.add(matrix)
        elif (last in ("k_scale", "v_scale", "q_scale", "input_scale") and quantised) or (
            last == "bias" and (f"{stem}.qweight" in found or f"{stem}.weight_scale" in found)
        ):
            companions.add(name)
    return _Packed(frozenset(companions), frozenset(replaced), frozenset(carried))


def _match(out: Comparison, model: Model, expected: dict[str, Row], found: dict[str, tuple[str, Tensor]], packed: _Packed) -> None:
    """The ledger's tensors: missing, or of another shape or dtype."""
    missing, shapes, dtypes, tied, drafts = [], {}, {}, [], []
    declared, wide = model.architecture.dtype, tuple(_class_facts(model).get("fp32") or ())
    for name, row in expected.items():
        here = found.get(name)
        if row.stored:
            out.expected += 1
            if here is None and name not in packed.carried:
                missing.append(name)
        if here is None:
            continue
        if row.kind == "not_loaded":
            drafts.append(name)
            continue
        if row.tied_to is not None and row.tied_to != name and row.role.component == "head":
            tied.append(name)
        tensor = here[1]
        if tensor.shape is None or tensor.dtype is None:
            continue
        if tensor.shape != row.stored_shape and not (name in packed.replaced and tensor.dtype not in ("F32", "F16", "BF16")):
            shapes[name] = (list(row.stored_shape), list(tensor.shape))
        wanted, have = row.dtype or declared, DTYPES.get(tensor.dtype, tensor.dtype)
        if wanted is not None and have != wanted and name not in packed.replaced and not _cast(row, wanted, have):
            if have == "float32" and any(f".{module}." in f".{name}" for module in wide):
                continue
            dtypes[name] = (wanted, have)
    out.missing = _entries(missing, expected, lambda n: (list(expected[n].stored_shape), None))
    out.shape = _entries(shapes, expected, lambda n: shapes[n])
    out.dtype = _entries(dtypes, expected, lambda n: dtypes[n])
    out.tied = _entries(tied, expected, lambda n: (None, None))
    out.not_loaded = _entries(drafts, expected, lambda n: (list(expected[n].stored_shape), None))


def _cast(row: Row, wanted: str, have: str) -> bool:
    """Whether a loader casts without loss of meaning: vectors and buffers are often kept in more bits than the matrices."""
    return have in FLOATS and wanted in FLOATS and (len(row.shape) < 2 or row.kind == "buffer" or row.role.component == "router")


def _strangers(out: Comparison, model: Model, expected: dict[str, Row], found: dict[str, tuple[str, Tensor]], packed: _Packed) -> None:
    """The checkpoint's tensors that the ledger has not."""
    left_out = [re.compile(p) for p in _class_facts(model).get("unexpected") or ()]
    shared = _shared(model)
    strange: list[str] = []
    old: list[str] = []
    tied: list[str] = []
    for name, (given, _) in found.items():
        if name in expected or name in packed.companions:
            continue
        if shared.get(name) in found or shared.get(name) in expected:
            tied.append(given)
            continue
        known = BUFFERS.search(name) is not None or any(p.search(given) or p.search(name) for p in left_out)
        (old if known else strange).append(given)
    tensors = dict(found.values())
    shapes = lambda n: (None, None if tensors[n].shape is None else list(tensors[n].shape or ()))  # noqa: E731
    out.unexpected = _entries(strange, expected, shapes)
    out.not_loaded += _entries(old, expected, shapes)
    out.tied += _entries(tied, expected, shapes)


def _shared(model: Model) -> dict[str, str]:
    """Names that are one tensor in the model's class, each to the other."""
    tied = _class_facts(model).get("tied")
    pairs = [(a, b) for a, b in tied.items() if isinstance(b, str)] if isinstance(tied, dict) else []
    return {**{b: a for a, b in pairs}, **dict(pairs)}


def _class_facts(model: Model) -> dict[str, Any]:
    """What the class table says of the model class that the config names; nothing where it names none."""
    table, given = model.settings.table, model.settings.data.get("architectures")
    name = given[0] if isinstance(given, list) and given else None
    return table.models.get(name, {}) if table is not None and isinstance(name, str) else {}


def _entries(names: Iterable[str], expected: dict[str, Row], values: Any) -> list[Entry]:
    """Names folded over layers and experts, apart by their two values."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(repr(values(name)), []).append(name)
    out = []
    for group in groups.values():
        for f in fold(group):
            wanted, have = values(f.first)
            row = expected.get(f.first)
            out.append(Entry(f.name, f.layers, f.experts, f.tensors, wanted, have, None if row is None else str(row.role)))
    return out[:MOST]


def _sizes(out: Comparison, model: Model, checkpoint: Checkpoint) -> None:
    from ..accounting.dtypes import size

    out.bytes_found = checkpoint.bytes if checkpoint.headers else checkpoint.total_size
    declared = model.architecture.dtype
    if model.architecture.quantization is None and declared is not None and not out.quantised:
        out.bytes_expected = sum(size(row.stored_elements, row.dtype or declared) for row in model.rows if row.stored)


_KEPT: weakref.WeakKeyDictionary[ModelFolder, Comparison | None] = weakref.WeakKeyDictionary()


def compared(context: Context) -> Comparison | None:
    """The comparison of a config with the checkpoint beside it, made once a folder; null where one of the two is not at hand."""
    from .files import checkpoint_of

    if context.folder not in _KEPT:
        checkpoint, model = checkpoint_of(context.folder), context.model
        _KEPT[context.folder] = None if checkpoint is None or model is None or not checkpoint.tensors else against(model, checkpoint)
    return _KEPT[context.folder]
