"""GLM-4.5 (arXiv 2508.06471) and relatives: grouped sigmoid routing balanced by a bias, dense first layers, draft layers in the files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.norm import Norm
from ._read.blocks import DENSE, SPARSE, decoder_stack, dense_first, prenorm
from ._read.decoder import QKV, attention, causal_model, gated, rms
from ._read.draft import COPIES, drafted
from ._read.heads import head_width
from ._read.layers import crossed, depth
from ._read.moe import routed, shared_experts
from ._read.rotary import rotary
from ._read.routers import grouped_sigmoid
from ._read.undeclared import cached
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("glm4_moe", "solar_open", "glm4v_moe_text")

STACKED = LLAMA.but({"moe.expert.gate_up": "mlp.experts.gate_up_proj!", "moe.expert.down": "mlp.experts.down_proj!"})

PARTIAL = {"glm4_moe": 0.5, "glm4v_moe_text": 0.5}
"""The share of a head that turns where the file does not say (configuration_glm4_moe.py of transformers 5.24)."""


def architecture(c: Settings) -> Architecture:
    """`attention_bias` is on query, key and value; an undeclared `head_dim` is honoured. Solar Open has experts in every layer.

    GLM-4.5V's language model, saved alone, keeps the experts of a layer in one tensor.
    """
    model_type = "" if c.table is None else c.table.model_type
    stacked = model_type == "glm4v_moe_text" and not c.pointer
    made = described(
        c, partial=PARTIAL.get(model_type), all_sparse=model_type == "solar_open", storage="stacked" if stacked else "separate"
    )
    return made.model_copy(update={"naming": "stacked"}) if stacked else made


def described(
    c: Settings, *, partial: float | None, packing: str = "separate", all_sparse: bool = False, storage: str = "separate"
) -> Architecture:
    """The architecture of the whole kind; `all_sparse`: the class knows no dense layers, no norms of query and key and no draft layers."""
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    width = head_width(c)
    head_norm = None if all_sparse or not c.flag("use_qk_norm") else Norm(eps=norm.eps, size=width)
    position, biases = rotary(c, width, partial=partial), QKV if c.flag("attention_bias") else []

    def sublayers(kept: int | None, feed: str) -> list[Sublayer]:
        heads = attention(
            c, hidden, mask=CAUSAL, width=width, position=position, biases=biases, query_norm=head_norm, key_norm=head_norm,
            kept_tokens=kept,
        ).model_copy(update={"packing": packing})  # fmt: skip
        if feed == DENSE:
            return prenorm(heads, gated(c), norm)
        count = c.int("n_shared_experts", minimum=0)
        experts = routed(
            c, experts="n_routed_experts", width="moe_intermediate_size", router=grouped_sigmoid(c),
            shared=shared_experts(c, c.int("moe_intermediate_size") * count), shared_experts=count,
            storage=storage,
        )  # fmt: skip
        return prenorm(heads, experts, norm)

    dense = 0 if all_sparse else c.int("first_k_dense_replace", minimum=0)
    whole = causal_model(c, decoder_stack(hidden, crossed(cached(c, layers), dense_first(dense, layers)), sublayers, norm))
    draft = None if all_sparse else drafted(c, sublayers(None, SPARSE), norm, first=layers, head_norm=norm, copies=COPIES)
    return whole.model_copy(update={"draft": draft})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a GLM-4.5 checkpoint."""
    return model(a, STACKED if a.naming == "stacked" else LLAMA)
