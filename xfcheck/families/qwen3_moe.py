"""Qwen3 mixture of experts (arXiv 2505.09388)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.mixers.moe import Router
from ..architecture.norm import Norm
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, rms
from ._read.layers import crossed, depth, every, listed
from ._read.moe import routed
from ._read.rotary import rotary
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("qwen3_moe",)


def architecture(c: Settings) -> Architecture:
    """Experts but in `mlp_only_layers` and between the steps of `decoder_sparse_step`; an undeclared `head_dim` is honoured."""
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    width = head_dim(c, hidden, c.int("num_attention_heads"))
    head_norm, position = Norm(eps=norm.eps, size=width), rotary(c, width)
    window = c.optional_int("sliding_window") if c.flag("use_sliding_window") else None
    kinds = listed(c, layers) or {SLIDING if window is not None else FULL: LayerSet.first(layers)}
    biases = QKVO if c.flag("attention_bias") else []
    blocks = []
    for (kind, feed), held in crossed(kinds, sparse(c, layers)).items():
        heads = attention(c, hidden, mask=mask_of(c, kind, window), position=position, biases=biases, query_norm=head_norm, key_norm=head_norm)
        forward = (
            gated(c)
            if feed == "dense"
            else routed(c, experts="num_experts", width="moe_intermediate_size", router=Router(normalise=c.flag("norm_topk_prob")))
        )
        blocks.append(
            Block(
                name=f"{kind}_{feed}",
                layers=held,
                sublayers=[Sublayer(name="attention", mixers=[heads], norm=norm), Sublayer(name="feed_forward", mixers=[forward], norm=norm)],
            )
        )
    return causal_model(c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm))


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
    return model(a, LLAMA)
