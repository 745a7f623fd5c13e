"""The caches of llama.cpp (src/llama-kv-cache.cpp, llama-kv-cache-iswa.cpp, llama-memory-recurrent.cpp), as its log prints them.

Cells come in multiples of 256. `unified`: one pool of n_ctx = sequences * context cells for all; else as many pools as sequences. Windowed
layers have pad256(min(pool, n_swa * sequences in it + n_ubatch)) cells. Latent attention keeps keys alone (rank + rope); without absorption
every head's keys and values. Recurrent layers keep K - 1 columns and the state in 32 bits, `1 + n_rs_seq` times a sequence.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from ..dtypes import size
from . import Kept, UnknownLayout

if TYPE_CHECKING:
    from ..mixers._parts import Held
    from . import Ask

LABEL = "llama.cpp"
CELLS = 256
GROWING = ("full", "sliding", "chunked", "latent", "indexer")


def padded(cells: int) -> int:
    """Cells in whole blocks of 256."""
    return -(-cells // CELLS) * CELLS


def lay_out(holds: list[list[Held]], ask: Ask) -> list[list[Kept]]:
    """Cells of every layer. Raises UnknownLayout for a kind that llama.cpp keeps in no cache."""
    return [[_kept(held, ask) for held in each] for each in holds]


def _kept(held: Held, ask: Ask) -> Kept:
    if held.source or held.stride or (held.per_token and held.kind not in GROWING):
        raise UnknownLayout(held.kind)
    if not held.per_token:
        elements = held.constant if held.shifted is None else held.shifted
        each = ask.batch * (1 + ask.rollbacks) * size(elements, "float32")
        return Kept(0, each, 0, each)
    pools, sequences = (1, ask.batch) if ask.unified else (ask.batch, 1)
    pool = padded(sequences * ask.context)
    window = held.mask.window if held.mask is not None and held.mask.kind in ("sliding", "chunked") else None
    cells = pool if window is None else padded(min(pool, window * sequences + ask.ubatch))
    width = held.per_token if ask.absorbed or not held.expanded else held.expanded
    rate = Fraction(size(width * CELLS, ask.dtype), CELLS)
    grows = cells == pool
    return Kept(cells, size(width * cells, ask.dtype) * pools, rate * ask.batch if grows else 0, size(width * pool, ask.dtype) * pools)
