"""Speech to Text (Wang et al. 2020, arXiv 2010.05171): gated convolutions with strides over a spectrogram, then an encoder-decoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.vocabulary import Embedding
from ._read.decoder import maximum_positions
from ._read.encoder_decoder import Style, stack, whole, word_head
from ._read.head import head_kind
from ._rows.bart_names import BART, bart_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("speech_to_text",)

STYLE = Style(pre_norm=True, final_norm=True, embedding_norm=False, positions="none", logits_bias=False)


def architecture(c: Settings) -> Architecture:
    """Each convolution halves the frames and, by its gate, its own output. Positions are sines that no file keeps."""
    kind = head_kind(c, "seq2seq")
    hidden, rows, tied = c.int("hidden_size"), c.int("vocab_size"), c.flag("tie_word_embeddings")
    encoder = stack(c, "encoder", hidden, STYLE).model_copy(update={"projections": convolutions(c, hidden)})
    stacks = [encoder, stack(c, "decoder", hidden, STYLE)]
    a = whole(c, stacks, Embedding(rows=rows, streams=["decoder"]), word_head(c, kind, rows, tied, STYLE))
    return a.model_copy(update={"maximum_positions": maximum_positions(c, "max_target_positions")})


def convolutions(c: Settings, hidden: int) -> list[Projection]:
    """The first reads the bins of a frame; the last makes two vectors' worth, of which the gate leaves one."""
    kernels = c.list("conv_kernel_sizes") or []
    if not all(isinstance(kernel, int) and not isinstance(kernel, bool) and kernel > 0 for kernel in kernels):
        raise c.refuse("conv_kernel_sizes", "conv_kernel_sizes must be whole numbers")
    count, middle = c.int("num_conv_layers"), c.int("conv_channels")
    out = []
    for number, kernel in enumerate(kernels):
        into = middle // 2 if number else c.int("input_feat_per_channel") * c.int("input_channels")
        wide = middle if number < count - 1 else 2 * hidden
        uses = 2 ** (len(kernels) - 1 - number)
        out.append(Projection(name=f"conv{number}", shape=[wide, into, kernel], bias=True, component="convolution", uses=uses))
    return out


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    layers = [p.name for stack in a.stacks for p in stack.projections]
    own = {name: f"model.encoder.conv.conv_layers.{name.removeprefix('conv')}" for name in layers}
    return bart_rows(a, BART.but({"embedding": "model.decoder.embed_tokens", "head": "lm_head", **own}))
