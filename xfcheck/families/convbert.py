"""ConvBERT (Jiang et al. 2020, arXiv 2008.02496): attention beside a convolution with kernels made from the tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Sublayer
from ..architecture.masks import BIDIRECTIONAL
from ..architecture.mixers.grouped import GroupedMLP
from ..architecture.mixers.mixed_convolution import MixedConvolution
from ._read.decoder import layer_norm
from ._read.encoder import Tasks, column, decodes, encoder_model, feed_forward, learned, sequence_summary
from ._read.head import head_kind
from ._rows.encoder_names import DENSE, bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..architecture.part import Mixer
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("convbert",)

PARTS = {
    "query": "self.query",
    "key": "self.key",
    "value": "self.value",
    "depthwise": "self.key_conv_attn_layer.depthwise",
    "pointwise": "self.key_conv_attn_layer.pointwise",
    "pointwise_bias": "self.key_conv_attn_layer.bias!",
    "kernels": "self.conv_kernel_layer",
    "convolved": "self.conv_out_layer",
    "output": "output.dense",
}
NAMES = bert_names(
    "convbert",
    DENSE,
    {f"mixed_convolution.{part}": f"attention.{name}" for part, name in PARTS.items()},
    {f"across.{part}": f"crossattention.{name}" for part, name in PARTS.items()},
    {
        "grouped_mlp.up": "intermediate.dense",
        "grouped_mlp.down": "output.dense",
        "embedding_projection": "convbert.embeddings_project",
        "summary": "sequence_summary.summary",
    },
    head={"transform": "generator_predictions.dense", "transform_norm": "generator_predictions.LayerNorm", "head": "generator_lm_head"},
)
TASKS = Tasks(pooled=(), dense=("sequence_classification",))


def architecture(c: Settings) -> Architecture:
    """`head_ratio` times fewer heads than asked for; the feed-forward in `num_groups` groups. There is no cache."""
    hidden, width, norm = c.int("hidden_size"), c.int("embedding_size"), layer_norm(c)
    if decodes(c):
        c.assume("is_decoder", True, "this class keeps no cache and its causal mask is not described", estimated=True)
    mixer = _mixer(c, hidden)
    steps = [Sublayer(name="attention", mixers=[mixer], norm_residual=norm)]
    if c.flag("add_cross_attention"):
        across = mixer.model_copy(update={"name": "across", "absent": True})
        steps.append(Sublayer(name="cross_attention", mixers=[across], norm_residual=norm))
    steps.append(Sublayer(name="feed_forward", mixers=[_forward(c, hidden)], norm_residual=norm))
    stack = column(c, hidden, steps, embedding_norm=norm.model_copy(update={"size": width}))
    pieces = sequence_summary(c, hidden) if head_kind(c, "masked") == "multiple_choice" else []
    return encoder_model(c, stack, TASKS, position=learned(c), width=width, projections=pieces)


def _mixer(c: Settings, hidden: int) -> MixedConvolution:
    """Raises Refused XF102 where the heads that are left do not divide half the hidden size, XF118 for an even kernel."""
    heads = max(c.int("num_attention_heads") // c.int("head_ratio"), 1)
    if hidden % (2 * heads):
        raise c.refuse(
            "num_attention_heads", f"{heads} heads beside as many convolved ones do not divide hidden_size {hidden}", code="XF102"
        )
    kernel = c.int("conv_kernel_size")
    if kernel % 2 == 0:
        raise c.refuse("conv_kernel_size", f"conv_kernel_size {kernel} is even: the convolution changes the length", code="XF118")
    return MixedConvolution(
        query_heads=heads,
        kv_heads=heads,
        head_dim=hidden // heads // 2,
        mask=BIDIRECTIONAL,
        input_size=hidden,
        kernel=kernel,
        dropout=c.number("attention_probs_dropout_prob") or 0.0,
    )


def _forward(c: Settings, hidden: int) -> Mixer:
    groups, inner = c.int("num_groups"), c.int("intermediate_size")
    if groups == 1:
        return feed_forward(c)
    if hidden % groups or inner % groups:
        raise c.refuse(
            "num_groups", f"num_groups {groups} does not divide hidden_size {hidden} and intermediate_size {inner}", code="XF118"
        )
    return GroupedMLP(
        intermediate_size=inner,
        activation=c.text("hidden_act") or "gelu",
        gated=False,
        bias=True,
        output_bias=True,
        groups=groups,
        output_groups=groups,
        storage="blocks",
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a ConvBERT checkpoint."""
    return model(a, NAMES)
