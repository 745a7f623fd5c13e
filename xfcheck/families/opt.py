"""OPT (arXiv 2205.01068): learned positions two rows on, and a narrower embedding in the 350M model, which is post-norm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.masks import CAUSAL
from ..architecture.norm import Norm
from ..architecture.positions.tables import Learned
from ._read.decoder import QKVO, causal_model
from ._read.dense import alike
from ._read.plain import after_sum, multi_head, plain, sequential
from ._rows.gpt_names import HEADS
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("opt",)

NAMES = Names(
    {
        **HEADS,
        "embedding": "model.decoder.embed_tokens",
        "positions": "model.decoder.embed_positions",
        "embedding_projection": "model.decoder.project_in",
        "output_projection": "model.decoder.project_out",
        "layer": "model.decoder.layers.{layer}.",
        "final_norm": "model.decoder.final_layer_norm",
        "head": "lm_head",
        "attention.norm": "self_attn_layer_norm",
        "attention.norm_residual": "self_attn_layer_norm",
        "attention.query": "self_attn.q_proj",
        "attention.key": "self_attn.k_proj",
        "attention.value": "self_attn.v_proj",
        "attention.output": "self_attn.out_proj",
        "feed_forward.norm": "final_layer_norm",
        "feed_forward.norm_residual": "final_layer_norm",
        "mlp.up": "fc1",
        "mlp.down": "fc2",
    },
    base_prefix="model.",
)


def architecture(c: Settings) -> Architecture:
    """`do_layer_norm_before` false puts norms after the sums and none at the end; `word_embed_proj_dim` narrows table and head."""
    hidden, before, affine = c.int("hidden_size"), c.flag("do_layer_norm_before", True), c.flag("layer_norm_elementwise_affine", True)
    norm = Norm(kind="layer", eps=1e-5, weight=affine, bias=affine)
    biased = c.flag("enable_bias", True)
    forward = plain(c.int("ffn_dim"), c.text("activation_function") or "relu", bias=biased)
    arrange = sequential if before else after_sum

    def layer(kept: int | None) -> list[Sublayer]:
        return arrange(multi_head(c, hidden, mask=CAUSAL, biases=QKVO if biased else [], kept_tokens=kept), forward, norm)

    stack = alike(c, hidden, layer, norm)
    width = c.optional_int("word_embed_proj_dim", minimum=1) or hidden
    out = [Projection(name="output_projection", shape=[width, hidden])] if width != hidden else []
    final = norm if before and not c.flag("_remove_final_layer_norm") else None
    position = Learned(rows=c.int("max_position_embeddings") + 2, offset=2, width=hidden)
    made = causal_model(c, stack.model_copy(update={"final_norm": final, "projections": out}), position=position, width=width)
    return (
        made
        if width == hidden or made.head.labels == 0
        else made.model_copy(update={"head": made.head.model_copy(update={"width": width})})
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of an OPT checkpoint."""
    return model(a, NAMES)
