"""What each engine keeps of a context: one module an engine, each with `lay_out(holds, ask)`.

`holds` is one list of `Held` a mixer, in the order of the architecture; the answer has one `Kept` in the place of each. An engine that has
no layout for one of them raises UnknownLayout: the cache is then null, never a guess.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from fractions import Fraction


class Ask(NamedTuple):
    """What a cache is asked for: `batch` sequences of `context` tokens, `source` tokens of an encoder.

    `dtype` of the cache and `model_dtype` of the weights are torch's names. `block_size`: tokens a page (vLLM); `max_batched_tokens`:
    tokens of one step (vLLM's max_num_batched_tokens); `hybrid`: vLLM's hybrid cache manager; `state_dtype`: of recurrent states in vLLM;
    `ubatch`: n_ubatch of llama.cpp; `unified`: one pool of cells for all sequences (llama.cpp); `absorbed`: latents in place of keys and
    values (llama.cpp); `rollbacks`: n_rs_seq of llama.cpp, copies of the recurrent state that drafts can go back to.
    """

    batch: int
    context: int
    source: int
    dtype: str
    model_dtype: str = "bfloat16"
    block_size: int = 16
    max_batched_tokens: int = 8192
    hybrid: bool = True
    state_dtype: str = "float32"
    ubatch: int = 512
    unified: bool = True
    absorbed: bool = True
    rollbacks: int = 0


class Kept(NamedTuple):
    """What one mixer's part keeps, in bytes of the whole batch.

    `slope` is a token of context while it grows, `reserved` with every token kept.
    `tokens` are those of one sequence, padding included; of all sequences where they share their cells.
    """

    tokens: int
    bytes: int
    slope: Fraction | int
    reserved: int


class UnknownLayout(Exception):  # noqa: N818 - no error: an answer that is null
    """The engine has no known layout for a kind of cache; the argument is the kind."""
