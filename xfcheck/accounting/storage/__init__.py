"""What a checkpoint holds on disk: tensors as they lie, quantised ones with their scales.

One module a quantisation method, each with `scheme(config)`.

A scheme says which bytes stand in the place of one matrix and which modules keep their precision. `bytes` are of tensor data: without the
JSON header of a safetensors file (about 113 bytes a tensor) and without bitsandbytes' JSON texts. A method or a layout that is not known
gives null.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ..dtypes import size

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...documents.folder import ModelFolder
    from ...ledger import Row
    from ...model import Model

METHODS = {
    "fp8": "fp8", "fbgemm_fp8": "fbgemm_fp8", "compressed-tensors": "compressed_tensors", "modelopt": "modelopt", "mxfp4": "mxfp4",
    "gptq": "gptq", "awq": "awq",
    "bitsandbytes": "bitsandbytes", "mlx": "mlx", "hqq": "hqq", "aqlm": "aqlm",
}  # fmt: skip
"""`quant_method` -> module of this package."""

LOGICAL_ONLY = ("head", "router", "token_embedding", "position_embedding", "norm")
"""Components whose matrices every method keeps, but those that say so."""


class Tensor(NamedTuple):
    """What stands in the place of one matrix.

    Elements of all its tensors, their bytes, and elements that a logical count has more (biases that a method writes).
    """

    elements: int
    bytes: int
    added: int = 0


class Scheme(NamedTuple):
    """A method as a config describes it.

    `tensor(out, in, biased)` replaces one matrix. `keeps` says of a module's full name (with `0` for layer and expert) whether it keeps its
    precision, `by_layer` of which layers alone. `unties`: a tied head is stored as a tensor of its own. `embeddings`: embedding and head
    are quantised too. `only`: the components that are quantised, null for all; `never`: parts of a mixer that are not. `patterns`: all
    patterns, those of single layers too. `checked`: the layout was held to published files. `extra_per_cache`: 32-bit scalars of a layer's
    cache.
    """

    method: str
    tensor: Callable[[int, int, bool], Tensor]
    keeps: Callable[[str], bool]
    unties: bool = False
    embeddings: bool = False
    only: tuple[str, ...] | None = None
    never: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    checked: bool = True
    extra_per_cache: int = 0


def storage(model: Model, dtype: str) -> dict[str, Any]:
    """The `storage` object of the budget.

    `stored_elements` are of every tensor as it stands (a packed word is one, padding counts), `logical_elements` of the matrices before
    packing. Of a quantised checkpoint draft layers that published files hold count too (`with_draft_layers`).
    """
    method, config = described(model)
    rows = [row for row in model.rows if row.stored]
    if method is None:
        elements = sum(row.stored_elements for row in rows)
        held = sum(size(row.stored_elements, row.dtype or dtype) for row in rows)
        return {"method": "none", "bytes": held, "stored_elements": elements, "logical_elements": elements, "high_precision": []}
    found = _scheme(method, config, model)
    if found is None:
        return {
            "method": method,
            "bytes": None,
            "stored_elements": None,
            "logical_elements": sum(row.stored_elements for row in rows),
            "high_precision": [],
        }
    from .fold import fold

    return fold(model, found, model.architecture.dtype or dtype)


def described(model: Model) -> tuple[str | None, dict[str, Any]]:
    """(method, its settings) from the config, from hf_quant_config.json beside it, or from MLX's `quantization`; (null, {}) for none."""
    config = model.architecture.quantization
    if config is not None:
        return str(config.get("quant_method") or ("mlx" if {"bits", "group_size"} <= config.keys() else "unknown")), config
    folder = cast("ModelFolder | None", model.folder)
    data: Any = None if folder is None or folder.config is None else folder.config.data
    plain = data.get("quantization") if isinstance(data, dict) else None
    if isinstance(plain, dict) and "bits" in plain:
        return "mlx", plain
    side = None if folder is None or "hf_quant_config.json" not in folder.beside() else folder.side("hf_quant_config.json")
    inner = side.data.get("quantization") if side is not None and isinstance(side.data, dict) else None
    return ("modelopt", inner) if isinstance(inner, dict) and inner.get("quant_algo") else (None, {})


def _scheme(method: str, config: dict[str, Any], model: Model) -> Scheme | None:
    name = METHODS.get(method)
    if name is None or model.settings.data.get("expert_dtype") is not None:  # experts in a format of their own (DeepSeek-V4)
        return None
    try:
        found: Scheme | None = import_module(f"{__package__}.{name}").scheme(config)
        if found is not None and min(found.tensor(64, 64, False)[:2]) < 1:  # settings that no file has
            return None
    except (TypeError, ValueError, KeyError, AttributeError, ZeroDivisionError):
        return None
    return found


def quantisable(row: Row, scheme: Scheme) -> bool:
    """Whether a row's matrices are linear maps that the method takes."""
    if len(row.shape) < 2 or row.kind not in ("parameter", "not_loaded"):
        return False
    component = row.role.component
    if component in ("head", "token_embedding"):
        return scheme.embeddings
    if not row.role.multiplies or component in LOGICAL_ONLY or (row.kind == "not_loaded" and component == "other"):
        return False
    if (scheme.only is not None and component not in scheme.only) or row.role.part in scheme.never:
        return False
    return len(row.shape) == 2 or (len(row.shape) == 3 and component in ("experts", "shared_experts"))
