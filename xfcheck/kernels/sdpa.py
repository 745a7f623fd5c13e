"""torch's scaled_dot_product_attention: each of its backends alone, and its own choice; and attention written out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from .backend import Backend, ImpossibleError, score_bytes
from .reference import attention, hidden

if TYPE_CHECKING:
    from .backend import Kernel, Prepare
    from .case import Case
    from .inputs import Inputs

FORCED = {
    "sdpa-math": (SDPBackend.MATH, "math"),
    "sdpa-flash": (SDPBackend.FLASH_ATTENTION, "flash_attention"),
    "sdpa-efficient": (SDPBackend.EFFICIENT_ATTENTION, "efficient_attention"),
    "sdpa-cudnn": (SDPBackend.CUDNN_ATTENTION, "cudnn_attention"),
}
OWN_CHOICE = "sdpa"
LOWER_RIGHT = (SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION)
"""Those that take no mask in memory on a GPU, or are slow with one, and have a causal one aligned to the lower right of their own."""


def backends(device: torch.device) -> list[Backend]:
    """Attention written out, each backend of scaled_dot_product_attention with all others forbidden, and its own choice of them."""
    out = [Backend("eager", None, eager, scratch=score_bytes)]
    for name, (which, marks) in FORCED.items():
        why = None
        if device.type == "cpu" and which in (SDPBackend.EFFICIENT_ATTENTION, SDPBackend.CUDNN_ATTENTION):
            why = "a CUDA kernel; this device is a CPU"
        scratch = score_bytes if which == SDPBackend.MATH else None
        out.append(Backend(name, why, _forced(which), marks=marks, scratch=scratch))
    return [*out, Backend(OWN_CHOICE, None, _forced(None), watched=True, scratch=_own_scratch)]


def eager(case: Case, device: torch.device) -> Kernel:
    """All scores in memory, in the dtype of the case: what the other kernels are compared with."""
    rows = torch.arange(case.query_length, device=device)
    return lambda inputs: attention(case, inputs, rows)


def _own_scratch(case: Any, direction: str) -> int:
    """Values of another width than keys leave torch on a CPU the math backend alone."""
    return score_bytes(case, direction) if case.head_dim != case.value_dim else 0


def _forced(which: SDPBackend | None) -> Prepare:
    """scaled_dot_product_attention with one backend, or with torch's choice."""

    def prepare(case: Case, device: torch.device) -> Kernel:
        if case.softcap is not None:
            raise ImpossibleError("scaled_dot_product_attention has no softcap")
        if case.sinks:
            raise ImpossibleError("scaled_dot_product_attention has no sinks")
        mask, causal = masked(case, device, which)
        grouped = case.kv_heads != case.query_heads

        def call(inputs: Inputs) -> torch.Tensor:
            out: torch.Tensor = F.scaled_dot_product_attention(
                inputs.query, inputs.key, inputs.value, attn_mask=mask, is_causal=causal, scale=case.factor, enable_gqa=grouped
            )
            return out

        def alone(inputs: Inputs) -> torch.Tensor:
            with sdpa_kernel([which]):
                return call(inputs)

        return call if which is None else alone

    return prepare


def masked(case: Case, device: torch.device, which: SDPBackend | None) -> tuple[torch.Tensor | None, bool]:
    """(mask, is_causal). is_causal aligns to the upper left, so it is right for n = m alone; one query that sees all needs neither."""
    if case.kind == "bidirectional" or (case.kind == "causal" and case.query_length == 1):
        return None, False
    if case.kind == "causal" and case.past == 0:
        return None, True
    if case.kind == "causal" and device.type == "cuda" and which in LOWER_RIGHT:
        from torch.nn.attention.bias import causal_lower_right

        return causal_lower_right(case.query_length, case.key_length), False
    return ~hidden(case, torch.arange(case.query_length, device=device)), False
