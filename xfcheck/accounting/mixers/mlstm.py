"""The mLSTM, as transformers' own kernels execute it.

Source: models/xlstm/modeling_xlstm.py, 5.24: native chunkwise, sequence and step kernels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._parts import Held, Work

if TYPE_CHECKING:
    from ...architecture.mixers.mlstm import MLstm
    from ..run import Run


def products(spec: MLstm, tokens: int) -> int:
    """Matrix products of one sequence of at most `longest` tokens.

    A whole chunk of l tokens, H heads, key width K, value width V: scores and weighted values 2 l^2 H (K + V), queries with the state and
    the state's update 4 l H K V, queries with the normaliser 2 l H K. A token outside a whole chunk: 4 H K V + 2 H K.
    """
    chunks, rest = divmod(tokens, spec.chunk)
    keys, values = spec.key_dim, spec.value_dim
    inside = 2 * chunks * spec.chunk * spec.chunk * spec.heads * (keys + values)
    return inside + (chunks * spec.chunk + rest) * spec.heads * (4 * keys * values + 2 * keys)


def work(spec: MLstm, run: Run, stream: str) -> Work:
    """A prefill longer than `longest` is run piece by piece, each with chunks of its own."""
    new, _ = run.length(stream)
    if spec.longest is None or new <= spec.longest:
        return Work(scan=run.batch * products(spec, new))
    pieces, rest = divmod(new, spec.longest)
    return Work(scan=run.batch * (pieces * products(spec, spec.longest) + products(spec, rest)))


def holds(spec: MLstm, stream: str) -> list[Held]:
    """Memory, normaliser and maximum of each head, in the dtype of the model (class xLSTMCache)."""
    return [Held("recurrent", constant=spec.heads * (spec.key_dim * spec.value_dim + spec.key_dim + 1))]
