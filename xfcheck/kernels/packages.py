"""Attention of other packages: flash-attn 2, 3 and 4, flashinfer, xformers. Their tensors have the tokens before the heads.

Sources: flash_attn/flash_attn_interface.py, hopper/flash_attn_interface.py and flash_attn/cute/interface.py of flash-attention; the pages
flashinfer.prefill and flashinfer.decode; xformers/ops/fmha/attn_bias.py. All of them align causal masks to the lower right.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from .backend import Backend, ImpossibleError

if TYPE_CHECKING:
    from .backend import Kernel, Prepare
    from .case import Case
    from .inputs import Inputs


class Package(NamedTuple):
    """A kernel's name, the module that is looked for, the compute capability it needs, its call, whether it has gradients."""

    name: str
    module: str
    generation: tuple[int, int]
    prepare: Prepare
    backward: bool = True


def backends(device: torch.device) -> list[Backend]:
    """Every package, those that cannot be called here with the reason."""
    return [Backend(p.name, why_not(p, device), p.prepare, layout="BNHD", backward=p.backward, generation=p.generation) for p in PACKAGES]


def why_not(package: Package, device: torch.device) -> str | None:
    """Null where it can be called."""
    if not installed(package.module):
        return f"{package.module} is not installed"
    if device.type == "cpu":
        return "installed, but a CUDA kernel; this device is a CPU"
    here = torch.cuda.get_device_capability(device)
    if here < package.generation:
        return f"needs compute capability {package.generation[0]}.{package.generation[1]}; this device has {here[0]}.{here[1]}"
    return None


def installed(module: str) -> bool:
    """Whether a module is there, found without importing its package: flash-attn 4 brings `flash_attn.cute` without `flash_attn` itself."""
    top, _, inner = module.partition(".")
    spec = find_spec(top)
    if spec is None:
        return False
    if inner:
        return any((Path(folder) / inner).is_dir() for folder in spec.submodule_search_locations or ())
    return spec.origin is not None


def _loaded(module: str) -> Any:
    try:
        return import_module(module)
    except (ImportError, OSError) as error:
        raise ImpossibleError(f"{module} is installed and does not load: {error}") from error


def _require(case: Case, name: str, kinds: tuple[str, ...], *, softcap: bool = True, sinks: bool = False, narrow: bool = False) -> None:
    if case.dtype not in ("float16", "bfloat16"):
        raise ImpossibleError(f"{name} computes in 16 bits")
    if case.kind not in kinds:
        raise ImpossibleError(f"{name} has no {case.kind} mask in this call")
    if case.softcap is not None and not softcap:
        raise ImpossibleError(f"{name} has no softcap in this call")
    if case.sinks and not sinks:
        raise ImpossibleError(f"{name} has no sinks in this call")
    if case.head_dim != case.value_dim and not narrow:
        raise ImpossibleError(f"{name} takes values as wide as keys")


def _window(case: Case, none: Any) -> tuple[Any, Any]:
    """Keys to the left and to the right of a query, its own not counted."""
    if case.kind == "sliding":
        return ((case.window or 1) - 1, 0)
    return (case.window, case.window) if case.kind == "local" else (none, none)


def _first(out: Any) -> torch.Tensor:
    """The output, where a version returns the logarithms of the softmax's sums too."""
    return out[0] if isinstance(out, tuple) else out


def _packed(case: Case, device: torch.device) -> tuple[torch.Tensor, int]:
    """Where the documents of all sequences begin, laid end to end, and the length of the longest."""
    length = case.window or case.key_length
    starts = [b * case.key_length + s for b in range(case.batch) for s in range(0, case.key_length, length)]
    return torch.tensor([*starts, case.batch * case.key_length], dtype=torch.int32, device=device), length


def _tokens_first(inputs: Inputs) -> list[torch.Tensor]:
    return [t.transpose(1, 2) for t in inputs.tensors]


def _varlen(function: Any, case: Case, device: torch.device, more: dict[str, Any]) -> Kernel:
    """Packed documents, as training runs them: all tokens in one row, and where each document begins."""
    if case.past:
        raise ImpossibleError("documents are packed for a whole sequence")
    starts, longest = _packed(case, device)

    def call(inputs: Inputs) -> torch.Tensor:
        query, key, value = (t.flatten(0, 1) for t in _tokens_first(inputs))
        out = function(
            query, key, value, cu_seqlens_q=starts, cu_seqlens_k=starts, max_seqlen_q=longest, max_seqlen_k=longest, causal=True,
            softmax_scale=case.factor, **more,
        )  # fmt: skip
        return _first(out).unflatten(0, (case.batch, -1)).transpose(1, 2)

    return call


def _flash(module: str, name: str, case: Case, device: torch.device, *, chunks: bool = False) -> Kernel:
    """flash-attn 2 and 3: `flash_attn_func(q, k, v, softmax_scale=, causal=, window_size=, softcap=)`, `[B, n, H, d]`."""
    kinds = ("causal", "sliding", "bidirectional", "local", "document", *(("chunked",) if chunks else ()))
    _require(case, name, kinds, narrow=chunks)
    if case.head_dim > 256:
        raise ImpossibleError(f"{name} takes heads of at most 256")
    loaded = _loaded(module)
    more: dict[str, Any] = {"softcap": case.softcap or 0.0}
    if case.kind == "document":
        return _varlen(loaded.flash_attn_varlen_func, case, device, more)
    if case.kind == "chunked":
        more["attention_chunk"] = case.window
    window = _window(case, -1)

    def call(inputs: Inputs) -> torch.Tensor:
        query, key, value = _tokens_first(inputs)
        out = loaded.flash_attn_func(query, key, value, softmax_scale=case.factor, causal=case.causal, window_size=window, **more)
        return _first(out).transpose(1, 2)

    return call


