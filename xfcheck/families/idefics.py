"""IDEFICS (Laurençon et al. 2023, arXiv 2306.16527), after Flamingo: a Llama whose layers have gated ones between that read pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.masks import BIDIRECTIONAL, CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.cross_attention import CrossAttention
from ..architecture.mixers.mlp import MLP
from ..architecture.norm import Norm
from ._classes import class_table
from ._read.decoder import causal_model, gated, quotient, rms
from ._read.encoder_decoder import NORM
from ._read.head import head_kind
from ._read.plain import sequential
from ._read.rotary import rotary
from ._read.siglip_tower import clip_names, clip_tower
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("idefics",)

RESAMPLER = "model.perceiver_resampler."

NAMES = LLAMA.but(
    {
        "gates:layer": "model.gated_cross_attn_layers.{layer}.",
        **{f"cross_attention.{part}": f"cross_attn.{part[0]}_proj" for part in ("query", "key", "value", "output")},
        "cross_attention.norm": "input_layernorm",
        "cross_attention.query_norm": "cross_attn.q_layer_norm",
        "cross_attention.key_norm": "cross_attn.k_layer_norm",
        "cross_attention.gate": "alpha_cross_attn!",
        "feed_forward.gate": "alpha_dense!",
        "resampler:layer": RESAMPLER + "blocks.{layer}.",
        "resampler:final_norm": f"{RESAMPLER}layer_norm",
        "resampler:latents": f"{RESAMPLER}latents!",
        **{f"resampler:attention.{part}": f"0.{part[0]}_proj" for part in ("query", "key", "value")},
        "resampler:attention.output": "0.output_proj",
        "resampler:attention.query_norm": "0.q_layer_norm",
        "resampler:attention.key_norm": "0.k_layer_norm",
        "resampler:attention.norm": "0.latents_layer_norm",
        "resampler:attention.memory_norm": "0.context_layer_norm",
        "resampler:feed_forward.norm": "1.ln",
        "resampler:mlp.up": "1.fc",
        "resampler:mlp.down": "1.c_proj",
        **clip_names("model.vision_model."),
        "more_words": "model.embed_tokens.additional_embedding",
        "more_scores": "lm_head.additional_fc",
    }
)


def architecture(c: Settings) -> Architecture:
    """Words added later have a table and a head of their own. `qk_layer_norms` is of the gated layers alone.

    The gated layers read what a tower, or a resampler behind it, has seen. Without pictures their attention does no work.
    """
    kind, hidden, norm = head_kind(c, "seq2seq"), c.int("hidden_size"), rms(c)
    tower = clip_tower(c.nested("vision_config", class_table("idefics_vision")))
    heads, forward = c.int("num_attention_heads"), gated(c)
    width = quotient(c, hidden, heads)
    inner = Norm(eps=norm.eps, size=width) if c.flag("qk_layer_norms") else None
    own = Attention(query_heads=heads, kv_heads=heads, head_dim=width, mask=CAUSAL, position=rotary(c, width))
    count = c.int("num_hidden_layers", minimum=0, maximum=LIMIT)
    text = Stack(
        stream="text",
        hidden_size=hidden,
        blocks=[Block(name="text", layers=LayerSet.first(count), sublayers=sequential(own, forward, norm))],
        final_norm=norm,
    )
    cross = CrossAttention(
        query_heads=heads, kv_heads=heads, head_dim=width, memory="absent", memory_size=tower.hidden_size, query_norm=inner, key_norm=inner,
    )  # fmt: skip
    made = causal_model(c, text, default="seq2seq")
    extra = c.int("additional_vocab_size", minimum=0)
    if extra and kind == "seq2seq" and made.head.tied:
        c.assume("additional_vocab_size", extra, "tied or not: counted with a head of its own", estimated=True)
    more = [Projection(name="more_words", shape=[extra, hidden], multiplies=False, component="token_embedding")] if extra else []
    if extra and kind == "seq2seq":
        more.append(Projection(name="more_scores", shape=[extra, hidden], component="head"))
    gates = between(c, cross, forward, count)
    others = [tower, *([resampler(c, tower.hidden_size)] if c.flag("use_resampler") else [])]
    return made.model_copy(update={"stacks": [text, gates, *others], "projections": more})


def between(c: Settings, cross: CrossAttention, forward: MLP, count: int) -> Stack:
    """One layer that reads for every `cross_layer_interval` of the others, its two steps scaled by a trained number or vector each."""
    norm, hidden = rms(c), c.int("hidden_size")
    shape = [1, 1, hidden] if c.text("alpha_type") == "vector" else [1]
    gate = Projection(name="gate", shape=shape, multiplies=False)
    steps = [
        Sublayer(name=name, mixers=[mixer], norm=norm, projections=[gate])
        for name, mixer in (("cross_attention", cross), ("feed_forward", forward))
    ]
    layers = LayerSet.first(count // c.int("cross_layer_interval"))
    return Stack(name="gates", stream="text", hidden_size=hidden, blocks=[Block(name="gates", layers=layers, sublayers=steps)])


def resampler(c: Settings, wide: int) -> Stack:
    """Trained vectors that read the patches and each other (Perceiver, arXiv 2103.03206)."""
    p = c.nested("perceiver_config", class_table("idefics_perciever"))
    heads, width = p.int("resampler_n_heads"), p.int("resampler_head_dim")
    inner = NORM.model_copy(update={"size": width}) if p.flag("qk_layer_norms_perceiver") else None
    own = Attention(query_heads=heads, kv_heads=heads, head_dim=width, mask=BIDIRECTIONAL, query_norm=inner, key_norm=inner)
    forward = MLP(intermediate_size=4 * wide, activation="relu", gated=False)
    memory = Projection(name="memory_norm", shape=[wide], multiplies=False, bias=True)
    steps = [
        Sublayer(name="attention", mixers=[own], norm=NORM, projections=[memory]),
        Sublayer(name="feed_forward", mixers=[forward], norm=NORM),
    ]
    return Stack(
        name="resampler",
        stream="image",
        hidden_size=wide,
        blocks=[Block(name="resampler", layers=LayerSet.first(p.int("resampler_depth", minimum=0, maximum=LIMIT)), sublayers=steps)],
        final_norm=NORM,
        component="projector",
        projections=[Projection(name="latents", shape=[p.int("resampler_n_latents"), wide], multiplies=False)],
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES)
