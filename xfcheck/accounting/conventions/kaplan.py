"""Scaling laws for neural language models: non-embedding parameters, scores once a key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import Count

if TYPE_CHECKING:
    from . import Case

FORMULA = "6 N + 6 L n d_attn a token; N without embeddings and head"
SOURCE = "Kaplan et al. 2020, arXiv 2001.08361, Table 1"


def count(case: Case) -> Count:
    """C_forward = 2 N + 2 n_layer n_ctx d_attn a token with the keys alone.

    The backward pass is twice that; embedding and logits are left out.
    """
    keys = sum(a.layers * a.heads * a.key_dim for a in case.attention)
    forward = case.tokens * (2 * int(case.parameters["active"]["without_embeddings"]) + 2 * case.tokens * keys)
    return Count(forward, 3 * forward)
