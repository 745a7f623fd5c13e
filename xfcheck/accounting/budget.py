"""The budget of a config: every number under its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ..problems import Usage
from .cache import cache
from .crossovers import crossovers
from .flops import by_component, forward, matmul, padding
from .islands import islands
from .memory import memory, weight_bytes
from .moe import moe
from .options import SHARED, Options, known_cache_dtype, known_dtype
from .parameters import parameters
from .run import Run
from .runnable import OF_A_PASS, obstacles, position_rows
from .storage import storage
from .walk import mixers

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..devices import Device
    from ..documents.folder import ModelFolder
    from ..model import Model

__all__ = ["Options", "budget", "encodes_only", "source_tokens"]

HELD = ("logical", "transformers")
"""Engines whose caches are compared with a reference for every family."""
FALLBACK = 4096
"""Context where neither the flag, nor xfcheck.yaml, nor the file says one."""


def budget(model: Model, options: Options) -> dict[str, Any]:
    """The JSON object of `budget` without its envelope. Raises Usage for a name in the options that is not known."""
    a = model.architecture
    options.check()
    context = _context(model, options)
    source = source_tokens(a, context if options.source is None else options.source)
    dtype = _dtype(model, options.dtype)
    cache_dtype = dtype if options.cache_dtype is None else known_cache_dtype(options.cache_dtype, options.engine)
    prefill = Run(options.batch, context, 0, source)

    def kept(batch: int, tokens: int, ranks: int = 1) -> dict[str, Any]:
        read = source_tokens(a, tokens if options.source is None else options.source)
        return cache(
            a, batch=batch, context=tokens, source=read, dtype=cache_dtype, engine=options.engine, model_dtype=dtype,
            block_size=options.block_size,
            max_batched_tokens=options.max_batched_tokens, hybrid=options.hybrid, state_dtype=known_dtype(options.state_dtype),
            ubatch=options.ubatch,
            unified=options.unified, absorbed=options.absorbed, rollbacks=options.rollbacks, ranks=ranks,
        )  # fmt: skip

    held = kept(options.batch, context)
    ranks = options.tensor_parallel or _settings(model)[0]("tensor_parallel") or 1
    if ranks > 1 and options.engine in SHARED:
        share = kept(options.batch, context, ranks)
        names = ("bytes", "bytes_per_token", "constant_bytes", "unknown_layout")
        held["per_rank"] = {"tensor_parallel": ranks, **{name: share[name] for name in names if name in share}}
    disk = storage(model, dtype)
    weights = (
        disk["bytes"] if disk["method"] != "none" and options.dtype is None and disk["bytes"] is not None else weight_bytes(model, dtype)
    )
    needs = memory(model, prefill, dtype=dtype, cache_bytes=held["bytes"], weights=weights)
    flops = _flops(model, prefill, options)
    rests = list(islands(model, _architecture(model), dtype, weights))
    if options.training is not None:
        from .training import training

        needs["training"], why = training(
            model, prefill, dtype=dtype, optimizer=options.training, recompute=options.recompute, weight_bytes=weights
        )
        rests += why
    deploy, train = _settings(model)
    doubts = _doubts(a, options.engine, prefill, cache_dtype)
    out = {
        "model_type": model.model_type,
        "architecture": _architecture(model),
        "family": model.family,
        **_fidelity(model, options.engine, {part for parts, _ in doubts for part in parts}),
        "assumptions": [{"field": x.field, "value": x.value, "why": x.why} for x in model.assumptions] + [why for _, why in doubts] + rests,
        "parameters": parameters(model.rows),
        "flops": flops,
        "cache": held,
        "storage": disk,
        "memory": needs,
        "moe": moe(
            a,
            tokens=options.batch * context,
            dtype=dtype,
            expert_parallel=deploy("expert_parallel") or 1,
            capacity_factor=train("capacity_factor"),
        ),
        "crossovers": crossovers(a, flops["prefill"], held, lambda n: kept(options.batch, n)["bytes"], weights),
    }
    return _asked(model, options, out, kept, dtype, context)


def _flops(model: Model, prefill: Run, options: Options) -> dict[str, Any]:
    """A pass over the context, the pass of one token after it, a training step."""
    a, context = model.architecture, prefill.new
    first = forward(a, model.rows, prefill)
    decode = None if encodes_only(a) else forward(a, model.rows, Run(options.batch, 1, context, prefill.source))
    return {
        "multiply_add": 2,
        "prefill": {"batch": options.batch, "tokens": context, **first},
        "decode": None if decode is None else {"batch": options.batch, "context": context, **decode},
        "training_per_token": 3 * first["total_full"] // (options.batch * context) if context else None,
        **_breakdown(model, prefill, first, options),
    }


def _asked(model: Model, options: Options, out: dict[str, Any], kept: Any, dtype: str, context: int) -> dict[str, Any]:
    """The parts that only some ask for: conventions, a device, utilisation, formulas."""
    if options.conventions:
        from .conventions import CONVENTIONS, conventions

        names = CONVENTIONS if "all" in options.conventions else options.conventions
        out["flops"]["conventions"] = conventions(names, model, context)
    device = _device(model, options)
    if device is not None:
        from .on_device import on_device

        out["device"] = on_device(
            device, model, out, kept, dtype=dtype, step_tokens=options.max_batched_tokens, utilisation=options.memory_utilisation
        )
    if options.tokens_per_second is not None:
        from .utilisation import utilisation

        out["utilisation"] = utilisation(out["flops"], options.tokens_per_second, device, options.devices, dtype)
    if options.formulas:
        from .formulas import formulas

        out["formulas"] = formulas(model, out)
        _compare_index(model, out["storage"])
    return out


def _fidelity(model: Model, engine: str, doubted: set[str]) -> dict[str, Any]:
    """What each part is held to. Caches of engines that are no reference are held to public logs, not family by family: `estimated`."""
    weak = doubted if engine in HELD else doubted | {"cache"}
    by = {part: "estimated" if part in weak else value for part, value in model.fidelity_by.items()}
    return {
        "fidelity": "exact" if all(value == "exact" for value in by.values()) else "estimated",
        "fidelity_by": by,
        "verified_by": {part: source for part, source in model.verified_by.items() if part not in weak},
    }


def _doubts(a: Architecture, engine: str, run: Run, cache_dtype: str) -> list[tuple[tuple[str, ...], dict[str, Any]]]:
    """(parts, assumption) for what no reference can say of this run: a pass that does not run, a cache in a dtype that it never has."""
    out: list[tuple[tuple[str, ...], dict[str, Any]]] = [
        (OF_A_PASS, {"field": f"/{what}", "value": None, "why": why}) for what, why in obstacles(a, run.new, run.source)
    ]
    if engine == "transformers" and cache_dtype not in ("float32", "float16", "bfloat16"):
        why = "the cache of transformers has the dtype of the model; a quantised one keeps the latest tokens whole"
        out.append((("cache",), {"field": "/cache_dtype", "value": cache_dtype, "why": why}))
    return out


def _device(model: Model, options: Options) -> Device | None:
    """The device asked for, else that of xfcheck.yaml where it is known: an open name there stops nothing."""
    if options.device is not None:
        return options.accelerator(options.device)
    name = _settings(model)[0]("device")
    if name is None:
        return None
    try:
        return options.accelerator(str(name))
    except Usage:
        return None


def _compare_index(model: Model, disk: dict[str, Any]) -> None:
    """Add the size that a checkpoint's index gives, and by how much the computed one differs."""
    folder = cast("ModelFolder | None", model.folder)
    index = None if folder is None else folder.index
    total = None if index is None else index.metadata.get("total_size")
    if isinstance(total, int):
        disk["index_bytes"] = total
        disk["index_difference"] = None if disk["bytes"] is None else disk["bytes"] - total


