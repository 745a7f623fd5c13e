"""The kernels that may be there, found when the command runs: each with how it is called, or why it cannot be."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode

from .reference import attention, hidden

if TYPE_CHECKING:
    from collections.abc import Callable

    from .case import Case
    from .inputs import Inputs


class ImpossibleError(Exception):
    """A backend cannot compute a case; the text says why."""


class Backend(NamedTuple):
    """`name` as reports have it; `why_not` null where it can be called; `prepare` makes a callable for a case, or raises ImpossibleError.

    `costly` backends (compiled ones) run where they are asked for by name. `marks`: a piece of the operators' names where this
    kernel, and not another in its place, computed.
    """

    name: str
    why_not: str | None
    prepare: Callable[[Case, torch.device], Callable[[Inputs], torch.Tensor]] | None = None
    costly: bool = False
    marks: str | None = None


SDPA = {
    "sdpa-math": (SDPBackend.MATH, "math"),
    "sdpa-flash": (SDPBackend.FLASH_ATTENTION, "flash_attention"),
    "sdpa-efficient": (SDPBackend.EFFICIENT_ATTENTION, "efficient_attention"),
    "sdpa-cudnn": (SDPBackend.CUDNN_ATTENTION, "cudnn_attention"),
}
PACKAGES = {"flash-attn": "flash_attn", "flash-attn-3": "flash_attn_interface", "flashinfer": "flashinfer", "xformers": "xformers"}
"""Name -> the module that is looked for. Only top-level names: a dotted one would import its package."""


def found(device: torch.device) -> list[Backend]:
    """Every backend known, those that cannot be called with the reason."""
    out = [Backend("eager", None, _eager)]
    for name, (which, marks) in SDPA.items():
        why = None
        if device.type == "cpu" and which in (SDPBackend.EFFICIENT_ATTENTION, SDPBackend.CUDNN_ATTENTION):
            why = "a CUDA kernel; this device is a CPU"
        out.append(Backend(name, why, _forced(which), marks=marks))
    out.append(Backend("flex", _no_flex(device), _flex, costly=device.type == "cpu"))
    for name, module in PACKAGES.items():
        if find_spec(module) is None:
            out.append(Backend(name, f"{module} is not installed"))
        elif device.type == "cpu":
            out.append(Backend(name, "installed, but a CUDA kernel; this device is a CPU"))
        elif name == "flash-attn":
            out.append(Backend(name, None, _flash_attn))
        else:
            out.append(Backend(name, "installed, but there is no call of it here yet"))
    return out


def _eager(case: Case, device: torch.device) -> Callable[[Inputs], torch.Tensor]:
    """All scores in memory, in the dtype of the case: what the other kernels are compared with."""
    rows = torch.arange(case.query_length, device=device)
    return lambda inputs: attention(case, inputs, rows)


def _forced(which: SDPBackend) -> Callable[[Case, torch.device], Callable[[Inputs], torch.Tensor]]:
    """Torch's scaled_dot_product_attention, with every other backend forbidden."""

    def prepare(case: Case, device: torch.device) -> Callable[[Inputs], torch.Tensor]:
        if case.softcap is not None:
            raise ImpossibleError("scaled_dot_product_attention has no softcap")
        if case.sinks:
            raise ImpossibleError("scaled_dot_product_attention has no sinks")
        mask, causal = _masked(case, device)
        grouped = case.kv_heads != case.query_heads

        def call(inputs: Inputs) -> torch.Tensor:
            with sdpa_kernel([which]):
                return F.scaled_dot_product_attention(
                    inputs.query, inputs.key, inputs.value, attn_mask=mask, is_causal=causal, scale=case.factor, enable_gqa=grouped
                )

        return call

    return prepare


def _masked(case: Case, device: torch.device) -> tuple[torch.Tensor | None, bool]:
    """(mask, is_causal). is_causal aligns to the upper left, so it is right for n = m alone; one query that sees all needs neither."""
    if not case.causal or (case.query_length == 1 and not case.windowed):
        return None, False
    if case.query_length == case.key_length and not case.windowed:
        return None, True
    return ~hidden(case, torch.arange(case.query_length, device=device)), False


