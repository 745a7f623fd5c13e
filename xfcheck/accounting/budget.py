"""The budget of a config: every number under its contract name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..problems import Usage
from .cache import ENGINES, cache
from .dtypes import WIDTHS, full_name, size
from .flops import forward
from .memory import memory
from .moe import moe
from .parameters import parameters
from .run import Run
from .walk import mixers

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..model import Model


@dataclass(frozen=True, slots=True)
class Options:
    """What a budget is asked for. Null: the default of the contract.

    `batch` sequences; `context` tokens each; `dtype` and `cache_dtype` in any spelling; `engine` in whose terms the cache is counted;
    `source` the encoder's tokens.
    """

    batch: int = 1
    context: int | None = None
    dtype: str | None = None
    cache_dtype: str | None = None
    engine: str = "logical"
    source: int | None = None


    def check(self) -> None:
        """Raises Usage for an engine or a dtype that is not known."""
        if self.engine not in ENGINES:
            raise Usage(f"unknown engine {self.engine!r}; one of {', '.join(ENGINES)}")
        for name in (self.dtype, self.cache_dtype):
            if name is not None:
                _known(name)


FALLBACK = 4096
"""Context where neither the flag, nor xfcheck.yaml, nor the file says one (contract)."""


def budget(model: Model, options: Options) -> dict[str, Any]:
    """The JSON object of `budget` without its envelope. Raises Usage for an engine or a dtype that is not known."""
    a = model.architecture
    options.check()
    context = _context(model, options)
    source = source_tokens(a, context, options.source)
    dtype = _dtype(model, options.dtype)
    cache_dtype = dtype if options.cache_dtype is None else _known(options.cache_dtype)
    prefill = Run(options.batch, context, 0, source)
    kept = cache(a, batch=options.batch, context=context, source=source, dtype=cache_dtype, engine=options.engine)
    first = forward(a, model.rows, prefill)
    decode = None if encodes_only(a) else forward(a, model.rows, Run(options.batch, 1, context, source))
    return {
        "model_type": model.model_type,
        "architecture": _architecture(model),
        "family": model.family,
        "fidelity": model.fidelity,
        "fidelity_by": model.fidelity_by,
        "verified_by": model.verified_by,
        "assumptions": [{"field": x.field, "value": x.value, "why": x.why} for x in model.assumptions],
        "parameters": parameters(model.rows),
        "flops": {
            "multiply_add": 2,
            "prefill": {"batch": options.batch, "tokens": context, **first},
            "decode": None if decode is None else {"batch": options.batch, "context": context, **decode},
            "training_per_token": 3 * first["total_full"] // (options.batch * context) if context else None,
        },
        "cache": kept,
        "storage": _storage(model, dtype),
        "memory": memory(model, prefill, dtype=dtype, cache_bytes=kept["bytes"]),
        "moe": moe(a, tokens=options.batch * context, dtype=dtype),
    }


def source_tokens(a: Architecture, context: int, asked: int | None) -> int:
    """Tokens of an encoder's input: those asked for, else the context; the length that every input is filled up to where there is one.

    An encoder alone takes the context, and a model without an encoder none.
    """
    encoder = next((s for s in a.stacks if s.stream == "encoder"), None)
    if encoder is None:
        return 0
    if encoder.fixed_length is not None:
        return encoder.fixed_length
    return context if asked is None or all(s.stream == "encoder" for s in a.stacks) else asked


def encodes_only(a: Architecture) -> bool:
    """Whether nothing is kept between passes and no stack is causal: there is no decode step."""
    causal = ("causal", "sliding", "chunked", "prefix", "indexed", "document", "cross")
    for placed in mixers(a):
        mask = getattr(placed.mixer, "mask", None)
        if placed.stack.stream != "encoder" and (placed.mixer.component in ("ssm", "linear_attention", "convolution") or (mask is not None and mask.kind in causal) or getattr(placed.mixer, "cached", None)):
            return False
    return True


def _context(model: Model, options: Options) -> int:
    if options.context is not None:
        return options.context
    deploy = model.folder.xfcheck.deploy
    given = None if deploy is None else deploy.context_length
    return given or model.architecture.maximum_positions or FALLBACK


def _dtype(model: Model, asked: str | None) -> str:
    if asked is not None:
        return _known(asked)
    if model.architecture.dtype is not None:
        return model.architecture.dtype
    model.settings.assume("dtype", "bfloat16", "the file gives no dtype")
    return "bfloat16"


def _known(name: str) -> str:
    found = full_name(name)
    if found is None:
        raise Usage(f"unknown dtype {name!r}; one of bf16, fp16, fp32, fp8, {', '.join(WIDTHS)}")
    return found


def _architecture(model: Model) -> str | None:
    from ..families._read.head import architecture_name

    return architecture_name(model.settings)


def _storage(model: Model, dtype: str) -> dict[str, Any]:
    """What a checkpoint holds. A quantised one is not counted yet: null, never a guess."""
    stored = [row for row in model.rows if row.stored]
    elements = sum(row.elements for row in stored)
    quantized = model.architecture.quantization
    if quantized is not None:
        return {"method": str(quantized.get("quant_method", "unknown")), "bytes": None, "stored_elements": None, "logical_elements": elements, "high_precision": []}
    held = sum(size(row.elements, row.dtype or dtype) for row in stored)
    return {"method": "none", "bytes": held, "stored_elements": elements, "logical_elements": elements, "high_precision": []}
