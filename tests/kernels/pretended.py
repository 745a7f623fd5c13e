"""Packages and a GPU that are not here: the same calls, computed on the CPU, so that what is asked of them can be tested."""

# ruff: noqa: ANN001, ANN204, ANN201  the signatures are the packages' own, as far as they are called

from __future__ import annotations

import itertools
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest


def tokens_first(q: Any, k: Any, v: Any, scale: float, seen: Any, softcap: float = 0.0, sinks: Any = None) -> torch.Tensor:
    """Attention of `[B, n, H, d]` in 32 bits; `seen` is `[n, m]`."""
    groups = q.shape[2] // k.shape[2]
    k, v = (t.float().repeat_interleave(groups, dim=2) for t in (k, v))
    scores = torch.einsum("bnhd,bmhd->bhnm", q.float(), k) * scale
    if softcap:
        scores = softcap * torch.tanh(scores / softcap)
    scores = scores.masked_fill(~seen, float("-inf"))
    if sinks is not None:
        scores = torch.cat([scores, sinks.float()[None, :, None, None].expand(*scores.shape[:3], 1)], -1)
    weights = scores.softmax(-1)[..., : k.shape[1]]
    return torch.einsum("bhnm,bmhd->bnhd", weights, v).to(q.dtype)


def band(n: int, m: int, *, causal: bool, left: int, right: int, chunk: int = 0) -> torch.Tensor:
    """Lower-right aligned: from `left` keys before a query to `right` after it; negative is open."""
    at, keys = torch.arange(n)[:, None] + m - n, torch.arange(m)[None]
    seen = torch.ones(n, m, dtype=torch.bool)
    if causal:
        seen &= keys <= at
    if left >= 0:
        seen &= keys >= at - left
    if right >= 0:
        seen &= keys <= at + right
    if chunk:
        seen &= keys // chunk == at // chunk
    return seen


def flash_attn_func(
    q, k, v, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0, alibi_slopes=None,
    deterministic=False, return_attn_probs=False,
):  # fmt: skip
    """flash-attn 2."""
    seen = band(q.shape[1], k.shape[1], causal=causal, left=window_size[0], right=window_size[1])
    return tokens_first(q, k, v, softmax_scale, seen, softcap)


def flash_attn_varlen_func(
    q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, dropout_p=0.0, softmax_scale=None, causal=False,
    window_size=(-1, -1), softcap=0.0, alibi_slopes=None, deterministic=False, return_attn_probs=False, block_table=None,
):  # fmt: skip
    """flash-attn 2, sequences end to end."""
    assert cu_seqlens_q.dtype == torch.int32
    ends = cu_seqlens_q.tolist()
    assert max(b - a for a, b in itertools.pairwise(ends)) == max_seqlen_q
    assert ends[-1] == q.shape[0]
    parts = []
    for a, b in itertools.pairwise(ends):
        seen = band(b - a, b - a, causal=causal, left=-1, right=-1)
        parts.append(tokens_first(q[None, a:b], k[None, a:b], v[None, a:b], softmax_scale, seen, softcap)[0])
    return torch.cat(parts)


def flash_attn_3_func(
    q, k, v, softmax_scale=None, causal=False, qv=None, q_descale=None, k_descale=None, v_descale=None, window_size=(-1, -1),
    attention_chunk=0, softcap=0.0, num_splits=1, pack_gqa=None, deterministic=False, sm_margin=0, return_attn_probs=False,
):  # fmt: skip
    """flash-attn 3."""
    seen = band(q.shape[1], k.shape[1], causal=causal, left=window_size[0], right=window_size[1], chunk=attention_chunk)
    return tokens_first(q, k, v, softmax_scale, seen, softcap)