def _no_flex(device: torch.device) -> str | None:
    if find_spec("torch.nn.attention.flex_attention") is None:
        return "this torch has no FlexAttention"
    if device.type == "cpu":
        from shutil import which

        return None if which("g++") or which("clang++") else "compiling for a CPU needs g++ or clang++"
    return None if find_spec("triton") is not None else "compiling needs triton"


@lru_cache(maxsize=1)
def _compiled() -> Any:
    from torch.nn.attention.flex_attention import flex_attention

    return torch.compile(flex_attention, dynamic=False)


def _flex(case: Case, device: torch.device) -> Callable[[Inputs], torch.Tensor]:
    """FlexAttention, compiled; the mask as a block mask, the softcap as a change of scores."""
    from torch.nn.attention.flex_attention import create_block_mask

    if case.sinks:
        raise ImpossibleError("no sinks in this call of FlexAttention")
    if case.dtype == "float64":
        raise ImpossibleError("FlexAttention has no 64-bit kernel")
    past, window, cap = case.key_length - case.query_length, case.window, case.softcap

    def seen(_b: Any, _h: Any, query: Any, key: Any) -> Any:
        at = query + past
        return key <= at if window is None else (key <= at) & (key > at - window)

    def capped(score: Any, _b: Any, _h: Any, _query: Any, _key: Any) -> Any:
        return cap * torch.tanh(score / cap)

    blocks = create_block_mask(seen, None, None, case.query_length, case.key_length, device=str(device)) if case.causal else None
    change = None if cap is None else capped
    grouped = case.kv_heads != case.query_heads

    def call(inputs: Inputs) -> torch.Tensor:
        out: torch.Tensor = _compiled()(
            inputs.query, inputs.key, inputs.value, score_mod=change, block_mask=blocks, scale=case.factor, enable_gqa=grouped
        )
        return out

    return call


def _flash_attn(case: Case, device: torch.device) -> Callable[[Inputs], torch.Tensor]:
    """flash-attn 2: `[batch, length, heads, head_dim]`, lower-right aligned since 2.1."""
    try:
        from flash_attn import flash_attn_func
    except (ImportError, OSError) as error:
        raise ImpossibleError(f"flash_attn is installed and does not load: {error}") from error
    if case.dtype not in ("float16", "bfloat16") or case.head_dim > 256 or case.head_dim != case.value_dim or case.sinks:
        raise ImpossibleError("flash-attn 2 takes 16-bit heads of at most 256, values as wide as keys, no sinks")
    window = (case.window - 1, 0) if case.windowed and case.window else (-1, -1)

    def call(inputs: Inputs) -> torch.Tensor:
        query, key, value = (t.transpose(1, 2) for t in inputs.tensors)
        out: torch.Tensor = flash_attn_func(
            query, key, value, softmax_scale=case.factor, causal=case.causal, window_size=window, softcap=case.softcap or 0.0
        )
        return out.transpose(1, 2)

    return call


class _Attention(TorchDispatchMode):
    """Notes which operators of attention are dispatched."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = str(func.name())
        if "attention" in name:
            self.names.add(name.removeprefix("aten::"))
        return func(*args, **(kwargs or {}))


def ran(call: Callable[[], object]) -> set[str]:
    """Names of the fused operators that a call came down to; `math` alone where it was products and a softmax."""
    with torch.no_grad(), _Attention() as seen:
        call()
    return seen.names or {"math"}


def require_itself(backend: Backend, operators: set[str]) -> None:
    """Raises ImpossibleError where another operator computed than the one that was asked for."""
    if backend.marks is None or any(backend.marks in name for name in operators):
        return
    raise ImpossibleError(f"another kernel computed in its place: {', '.join(sorted(operators)) or 'none with a known name'}")
