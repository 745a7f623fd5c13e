"""What the modules of this folder return."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from ...architecture.masks import Mask


class Work(NamedTuple):
    """FLOPs of one layer in one pass over the whole batch, without weight matrices.

    `full`: the attention products of the whole rectangle, `visible`: of the pairs the mask leaves, `scan`: recurrences, chunk products and
    depthwise convolutions, `absorbed`: by how much the pass differs where latent attention folds kv_b into query and output.
    """

    full: int = 0
    visible: int = 0
    scan: int = 0


NOTHING = Work()


class Held(NamedTuple):
    """What one layer keeps of one sequence between passes.

    `per_token`: elements a kept token, `constant`: elements whatever the length. `mask` says which tokens; `kept_tokens` what the
    reference's cache keeps where its config declares a window that the mask does not have. `source`: the tokens are the encoder's.
    `stride`: one entry stands for so many tokens; `part`: the `entries`, the tokens `waiting` for theirs, or those of the `last` one.
    `fp32`: kept in 32 bits whatever the cache's dtype. `above`: nothing is kept of a context that is not longer.
    `key_elements`: the keys' share of `per_token`, 0 where there are no values. `expanded`: elements a token where an engine keeps
    every head's keys and values in place of the latent; `repeated`: where transformers keeps key-value heads once a query head. `shifted`:
    a convolution's state without the column of the newest token, as engines keep it.
    """

    kind: str
    per_token: int = 0
    constant: int = 0
    mask: Mask | None = None
    kept_tokens: int | None = None
    source: bool = False
    fp32: bool = False
    key_elements: int = 0
    expanded: int = 0
    repeated: int = 0
    shifted: int | None = None
    above: int = 0
    stride: int | None = None
    part: Literal["entries", "waiting", "last"] = "entries"

    def strided(self, context: int) -> int:
        """Entries or tokens kept where one entry stands for `stride` tokens. Raises ValueError without a stride."""
        if not self.stride:
            raise ValueError("no stride")
        whole, rest = divmod(context, self.stride)
        return {"entries": whole, "waiting": rest, "last": self.stride if whole else 0}[self.part]
