"""MVP (Tang et al. 2022, arXiv 2206.12131): BART, with prompts before the keys and values of every layer where asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ._read.encoder_decoder import Style, encoder_decoder
from ._rows.bart_names import BART, bart_rows

if TYPE_CHECKING:
    from ..architecture.blocks import Stack
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("mvp",)

NAMES = BART.but(
    {
        f"{which}_prompt_{part}": f"model.decoder.{which}_attn_prompt.prompt_{name}"
        for which in ("self", "cross")
        for part, name in (("table", "embedding"), ("in", "trans.0"), ("out", "trans.2"))
    }
)


def architecture(c: Settings) -> Architecture:
    """Post-norm, learned positions from row 2 on; `use_prompt` adds what makes the decoder's prompts.

    The encoder of transformers 5.24 has none: its class takes the switch for its table (modeling_mvp.py, MvpModel).
    """
    a = encoder_decoder(c, Style(offset=2))
    if not c.flag("use_prompt") or len(a.stacks) == 1:
        return a
    c.assume("use_prompt", True, "the work of the prompts is not counted", estimated=True)
    encoder, decoder = a.stacks
    return a.model_copy(update={"stacks": [encoder, decoder.model_copy(update={"projections": prompts(c, decoder)})]})


def prompts(c: Settings, stack: Stack) -> list[Projection]:
    """A table of prompt vectors and two maps to the keys and values of all layers of the decoder. Their work is not counted."""
    hidden, inner = stack.hidden_size, c.int("prompt_mid_dim")
    out = []
    for which in ("self", "cross"):
        out += [
            Projection(name=f"{which}_prompt_table", shape=[c.int("prompt_length"), hidden], multiplies=False),
            Projection(name=f"{which}_prompt_in", shape=[inner, hidden], bias=True, multiplies=False),
            Projection(name=f"{which}_prompt_out", shape=[stack.depth * 2 * hidden, inner], bias=True, multiplies=False),
        ]
    return out


def ledger(a: Architecture) -> list[Row]:
    """The rows of an MVP checkpoint."""
    return bart_rows(a, NAMES)
