"""Which keys a query sees: chapter question 2."""

from typing import Literal

from pydantic import model_validator

from .part import Part


class Mask(Part):
    """The visible pairs of query and key, before padding.

    `causal`: keys up to the query. `bidirectional`: all. `prefix`: all of the first `prefix` keys, causal after.
    `sliding`: causal, the last `window` keys, the query's own included. `local`: bidirectional, `window` keys to either side.
    `chunked`: causal inside a chunk of `window` tokens. `block_sparse`: `window` keys around the query's block and `global_tokens`
    that see and are seen by all (`random_blocks` more blocks of `block` tokens). `indexed`: causal, the `window` best keys that an
    indexer picks. `document`: causal inside one packed document. `cross`: all keys of another stream.
    """

    kind: Literal["causal", "bidirectional", "prefix", "sliding", "local", "chunked", "block_sparse", "indexed", "document", "cross"] = (
        "causal"
    )
    window: int | None = None
    prefix: int | None = None
    block: int | None = None
    global_tokens: int = 0
    random_blocks: int = 0

    @model_validator(mode="after")
    def _window_given(self) -> "Mask":
        if self.kind in ("sliding", "local", "chunked", "indexed") and (self.window is None or self.window < 0):
            raise ValueError(f"a {self.kind} mask needs a window of tokens")
        return self


def retained(window: int | None) -> int | None:
    """Tokens that the cache of transformers 5.24 keeps of a window: W - 1; null (all) without one and for W = 1 (a slice of -0)."""
    return None if window is None or window <= 1 else window - 1


CAUSAL = Mask()
BIDIRECTIONAL = Mask(kind="bidirectional")
CROSS = Mask(kind="cross")