def _breakdown(model: Model, run: Run, first: dict[str, int], options: Options) -> dict[str, Any]:
    """By component, the head on all positions or the last alone, and a training step with what is computed again."""
    filled = padding(model.architecture)
    parts = by_component(model.rows, run, attention=first["attention_full"], scan=first["scan"], padding=filled)
    head = [row for row in model.rows if row.role.component == "head"]
    logits = matmul(head, run._replace(padding=filled))
    again = {"none": 0, "selective": first["attention_full"], "full": first["total_full"] - logits}[options.recompute]
    tokens = options.batch * run.new or 1
    return {
        "prefill_by_component": parts,
        "logits": {"all_positions": logits, "last_position": matmul(head, run._replace(new=1, padding=filled)) if run.new else 0},
        "training": {
            "forward_per_token": first["total_full"] // tokens, "backward_per_token": 2 * first["total_full"] // tokens,
            "recomputation": options.recompute,
            "recomputation_per_token": again // tokens, "total_per_token": (3 * first["total_full"] + again) // tokens,
        },
    }  # fmt: skip


def source_tokens(a: Architecture, asked: int) -> int:
    """Tokens of an encoder's input: those asked for, the length that every input is filled up to, or 0 without an encoder."""
    encoder = next((s for s in a.stacks if s.stream == "encoder"), None)
    return 0 if encoder is None else encoder.fixed_length or asked


def encodes_only(a: Architecture) -> bool:
    """Whether nothing is kept between passes and no stack is causal: there is no decode step."""
    causal = ("causal", "sliding", "chunked", "prefix", "indexed", "document", "cross")
    for placed in mixers(a):
        mask = getattr(placed.mixer, "mask", None)
        if placed.stack.stream != "encoder" and (
            placed.mixer.component in ("ssm", "linear_attention", "convolution")
            or (mask is not None and mask.kind in causal)
            or getattr(placed.mixer, "cached", None)
        ):
            return False
    return True


def _settings(model: Model) -> tuple[Any, Any]:
    """Keys of deploy and train in xfcheck.yaml, null where there is none."""
    folder = cast("ModelFolder | None", model.folder)
    if folder is None:
        return (lambda key: None), (lambda key: None)
    settings = folder.xfcheck
    return (lambda key: getattr(settings.deploy, key, None)), (lambda key: getattr(settings.train, key, None))


def _context(model: Model, options: Options) -> int:
    if options.context is not None:
        return options.context
    a = model.architecture
    written = _settings(model)[0]("context_length")
    return written or min(filter(None, (a.maximum_positions, position_rows(a, a.main))), default=FALLBACK)


def _dtype(model: Model, asked: str | None) -> str:
    if asked is not None:
        return known_dtype(asked)
    if model.architecture.dtype is not None:
        return model.architecture.dtype
    model.settings.assume("dtype", "bfloat16", "the file gives no dtype")
    return "bfloat16"


def _architecture(model: Model) -> str | None:
    from ..families._read.head import architecture_name

    return architecture_name(model.settings)
