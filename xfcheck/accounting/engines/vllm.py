"""The KV cache of vLLM V1, in pages (vllm/v1/kv_cache_interface.py and kv_cache_utils.py, release 0.11).

`max_memory_usage_bytes` of each layer's spec, which the engine adds up for the longest request it can serve: whole pages of `block_size`
tokens. A sliding layer holds min(W - 1 + max_num_batched_tokens, T) tokens and one page more, a chunked one
min(chunk + max_num_batched_tokens, T). Without the hybrid manager both hold all tokens. Recurrent layers hold one page a request; the
attention's page grows, in steps of `block_size` tokens, until the state fits, and the state's page is padded to it. Layers of different
page size are brought to the largest by more tokens a page, where kinds are mixed.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from ..dtypes import size
from . import Kept, UnknownLayout

if TYPE_CHECKING:
    from ..mixers._parts import Held
    from . import Ask

LABEL = "vllm"
PACKED_LATENT = "fp8_ds_mla"
GROUP = 128
"""Values that share a 32-bit scale in `fp8_ds_mla` and in the indexer's keys (vllm/attention/ops and models/deepseek_v2.py)."""

GROWING = ("full", "sliding", "chunked", "latent", "indexer", "cross")


def lay_out(holds: list[list[Held]], ask: Ask) -> list[list[Kept]]:
    """Pages of every layer. Raises UnknownLayout for a kind vLLM has no spec of."""
    latent = any(held.kind == "latent" for each in holds for held in each)
    for each in holds:
        for held in each:
            if held.stride or (held.per_token and held.kind not in GROWING):
                raise UnknownLayout(held.kind)
    block, page = _page(holds, ask, latent=latent)
    return [[_kept(held, each, ask, block, page, latent=latent) for held in each] for each in holds]


def token_bytes(held: Held, ask: Ask, *, latent: bool) -> int:
    """Bytes a token of one layer.

    `fp8_ds_mla`: the latent in 8 bits with a 32-bit scale every 128, the rotary key in 16: 656 of 512 + 64.
    """
    if held.kind == "indexer" and latent:
        return held.per_token + held.per_token // GROUP * 4
    if held.kind == "latent" and ask.dtype == PACKED_LATENT:
        rope = held.per_token % GROUP
        rank = held.per_token - rope
        return rank + rank // GROUP * 4 + 2 * rope
    if ask.dtype == PACKED_LATENT:
        raise UnknownLayout(f"{held.kind} in {PACKED_LATENT}")
    return size(held.per_token, ask.dtype)


def state_bytes(each: list[Held], ask: Ask) -> int:
    """Bytes of one layer's recurrent and convolution state of one request."""
    return sum(
        size(held.constant, ask.state_dtype if held.fp32 else ask.model_dtype)
        if held.shifted is None
        else size(held.shifted, ask.model_dtype)
        for held in each
        if not held.per_token
    )


def attention_block(state: int, kv_token: int, step: int) -> int:
    """Tokens a page so that a recurrent state fits: the least multiple of `step`."""
    return max(step, -(-state // (kv_token * step)) * step) if kv_token else step


def _page(holds: list[list[Held]], ask: Ask, *, latent: bool) -> tuple[int, int | None]:
    """(tokens a page, bytes that every page has, null where they need not be alike)."""
    state = max((state_bytes(each, ask) for each in holds), default=0)
    rates = {(held.kind, token_bytes(held, ask, latent=latent)) for each in holds for held in each if held.per_token}
    if not rates:
        return ask.block_size, None
    widest = max(rate for _, rate in rates)
    mixed = ask.hybrid and len({kind for kind, _ in rates}) > 1 and not latent
    if not state:
        return ask.block_size, ask.block_size * widest if mixed else None
    block = attention_block(state, widest, ask.block_size)
    return block, block * widest


def _kept(held: Held, each: list[Held], ask: Ask, block: int, page: int | None, *, latent: bool) -> Kept:
    if not held.per_token:
        return _state(held, each, ask, page)
    rate = token_bytes(held, ask, latent=latent)
    own = block if page is None or page % rate else page // rate
    sheet = own * rate
    whole = ask.batch * -(-ask.context // own) * sheet
    pages = _pages(held, ask, own)
    grows = not held.source and pages * own >= ask.context
    kept = ask.batch * pages * sheet
    return Kept(pages * own, kept, Fraction(ask.batch * rate) if grows else 0, kept if held.source else max(kept, whole))


def _pages(held: Held, ask: Ask, block: int) -> int:
    if held.source:
        return -(-ask.source // block)
    window = held.mask.window if held.mask is not None and held.mask.kind in ("sliding", "chunked") else None
    if window is None or not ask.hybrid or held.mask is None:
        return -(-ask.context // block)
    if held.mask.kind == "chunked":
        return -(-min(window + ask.max_batched_tokens, ask.context) // block)
    return -(-min(window - 1 + ask.max_batched_tokens, ask.context) // block) + 1


def _state(held: Held, each: list[Held], ask: Ask, page: int | None) -> Kept:
    """One state a request; the first part of a layer carries what the page is padded with."""
    own = state_bytes([held], ask)
    if page is not None and held is next(h for h in each if not h.per_token):
        own += max(0, page - state_bytes(each, ask))
    return Kept(0, ask.batch * own, 0, ask.batch * own)
