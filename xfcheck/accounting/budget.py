"""The budget of a config: every number under its contract name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ..problems import Usage
from .cache import ENGINES, cache
from .crossovers import crossovers
from .dtypes import WIDTHS, full_name
from .flops import by_component, forward, matmul, padding
from .memory import memory, weight_bytes
from .moe import moe
from .parameters import parameters
from .run import Run
from .storage import storage
from .walk import mixers

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..devices import Device
    from ..documents.folder import ModelFolder
    from ..model import Model

RECOMPUTATION = ("none", "selective", "full")
PACKED = "fp8_ds_mla"
"""A cache dtype that is a layout of vLLM's latents."""


class Options(NamedTuple):
    """What a budget is asked for. Null: the default of the contract.

    `batch` sequences; `context` tokens each; `dtype` and `cache_dtype` in any spelling; `engine` in whose terms the cache is counted;
    `source` the encoder's tokens. `block_size` to `rollbacks`: settings of engines (`engines.Ask`). `training`: the optimizer, `recompute`:
    which activations are computed again. `conventions`: published ways to count FLOPs. `tokens_per_second`: measured, on all `devices`
    devices of the kind `device` (an id of `xfcheck devices`, or of the YAML file `devices_file`). `memory_utilisation`: the share of the
    device's memory that may be used. `formulas`: each number with its formula.
    """

    batch: int = 1
    context: int | None = None
    dtype: str | None = None
    cache_dtype: str | None = None
    engine: str = "logical"
    source: int | None = None
    block_size: int = 16
    max_batched_tokens: int = 8192
    hybrid: bool = True
    state_dtype: str = "float32"
    ubatch: int = 512
    unified: bool = True
    absorbed: bool = True
    rollbacks: int = 0
    training: str | None = None
    recompute: str = "selective"
    conventions: tuple[str, ...] = ()
    tokens_per_second: float | None = None
    device: str | None = None
    devices: int = 1
    devices_file: str | None = None
    memory_utilisation: float = 1.0
    formulas: bool = False

    def check(self) -> None:
        """Raises Usage for a name that is not known."""
        _one_of("engine", self.engine, tuple(ENGINES))
        _one_of("recomputation", self.recompute, RECOMPUTATION)
        for name in (self.dtype, self.cache_dtype, self.state_dtype):
            if name is not None and not (name == PACKED and self.engine == "vllm" and name != self.dtype):
                _known(name)
        if self.training is not None:
            from .training import OPTIMIZERS

            _one_of("optimizer", self.training, OPTIMIZERS)
        if self.conventions:
            from .conventions import CONVENTIONS

            for name in self.conventions:
                _one_of("convention", name, (*CONVENTIONS, "all"))
        if self.device is not None:
            self.accelerator(self.device)
        if self.tokens_per_second is not None and not self.tokens_per_second > 0:
            raise Usage("--tokens-per-second is a number above 0")
        if not 0 < self.memory_utilisation <= 1:
            raise Usage("--memory-utilisation is a share above 0 and at most 1")

    def accelerator(self, name: str) -> Device:
        """The device of that id. Raises Usage for an unknown one."""
        from ..devices import find

        return find(name, self.devices_file)


FALLBACK = 4096
"""Context where neither the flag, nor xfcheck.yaml, nor the file says one (contract)."""


def budget(model: Model, options: Options) -> dict[str, Any]:
    """The JSON object of `budget` without its envelope. Raises Usage for a name in the options that is not known."""
    a = model.architecture
    options.check()
    context = _context(model, options)
    source = source_tokens(a, context if options.source is None else options.source)
    dtype = _dtype(model, options.dtype)
    cache_dtype = (
        dtype if options.cache_dtype is None else options.cache_dtype if options.cache_dtype == PACKED else _known(options.cache_dtype)
    )
    prefill = Run(options.batch, context, 0, source)

    def kept(batch: int, tokens: int) -> dict[str, Any]:
        return cache(
            a, batch=batch, context=tokens, source=source, dtype=cache_dtype, engine=options.engine, model_dtype=dtype,
            block_size=options.block_size,
            max_batched_tokens=options.max_batched_tokens, hybrid=options.hybrid, state_dtype=_known(options.state_dtype),
            ubatch=options.ubatch,
            unified=options.unified, absorbed=options.absorbed, rollbacks=options.rollbacks,
        )  # fmt: skip

    held = kept(options.batch, context)
    first = forward(a, model.rows, prefill)
    decode = None if encodes_only(a) else forward(a, model.rows, Run(options.batch, 1, context, source))
    disk = storage(model, dtype)
    weights = (
        disk["bytes"] if disk["method"] != "none" and options.dtype is None and disk["bytes"] is not None else weight_bytes(model, dtype)
    )
    needs = memory(model, prefill, dtype=dtype, cache_bytes=held["bytes"], weights=weights)
    flops = {
        "multiply_add": 2,
        "prefill": {"batch": options.batch, "tokens": context, **first},
        "decode": None if decode is None else {"batch": options.batch, "context": context, **decode},
        "training_per_token": 3 * first["total_full"] // (options.batch * context) if context else None,
        **_breakdown(model, prefill, first, options),
    }
    if options.training is not None:
        from .training import training

        needs["training"] = training(
            model, prefill, dtype=dtype, optimizer=options.training, recompute=options.recompute, weight_bytes=weights
        )
    deploy, train = _settings(model)
    out = {
        "model_type": model.model_type,
        "architecture": _architecture(model),
        "family": model.family,
        "fidelity": model.fidelity,
        "fidelity_by": model.fidelity_by,
        "verified_by": model.verified_by,
        "assumptions": [{"field": x.field, "value": x.value, "why": x.why} for x in model.assumptions],
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
        "crossovers": crossovers(a, flops["prefill"], held, weights),
    }
    return _asked(model, options, out, kept, dtype, context)


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


def _breakdown(model: Model, run: Run, first: dict[str, int], options: Options) -> dict[str, Any]:
    """By component, the head on all positions or the last alone, and a training step with what is computed again."""
    filled = padding(model.architecture)
    parts = by_component(model.rows, run, attention=first["attention_full"], scan=first["scan"], padding=filled)
    head = [row for row in model.rows if row.role.component == "head"]
    logits = matmul(head, replace(run, padding=filled))
    again = {"none": 0, "selective": first["attention_full"], "full": first["total_full"] - logits}[options.recompute]
    tokens = options.batch * run.new or 1
    return {
        "prefill_by_component": parts,
        "logits": {"all_positions": logits, "last_position": matmul(head, replace(run, new=1, padding=filled)) if run.new else 0},
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
    return _settings(model)[0]("context_length") or model.architecture.maximum_positions or FALLBACK


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


def _one_of(what: str, name: str, known: tuple[str, ...]) -> None:
    if name not in known:
        raise Usage(f"unknown {what} {name!r}; one of {', '.join(known)}")


def _architecture(model: Model) -> str | None:
    from ..families._read.head import architecture_name

    return architecture_name(model.settings)
