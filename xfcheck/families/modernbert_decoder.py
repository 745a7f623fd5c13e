"""ModernBERT's decoder (Ettin, arXiv 2507.11412): pre-norm without one before the first attention, windows on two of three layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.layers import LayerSet
from ..architecture.mixers.attention import Attention
from ._read.blocks import decoder_stack, prenorm
from ._read.decoder import QKVO, causal_model, gated, layer_norm, quotient
from ._read.dual_rotary import dual_rotary
from ._read.layers import crossed, depth, every, listed
from ._read.windows import FULL, SLIDING, mask_of
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("modernbert-decoder",)

FIRST, LATER = "first", "later"
BASES = {FULL: "global_rope_theta", SLIDING: "local_rope_theta"}

NAMES = LLAMA.but(
    {
        "embedding": "model.embeddings.tok_embeddings",
        "embedding_norm": "model.embeddings.norm",
        "final_norm": "model.final_norm",
        "attention.norm": "attn_norm",
        "attention.query": "attn.q_proj",
        "attention.key": "attn.k_proj",
        "attention.value": "attn.v_proj",
        "attention.output": "attn.Wo",
        "feed_forward.norm": "mlp_norm",
        "mlp.gate_up": "mlp.Wi",
        "mlp.down": "mlp.Wo",
        "mlp.activation": "mlp.act",
        "transform": "lm_head.dense",
        "transform_norm": "lm_head.norm",
        "head": "decoder",
        "sequence_classification:transform": "head.dense",
        "sequence_classification:transform_norm": "head.norm",
        "classifier": "classifier",
    }
)


def architecture(c: Settings) -> Architecture:
    """The window is half of `local_attention`. Before the head stand a dense layer and a norm, in the classifier too."""
    hidden, heads, layers = c.int("hidden_size"), c.int("num_attention_heads"), depth(c)
    norm, width, bias = layer_norm(c, "norm_eps", bias=c.flag("norm_bias")), quotient(c, hidden, heads), c.flag("mlp_bias")
    window, biases = _window(c), QKVO if c.flag("attention_bias") else []
    period = c.optional_int("global_attn_every_n_layers", minimum=1)
    kinds = listed(c, layers, known=(FULL, SLIDING)) or every(layers, 3 if period is None else period, FULL, SLIDING, offset=0)
    places = {kind: held for kind, held in ((FIRST, LayerSet.first(1)), (LATER, LayerSet((range(1, layers),)))) if len(held)}
    forward = gated(c, bias=bias, activation="hidden_activation").model_copy(update={"packing": "gate_up"})

    def layer(kind: str, place: str) -> list[Sublayer]:
        mixer = Attention(
            query_heads=heads, kv_heads=heads, head_dim=width, biases=biases, mask=mask_of(c, kind, window),
            position=dual_rotary(c, width, kind, keys=BASES, scaled=(FULL, SLIDING)), dropout=c.number("attention_dropout") or 0.0,
        )  # fmt: skip
        first, second = prenorm(mixer, forward, norm)
        return [first.model_copy(update={"norm": None}) if place == FIRST else first, second]

    stack = decoder_stack(hidden, crossed(kinds, places), layer, norm).model_copy(update={"embedding_norm": norm})
    whole = causal_model(c, stack, head_bias=c.flag("decoder_bias"))
    if whole.head.kind == "none":
        return whole
    given = {"transform": True, "transform_norm": norm, "transform_bias": c.flag("classifier_bias")}
    if whole.head.labels:
        given["bias"] = c.flag("classifier_bias")
    return whole.model_copy(update={"head": whole.head.model_copy(update=given)})


def _window(c: Settings) -> int | None:
    """Half of `local_attention`; an undeclared `sliding_window` of the file is set last and wins."""
    if c.has("sliding_window"):
        return c.optional_int("sliding_window")
    local = c.optional_int("local_attention")
    return local // 2 if local else None


def ledger(a: Architecture) -> list[Row]:
    """The rows of a ModernBERT decoder checkpoint."""
    return model(a, NAMES)
