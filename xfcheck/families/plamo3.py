"""PLaMo 3 (Preferred Networks and NICT): norms before and after each step and of each head, windows in all but each eighth layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL, Mask
from ..architecture.norm import Norm
from ._read.blocks import decoder_stack, sandwiched
from ._read.decoder import attention, causal_model, gated, head_dim, rms
from ._read.layers import depth, every
from ._read.published import like, published, under
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("plamo3",)

TABLE = published(
    "plamo3",
    "Plamo3Config",
    "modeling_plamo.py of pfnet/plamo-3-nict-8b-base",
    defaults={
        "vocab_size": 32000, "hidden_size": 4096, "intermediate_size": 13312, "num_hidden_layers": 32, "num_attention_heads": 32,
        "num_key_value_heads": 4, "head_dim": 128, "hidden_act": "silu", "max_position_embeddings": 2048, "rms_norm_eps": 1e-6,
        "tie_word_embeddings": True, "window_size": 128, "sliding_window_pattern": 8, "attention_bias": False,
    },
    models={"Plamo3ForCausalLM": "causal", "Plamo3Model": "none"},
    theta=150000.0,
)  # fmt: skip

NAMES = LLAMA.but(
    {
        "layer": "model.layers.layers.{layer}.",
        "attention.norm": "pre_mixer_norm",
        "attention.norm_after": "post_mixer_norm",
        "feed_forward.norm": "pre_mlp_norm",
        "feed_forward.norm_after": "post_mlp_norm",
        "attention.qkv": "mixer.qkv_proj",
        "attention.output": "mixer.o_proj",
        "attention.query_norm": "mixer.q_norm",
        "attention.key_norm": "mixer.k_norm",
        "mlp.gate_up": "mlp.gate_up_proj",
    }
)
FULL, SLIDING = "full", "sliding"


def architecture(c: Settings) -> Architecture:
    """Each `sliding_window_pattern`-th layer sees everything, the others `window_size` tokens."""
    like(c, "read from what serves it: no config whose total is known was at hand")
    c = under(c, TABLE, attention_bias=False)
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    width, window = head_dim(c, hidden, c.int("num_attention_heads")), c.int("window_size")
    each = Norm(eps=norm.eps)

    def sublayers(kind: str) -> list[Sublayer]:
        mask = CAUSAL if kind == FULL else Mask(kind="sliding", window=window)
        heads = attention(c, hidden, mask=mask, position=rotary(c, width), width=width, query_norm=each, key_norm=each)
        return sandwiched(heads.model_copy(update={"packing": "qkv"}), gated(c).model_copy(update={"packing": "gate_up"}), norm)

    kinds = every(layers, c.int("sliding_window_pattern"), FULL, SLIDING)
    return causal_model(c, decoder_stack(hidden, {(kind,): held for kind, held in kinds.items()}, sublayers, norm))


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES)
