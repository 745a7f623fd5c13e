"""FlexAttention, compiled; the mask as a block mask, the softcap as a change of scores."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from .backend import Backend, ImpossibleError
from .reference import seen

if TYPE_CHECKING:
    import torch

    from .backend import Kernel
    from .case import Case
    from .inputs import Inputs


def backend(device: torch.device) -> Backend:
    """Compiled anew for each shape, so on a CPU only where it is asked for."""
    return Backend("flex", why_not(device), prepare, costly=True)


def why_not(device: torch.device) -> str | None:
    """What its compilation lacks here."""
    if find_spec("torch.nn.attention.flex_attention") is None:
        return "this torch has no FlexAttention"
    if device.type == "cpu":
        from shutil import which

        return None if which("g++") or which("clang++") else "compiling for a CPU needs g++ or clang++"
    return None if find_spec("triton") is not None else "compiling needs triton"


@lru_cache(maxsize=1)
def _compiled() -> Any:
    import torch
    from torch.nn.attention.flex_attention import flex_attention

    return torch.compile(flex_attention, dynamic=False)


def prepare(case: Case, device: torch.device) -> Kernel:
    """The call for a case. Raises ImpossibleError for what it cannot compute."""
    from torch.nn.attention.flex_attention import create_block_mask

    if case.sinks:
        raise ImpossibleError("no sinks in this call of FlexAttention")
    if case.dtype == "float64":
        raise ImpossibleError("FlexAttention has no 64-bit kernel")

    def sees(_b: Any, _h: Any, query: Any, key: Any) -> Any:
        return seen(case, query, key)

    def capped(score: Any, _b: Any, _h: Any, _query: Any, _key: Any) -> Any:
        import torch

        return case.softcap * torch.tanh(score / case.softcap)

    free = case.kind == "bidirectional"
    blocks = None if free else create_block_mask(sees, None, None, case.query_length, case.key_length, device=str(device))
    change = None if case.softcap is None else capped
    grouped = case.kv_heads != case.query_heads

    def call(inputs: Inputs) -> torch.Tensor:
        out: torch.Tensor = _compiled()(
            inputs.query, inputs.key, inputs.value, score_mod=change, block_mask=blocks, scale=case.factor, enable_gqa=grouped
        )
        return out

    return call
