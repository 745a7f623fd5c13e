"""Mistral and Ministral: Llama with a window (Jiang et al. 2023, arXiv 2310.06825)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.layers import LayerSet
from ._classes import class_table
from ._read.blocks import prenorm
from ._read.decoder import attention, causal_model, gated, head_dim, rms
from ._read.dense import alike, by_kind, window_mask
from ._read.layers import depth, listed
from ._read.rotary import rotary
from ._read.settings import Settings
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row

MODEL_TYPES = ("mistral", "ministral", "ministral3")


def architecture(c: Settings) -> Architecture:
    """No biases. A `mistral` file with the key `layer_types` is ministral's, as `AutoConfig` of transformers 5.24 has it."""
    kind = "" if c.table is None else c.table.model_type
    if kind == "mistral" and "layer_types" in c.data:
        return _by_layer(_retyped(c))
    return _by_layer(c) if kind == "ministral" else _alike(c)


def _alike(c: Settings) -> Architecture:
    """One window for every layer: the class's own where the key is absent, none where it is null."""
    hidden, norm = c.int("hidden_size"), rms(c)
    width, mask, forward = head_dim(c, hidden, c.int("num_attention_heads")), window_mask(c), gated(c)
    position = rotary(c, width)
    return causal_model(
        c,
        alike(
            c,
            hidden,
            lambda kept: prenorm(attention(c, hidden, mask=mask, position=position, width=width, kept_tokens=kept), forward, norm),
            norm,
        ),
    )


def _by_layer(c: Settings) -> Architecture:
    """A window where `layer_types` says so, on every layer without it. This class does not derive head_dim: null does not build (XF101)."""
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    width, window, forward = head_dim(c, hidden, c.int("num_attention_heads"), needed=True), c.optional_int("sliding_window"), gated(c)
    kinds = listed(c, layers, known=(FULL, SLIDING)) or {SLIDING if window is not None else FULL: LayerSet.first(layers)}
    position = rotary(c, width)
    return causal_model(
        c,
        by_kind(
            hidden,
            kinds,
            lambda kind: prenorm(attention(c, hidden, mask=mask_of(c, kind, window), position=position, width=width), forward, norm),
            norm,
        ),
    )


def _retyped(c: Settings) -> Settings:
    """The same file as ministral's, its class names too."""
    names = c.data.get("architectures")
    named = [n.replace("Mistral", "Ministral", 1) if isinstance(n, str) else n for n in names] if isinstance(names, list) else names
    c.assume("model_type", "ministral", "a mistral config with layer_types is read as ministral by transformers 5.24")
    return Settings({**c.data, "architectures": named}, class_table("ministral"), pointer=c.pointer, reading=c.reading)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Mistral checkpoint."""
    return model(a, LLAMA)
