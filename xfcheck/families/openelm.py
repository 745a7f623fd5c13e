"""OpenELM (arXiv 2404.14619): heads and inner width grow from layer to layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..architecture.blocks import Block, Stack
from ..architecture.masks import CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ..architecture.norm import Norm
from ._read.blocks import prenorm
from ._read.decoder import causal_model
from ._read.layers import depth, grouped
from ._read.published import published, under
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("openelm",)
CONFIRMED = {"openelm": "safetensors total of apple/OpenELM-270M: 271,527,168 parameters"}

TABLE = published(
    "openelm",
    "OpenELMConfig",
    "configuration_openelm.py of apple/OpenELM-270M",
    defaults={
        "vocab_size": 32000, "max_context_length": 2048, "num_transformer_layers": 12, "model_dim": 2048, "head_dim": 128,
        "ffn_dim_divisor": 256, "ffn_with_glu": True, "normalize_qk_projections": False, "share_input_output_layers": False,
        "rope_freq_constant": 10000, "activation_fn_name": "swish",
    },
    aliases={
        "num_hidden_layers": "num_transformer_layers", "hidden_size": "model_dim", "max_position_embeddings": "max_context_length",
        "tie_word_embeddings": "share_input_output_layers", "rope_theta": "rope_freq_constant",
    },
    models={"OpenELMForCausalLM": "causal"},
)  # fmt: skip

NAMES = Names(
    {
        "embedding": "transformer.token_embeddings",
        "layer": "transformer.layers.{layer}.",
        "final_norm": "transformer.norm",
        "head": "lm_head",
        "attention.norm": "attn_norm",
        "attention.qkv": "attn.qkv_proj",
        "attention.output": "attn.out_proj",
        "attention.query_norm": "attn.q_norm",
        "attention.key_norm": "attn.k_norm",
        "feed_forward.norm": "ffn_norm",
        "mlp.gate_up": "ffn.proj_1",
        "mlp.up": "ffn.proj_1",
        "mlp.down": "ffn.proj_2",
    },
    base_prefix="transformer.",
)


def architecture(c: Settings) -> Architecture:
    """`num_query_heads`, `num_kv_heads` and `ffn_multipliers`, one a layer. Raises Refused XF114 for lists of another length."""
    c = under(c, TABLE, ffn_with_glu=True, normalize_qk_projections=True, share_input_output_layers=True)
    hidden, layers, width, norm = c.int("hidden_size"), depth(c), c.int("head_dim"), Norm(eps=1e-6)
    divisor, glu = c.int("ffn_dim_divisor"), c.flag("ffn_with_glu")
    queries, keys, factors = (_list(c, key, layers) for key in ("num_query_heads", "num_kv_heads", "ffn_multipliers"))
    kinds = [f"{query}_{key}_{_divisible(factor * hidden, divisor)}" for query, key, factor in zip(queries, keys, factors, strict=True)]
    position, head_norm = rotary(c, width), norm if c.flag("normalize_qk_projections") else None
    blocks = []
    for kind, held in grouped(kinds).items():
        query, key, inner = (int(part) for part in kind.split("_"))
        mixer = Attention(
            query_heads=query, kv_heads=key, head_dim=width, packing="qkv", query_norm=head_norm, key_norm=head_norm, mask=CAUSAL,
            position=position,
        )  # fmt: skip
        forward = MLP(intermediate_size=inner, activation="silu", gated=glu, packing="gate_up" if glu else "separate")
        blocks.append(Block(name=f"decoder_{kind}", layers=held, sublayers=prenorm(mixer, forward, norm)))
    return causal_model(c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm))


def _divisible(value: float, divisor: int) -> int:
    """The nearest multiple of the divisor, at least one, and not more than a tenth below the value."""
    near = max(divisor, int(value + divisor / 2) // divisor * divisor)
    return near + divisor if near < 0.9 * value else near


def _list(c: Settings, key: str, layers: int) -> list[Any]:
    given = c.list(key)
    numbers = [v for v in given or [] if isinstance(v, int | float) and not isinstance(v, bool) and 0 < v < 10**6]
    if given is None or len(numbers) != len(given) or len(given) != layers:
        raise c.refuse(key, f"{key} needs a number above 0 for each of the {layers} layers", code="XF114", help=f"a list of {layers}")
    if key != "ffn_multipliers" and any(not isinstance(v, int) for v in numbers):
        raise c.refuse(key, f"{key} counts heads: whole numbers are needed")
    return numbers


def ledger(a: Architecture) -> list[Row]:
    """The rows of an OpenELM checkpoint."""
    return model(a, NAMES)