def flash_attn_3_varlen_func(
    q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, seqused_q=None, seqused_k=None, softmax_scale=None, causal=False,
    qv=None, q_descale=None, k_descale=None, v_descale=None, window_size=(-1, -1), attention_chunk=0, softcap=0.0, num_splits=1,
    pack_gqa=None, deterministic=False, sm_margin=0, return_attn_probs=False,
):  # fmt: skip
    """flash-attn 3, sequences end to end."""
    return flash_attn_varlen_func(
        q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, softmax_scale=softmax_scale, causal=causal, softcap=softcap
    )


def flash_attn_4_func(
    q, k, v, qv=None, gather_kv_indices=None, softmax_scale=None, causal=False, window_size=(None, None), learnable_sink=None,
    softcap=0.0, num_splits=1, pack_gqa=None, deterministic=False, score_mod=None, mask_mod=None, return_lse=False,
):  # fmt: skip
    """flash-attn 4: gives the logarithms of the sums too."""
    left, right = (-1 if side is None else side for side in window_size)
    seen = band(q.shape[1], k.shape[1], causal=causal, left=left, right=right)
    return tokens_first(q, k, v, softmax_scale, seen, softcap, learnable_sink), None


def single_prefill_with_kv_cache(
    q, k, v, scale_q=None, scale_k=None, scale_v=None, o_dtype=None, custom_mask=None, packed_custom_mask=None, causal=False,
    kv_layout="NHD", pos_encoding_mode="NONE", use_fp16_qk_reduction=False, sm_scale=None, window_left=-1, logits_soft_cap=None,
    rope_scale=None, rope_theta=None, backend="auto", return_lse=False,
):  # fmt: skip
    """flashinfer, several queries of one sequence: `[n, H, d]`."""
    seen = band(q.shape[0], k.shape[0], causal=causal, left=window_left, right=-1)
    return tokens_first(q[None], k[None], v[None], sm_scale, seen, logits_soft_cap or 0.0)[0]


def single_decode_with_kv_cache(
    q, k, v, kv_layout="NHD", pos_encoding_mode="NONE", use_tensor_cores=False, q_scale=None, k_scale=None, v_scale=None, window_left=-1,
    logits_soft_cap=None, sm_scale=None, rope_scale=None, rope_theta=None, return_lse=False,
):  # fmt: skip
    """flashinfer, one query: `[H, d]`."""
    assert q.dim() == 2
    seen = band(1, k.shape[0], causal=False, left=window_left, right=-1)
    return tokens_first(q[None, None], k[None], v[None], sm_scale, seen, logits_soft_cap or 0.0)[0, 0]


class Ragged:
    """flashinfer, several sequences end to end."""

    def __init__(self, workspace, kv_layout="NHD"):
        assert workspace.dtype == torch.uint8

    def plan(
        self, qo_indptr, kv_indptr, num_qo_heads, num_kv_heads, head_dim_qk, head_dim_vo=None, custom_mask=None, packed_custom_mask=None,
        causal=False, pos_encoding_mode="NONE", use_fp16_qk_reduction=False, window_left=-1, logits_soft_cap=None, sm_scale=None,
        rope_scale=None, rope_theta=None, q_data_type="float16", kv_data_type=None,
    ):  # fmt: skip
        self.ends = list(zip(qo_indptr.tolist(), kv_indptr.tolist(), strict=True))
        self.asked = (causal, window_left, logits_soft_cap, sm_scale)

    def run(self, q, k, v):
        causal, left, cap, scale = self.asked
        parts = []
        for (a, c), (b, d) in zip(self.ends, self.ends[1:], strict=False):
            seen = band(b - a, d - c, causal=causal, left=left, right=-1)
            parts.append(tokens_first(q[None, a:b], k[None, c:d], v[None, c:d], scale, seen, cap or 0.0)[0])
        return torch.cat(parts)


class LowerRight:
    """xformers' LowerTriangularFromBottomRightMask; with a window, the last keys of that number."""

    def __init__(self, window: int | None = None):
        self.window = window

    def make_local_attention(self, window_size):
        return LowerRight(window_size)

    def seen(self, n: int, m: int) -> torch.Tensor:
        return band(n, m, causal=True, left=-1 if self.window is None else self.window - 1, right=-1)


