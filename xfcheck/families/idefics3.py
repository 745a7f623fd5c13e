"""Idefics 2 (arXiv 2405.02246) and 3 (arXiv 2408.12637), SmolVLM (arXiv 2504.05299): SigLIP's layers and a Llama or a Mistral."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.masks import BIDIRECTIONAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ._classes import class_table
from ._read.decoder import rms
from ._read.towers import TEXT_MODEL, Part, language, maps, tower, vectors, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("idefics2", "idefics3", "smolvlm")

RESAMPLER = "connector.perceiver_resampler."

NAMES = {
    "map": "connector.modality_projection.proj",
    "gate": "connector.modality_projection.gate_proj",
    "up": "connector.modality_projection.up_proj",
    "down": "connector.modality_projection.down_proj",
    "latents": f"{RESAMPLER}latents!",
    "layer": RESAMPLER + "layers.{layer}.",
    "final_norm": f"{RESAMPLER}norm",
    "attention.norm": "input_latents_norm",
    "attention.memory_norm": "input_context_norm",
    "attention.query": "self_attn.q_proj",
    "attention.key": "self_attn.k_proj",
    "attention.value": "self_attn.v_proj",
    "attention.output": "self_attn.o_proj",
    "feed_forward.norm": "post_attention_layernorm",
    "mlp.gate": "mlp.gate_proj",
    "mlp.up": "mlp.up_proj",
    "mlp.down": "mlp.down_proj",
}


def architecture(c: Settings) -> Architecture:
    """Idefics 3 and SmolVLM map squares of patches once; Idefics 2 passes each through a gated network and a resampler."""
    second = c.table is not None and c.table.model_type == "idefics2"
    text, seen = language(c), tower(c)
    if not second:
        into = seen.width * c.int("scale_factor") ** 2
        return whole(c, TEXT_MODEL, text, {"vision_model": seen}, maps([("map", text.width, into)], bias=False))
    perceiver = c.nested("perceiver_config", class_table("idefics2_perceiver"))
    resampler = resample(perceiver, text.width)
    return whole(c, TEXT_MODEL, text, {"vision_model": seen}, [*gated(seen, text), *resampler.projections],
        more=[resampler.model_copy(update={"projections": []})])  # fmt: skip


def gated(seen: Part, text: Part) -> list[Projection]:
    """The network before the resampler has the language model's intermediate width."""
    inner = text.settings.int("intermediate_size")
    return maps([("gate", inner, seen.width), ("up", inner, seen.width), ("down", text.width, inner)], bias=False)


def resample(c: Settings, hidden: int) -> Stack:
    """Trained vectors that read the patches, and each other, layer by layer (Perceiver, arXiv 2103.03206).

    Their width is the language model's, whatever the object says.
    """
    norm = rms(c)
    own = Attention(
        query_heads=c.int("resampler_n_heads"),
        kv_heads=c.int("num_key_value_heads"),
        head_dim=c.int("resampler_head_dim"),
        mask=BIDIRECTIONAL,
    )
    forward = MLP(intermediate_size=4 * hidden, activation=c.text("hidden_act") or "silu")
    memory = vectors("memory_norm", hidden)
    steps = [
        Sublayer(name="attention", mixers=[own], norm=norm, projections=[memory]),
        Sublayer(name="feed_forward", mixers=[forward], norm=norm),
    ]
    return Stack(
        name="resampler",
        stream="image",
        hidden_size=hidden,
        blocks=[Block(name="resampler", layers=LayerSet.first(c.int("resampler_depth", minimum=0, maximum=LIMIT)), sublayers=steps)],
        final_norm=norm,
        component="projector",
        projections=[vectors("latents", c.int("resampler_n_latents"), hidden)],
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of such a checkpoint."""
    return tower_rows(a, NAMES, "model.")
