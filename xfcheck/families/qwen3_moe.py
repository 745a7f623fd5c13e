"""Qwen3 mixture of experts (arXiv 2505.09388)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL, Mask
from ..architecture.mixers.moe import Router
from ..architecture.norm import Norm
from ._read.blocks import DENSE, decoder_stack, prenorm
from ._read.decoder import QKVO, attention, causal_model, gated, rms
from ._read.heads import head_width
from ._read.layers import crossed, depth, every
from ._read.moe import routed
from ._read.rotary import rotary
from ._read.undeclared import cached
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("qwen3_moe", "qwen3_vl_moe_text", "qwen3_omni_moe_text")


STACKED = LLAMA.but({"moe.expert.gate_up": "mlp.experts.gate_up_proj!", "moe.expert.down": "mlp.experts.down_proj!"})


def architecture(c: Settings) -> Architecture:
    """Experts but in `mlp_only_layers` and between the steps of `decoder_sparse_step`; an undeclared `head_dim` is honoured.

    `use_sliding_window` windows every layer; an undeclared `layer_types` moves the cache alone.
    Inside Qwen3-VL the experts of a layer are one tensor in the checkpoint too, and the chosen weights always sum to one.
    In Qwen3-Omni's thinker `sliding_window` cuts the cache, and attention sees everything that it is given.
    """
    kind = "" if c.table is None else c.table.model_type
    stacked, thinks = kind == "qwen3_vl_moe_text", kind == "qwen3_omni_moe_text"
    hidden, norm, layers, width = c.int("hidden_size"), rms(c), depth(c), head_width(c, null=stacked)
    window = c.optional_int("sliding_window") if c.flag("use_sliding_window") else None
    mask = CAUSAL if window is None else Mask(kind="sliding", window=window)
    head_norm, position = Norm(eps=norm.eps, size=width), rotary(c, width)
    biases = QKVO if c.flag("attention_bias") else []
    router = Router(normalise=stacked or c.flag("norm_topk_prob"))

    def sublayers(kept: int | None, feed: str) -> list[Sublayer]:
        heads = attention(
            c, hidden, mask=mask, width=width, position=position, biases=biases, query_norm=head_norm, key_norm=head_norm, kept_tokens=kept
        )
        if feed == DENSE:
            return prenorm(heads, gated(c), norm)
        storage = "stacked" if stacked else "separate"
        experts = routed(c, experts="num_experts", width="moe_intermediate_size", router=router, storage=storage)
        return prenorm(heads, experts, norm)

    kept = {c.optional_int("sliding_window", minimum=1): LayerSet.first(layers)} if thinks else cached(c, layers)
    made = causal_model(c, decoder_stack(hidden, crossed(kept, sparse(c, layers)), sublayers, norm))
    return made.model_copy(update={"naming": "stacked"}) if stacked else made


def sparse(c: Settings, layers: int) -> dict[str, LayerSet]:
    """Layers with experts (`(i + 1) % decoder_sparse_step == 0`, not in `mlp_only_layers`) and dense ones."""
    step = c.int("decoder_sparse_step")
    kinds = every(layers, step, "sparse", "dense") if c.int("num_experts", minimum=0) else {"dense": LayerSet.first(layers)}
    dense = {i for i in c.list("mlp_only_layers") or [] if isinstance(i, int)}
    if not dense:
        return kinds
    held = [i for i in kinds.get("sparse", LayerSet(())) if i not in dense]
    taken = set(held)
    split = {"sparse": LayerSet.of(held), "dense": LayerSet.of(i for i in range(layers) if i not in taken)}
    return {kind: of for kind, of in split.items() if len(of)}


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Qwen3-MoE checkpoint."""
    return model(a, STACKED if a.naming == "stacked" else LLAMA)