class Local:
    """xformers' LocalAttentionFromBottomRightMask."""

    def __init__(self, window_left, window_right):
        self.sides = (window_left, window_right)

    def seen(self, n: int, m: int) -> torch.Tensor:
        return band(n, m, causal=False, left=self.sides[0], right=self.sides[1])


def memory_efficient_attention(query, key, value, attn_bias=None, p=0.0, scale=None, *, op=None):
    """xformers: `[B, n, H, d]`, or with groups `[B, n, G, H, d]` of as many keys as queries."""
    assert query.shape[2:-1] == key.shape[2:-1]
    flat = [t.flatten(2, -2) for t in (query, key, value)]
    n, m = query.shape[1], key.shape[1]
    seen = torch.ones(n, m, dtype=torch.bool) if attn_bias is None else attn_bias.seen(n, m)
    return tokens_first(*flat, scale, seen).unflatten(2, query.shape[2:-1])


MODULES: dict[str, dict[str, Any]] = {
    "flash_attn": {"flash_attn_func": flash_attn_func, "flash_attn_varlen_func": flash_attn_varlen_func},
    "flash_attn.cute": {"flash_attn_func": flash_attn_4_func},
    "flash_attn_interface": {"flash_attn_func": flash_attn_3_func, "flash_attn_varlen_func": flash_attn_3_varlen_func},
    "flashinfer": {
        "single_prefill_with_kv_cache": single_prefill_with_kv_cache,
        "single_decode_with_kv_cache": single_decode_with_kv_cache,
        "BatchPrefillWithRaggedKVCacheWrapper": Ragged,
    },
    "xformers": {},
    "xformers.ops": {"memory_efficient_attention": memory_efficient_attention},
    "xformers.ops.fmha": {},
    "xformers.ops.fmha.attn_bias": {"LowerTriangularFromBottomRightMask": LowerRight, "LocalAttentionFromBottomRightMask": Local},
}


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put all of them where `import` finds them."""
    for name, members in MODULES.items():
        module = ModuleType(name)
        for key, value in members.items():
            setattr(module, key, value)
        monkeypatch.setitem(sys.modules, name, module)


class Moment:
    """An event on the pretended device's queue."""

    def __init__(self, gpu: Gpu) -> None:
        self.gpu, self.at = gpu, 0.0

    def record(self) -> None:
        self.at = max(self.gpu.done, self.gpu.host)

    def synchronize(self) -> None:
        self.gpu.host = max(self.gpu.host, self.at)

    def elapsed_time(self, end: Moment) -> float:
        return (end.at - self.at) * 1000


class Gpu:
    """A device with a queue, in seconds of its own: a launch takes the host `overhead`, work runs when the queue comes to it."""

    def __init__(self, overhead: float = 10e-6, refuses: str | None = None) -> None:
        self.overhead, self.refuses = overhead, refuses
        self.host = self.done = 0.0
        self.recording: list[float] | None = None
        self.flushes = self.replays = 0

    def launch(self, seconds: float) -> None:
        if self.recording is not None:
            self.recording.append(seconds)
            return
        self.host += self.overhead
        self.done = max(self.done, self.host) + seconds

    def kernel(self, seconds: float) -> Callable[[], None]:
        return lambda: self.launch(seconds)

    def synchronise(self) -> None:
        self.host = max(self.host, self.done)

    def event(self) -> Moment:
        return Moment(self)

    def capture(self, call: Callable[[], object], calls: int) -> Callable[[], object]:
        if self.refuses is not None:
            raise RuntimeError(self.refuses)
        self.recording = recorded = []
        for _ in range(calls):
            call()
        self.recording = None

        def replay() -> None:
            self.replays += 1
            self.launch(sum(recorded))

        return replay

    def flush(self) -> None:
        self.flushes += 1
        self.launch(1e-3)