def _flash_2(case: Case, device: torch.device) -> Kernel:
    return _flash("flash_attn", "flash-attn 2", case, device)


def _flash_3(case: Case, device: torch.device) -> Kernel:
    return _flash("flash_attn_interface", "flash-attn 3", case, device, chunks=True)


def _flash_4(case: Case, device: torch.device) -> Kernel:
    """flash-attn 4: as the others, an open side of the window is None, sinks are `learnable_sink`."""
    _require(case, "flash-attn 4", ("causal", "sliding", "bidirectional", "local"), sinks=True, narrow=True)
    function, window = _loaded("flash_attn.cute").flash_attn_func, _window(case, None)

    def call(inputs: Inputs) -> torch.Tensor:
        query, key, value = _tokens_first(inputs)
        sinks = {} if inputs.sinks is None else {"learnable_sink": inputs.sinks}
        out = function(
            query, key, value, softmax_scale=case.factor, causal=case.causal, window_size=window, softcap=case.softcap or 0.0, **sinks
        )
        return _first(out).transpose(1, 2)

    return call


def _flashinfer(case: Case, device: torch.device) -> Kernel:
    """One sequence: single_decode_with_kv_cache and single_prefill_with_kv_cache; several: the ragged wrapper, planned once."""
    _require(case, "flashinfer", ("causal", "sliding", "bidirectional"), narrow=True)
    loaded = _loaded("flashinfer")
    common = {"sm_scale": case.factor, "window_left": _window(case, -1)[0], "logits_soft_cap": case.softcap}
    if case.batch > 1:
        return _ragged(loaded, case, device, common)
    causal = case.causal and case.query_length > 1

    def call(inputs: Inputs) -> torch.Tensor:
        query, key, value = (t[0] for t in _tokens_first(inputs))
        if case.query_length == 1:
            return loaded.single_decode_with_kv_cache(query[0], key, value, kv_layout="NHD", **common)[None, :, None]
        return loaded.single_prefill_with_kv_cache(query, key, value, causal=causal, kv_layout="NHD", **common).transpose(0, 1)[None]

    return call


def _ragged(loaded: Any, case: Case, device: torch.device, common: dict[str, Any]) -> Kernel:
    workspace = torch.empty(128 * 1024**2, dtype=torch.uint8, device=device)
    wrapper = loaded.BatchPrefillWithRaggedKVCacheWrapper(workspace, "NHD")
    ends = torch.arange(case.batch + 1, dtype=torch.int32, device=device)
    kind = getattr(torch, case.dtype)
    wrapper.plan(
        ends * case.query_length, ends * case.key_length, case.query_heads, case.kv_heads, case.head_dim, head_dim_vo=case.value_dim,
        causal=case.causal, q_data_type=kind, kv_data_type=kind, **common,
    )  # fmt: skip

    def call(inputs: Inputs) -> torch.Tensor:
        query, key, value = (t.flatten(0, 1) for t in _tokens_first(inputs))
        out: torch.Tensor = wrapper.run(query, key, value)
        return out.unflatten(0, (case.batch, -1)).transpose(1, 2)

    return call


def _xformers(case: Case, device: torch.device) -> Kernel:
    """memory_efficient_attention: `[B, n, H, d]`, with groups `[B, n, G, H / G, d]` where keys are repeated without a copy."""
    _require(case, "xformers", ("causal", "sliding", "bidirectional", "local"), softcap=False, narrow=True)
    operators, masks = _loaded("xformers.ops"), _loaded("xformers.ops.fmha.attn_bias")
    bias: Any = None
    if case.kind == "local":
        bias = masks.LocalAttentionFromBottomRightMask(window_left=case.window, window_right=case.window)
    elif case.causal:
        bias = masks.LowerTriangularFromBottomRightMask()
        bias = bias.make_local_attention(case.window) if case.kind == "sliding" else bias
    groups = case.query_heads // case.kv_heads

    def call(inputs: Inputs) -> torch.Tensor:
        query, key, value = _tokens_first(inputs)
        if groups > 1:
            query = query.unflatten(2, (case.kv_heads, groups))
            key, value = (t[:, :, :, None].expand(-1, -1, -1, groups, -1) for t in (key, value))
        out: torch.Tensor = operators.memory_efficient_attention(query, key, value, attn_bias=bias, scale=case.factor)
        return (out.flatten(2, 3) if groups > 1 else out).transpose(1, 2)

    return call


PACKAGES = (
    Package("flash-attn", "flash_attn", (8, 0), _flash_2),
    Package("flash-attn-3", "flash_attn_interface", (9, 0), _flash_3),
    Package("flash-attn-4", "flash_attn.cute", (9, 0), _flash_4),
    Package("flashinfer", "flashinfer", (7, 5), _flashinfer, backward=False),
    Package("xformers", "xformers", (7, 0), _xformers),
)
