"""DeciLM and Llama-Nemotron (arXiv 2505.00949): layers found by search, each with an attention and a network of its own, or without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.masks import CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ._read.decoder import causal_model, head_dim, rms
from ._read.layers import depth, grouped
from ._read.published import like, published, under
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("deci", "nemotron-nas")
CONFIRMED = {"nemotron-nas": "parameters of nvidia/Llama-3_3-Nemotron-Super-49B-v1 as the hub counts its safetensors: 49,867,145,216"}

TABLE = published(
    "nemotron-nas",
    "DeciLMConfig",
    "configuration_decilm.py of nvidia/Llama-3_1-Nemotron-51B-Instruct, which extends LlamaConfig",
    defaults={
        "vocab_size": 32000, "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "hidden_act": "silu",
        "rms_norm_eps": 1e-6, "max_position_embeddings": 2048, "tie_word_embeddings": False, "attention_bias": False, "mlp_bias": False,
    },
    models={"DeciLMForCausalLM": "causal"},
)  # fmt: skip

NAMES = LLAMA.but({"attention.linear": "self_attn.linear_attn", "feed_forward.linear": "mlp.linear_mlp"})
UNUSUAL = {
    "attention": (
        "replace_with_linear",
        "window_length",
        "num_sink_tokens",
        "use_prefill_window_in_sink_attention",
        "unshifted_sink",
        "sparsify",
    ),
    "ffn": ("replace_with_linear", "sparsify"),
}
"""Switches of a layer's two parts that are off wherever a total is known."""
OF = 256
"""The inner width is rounded up to a multiple of this."""


def architecture(c: Settings) -> Architecture:
    """`block_configs`, one a layer; DeciLM-7B instead lists its key-value heads. Raises Refused XF114 for a list of another length."""
    if c.data.get("model_type") not in CONFIRMED:
        like(c, "read from the published class: no total that is known confirms it")
    c = under(c, TABLE, attention_bias=False, mlp_bias=False)
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    heads = c.int("num_attention_heads")
    width = head_dim(c, hidden, heads)
    position = rotary(c, width)
    blocks = []
    for number, (key, held) in enumerate(grouped(_keys(c, hidden, heads, layers)).items()):
        mixing, feeding = key.split("/")
        steps = _step("attention", mixing, hidden, norm), _step("feed_forward", feeding, hidden, norm)
        made = [
            s.model_copy(update={"mixers": [_attention(int(mixing), heads, width, position)]})
            if s.name == "attention" and mixing.isdigit()
            else s
            for s in steps
            if s
        ]
        blocks.append(Block(name=f"decoder_{number}", layers=held, sublayers=made))
    return causal_model(c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm))


def _attention(groups: int, heads: int, width: int, position: Any) -> Attention:
    return Attention(query_heads=heads, kv_heads=groups, head_dim=width, mask=CAUSAL, position=position)


def _step(name: str, what: str, hidden: int, norm: Any) -> Sublayer | None:
    """A step of a number (its key-value heads or inner width), of one square matrix (`linear`), or none."""
    if what == "none":
        return None
    if what == "linear":
        square = Projection(name="linear", shape=[hidden, hidden], component="attention" if name == "attention" else "mlp")
        return Sublayer(name=name, mixers=[], norm=norm, projections=[square])
    return Sublayer(name=name, mixers=[] if name == "attention" else [MLP(intermediate_size=int(what))], norm=norm)


def _keys(c: Settings, hidden: int, heads: int, layers: int) -> list[str]:
    """What each layer is, as `heads/width`."""
    given = c.list("block_configs")
    for block in given or ():
        _unusual(c, block)
    if given is None:
        listed = c.list("num_key_value_heads_per_layer") or [c.optional_int("num_key_value_heads") or heads] * layers
        inner = c.int("intermediate_size")
        found = [f"{groups}/{inner}" for groups in listed if isinstance(groups, int) and groups > 0]
    else:
        found = [f"{_mixing(c, block, heads)}/{_feeding(c, block, hidden)}" for block in given[:layers]]
    if len(found) != layers:
        raise c.refuse(
            "block_configs", f"{len(found)} layers are described, the model has {layers}", code="XF114", help=f"one entry a layer: {layers}"
        )
    return found


def _unusual(c: Settings, block: Any) -> None:
    """Note what the confirmed checkpoint has in no layer: windows, sinks, a matrix in the place of a step."""
    for part, keys in UNUSUAL.items():
        inner = block.get(part) if isinstance(block, dict) else None
        for key in keys:
            if isinstance(inner, dict) and inner.get(key) not in (None, False):
                c.assume("block_configs", key, f"{key} of a layer: no published total confirms this switch", estimated=True)


def _mixing(c: Settings, block: Any, heads: int) -> str:
    part = block.get("attention") if isinstance(block, dict) else None
    if not isinstance(part, dict):
        raise c.refuse("block_configs", "a block config has no `attention`", code="XF113")
    if part.get("no_op") is True or part.get("replace_with_linear") is True:
        return "none" if part.get("no_op") is True else "linear"
    group = part.get("n_heads_in_group")
    if isinstance(group, bool) or not isinstance(group, int) or group < 1 or heads % group:
        raise c.refuse("block_configs", f"n_heads_in_group is {group!r}, a divisor of {heads} heads is needed", code="XF113")
    return str(heads // group)


def _feeding(c: Settings, block: Any, hidden: int) -> str:
    part = block.get("ffn") if isinstance(block, dict) else None
    if not isinstance(part, dict):
        raise c.refuse("block_configs", "a block config has no `ffn`", code="XF113")
    if part.get("no_op") is True or part.get("replace_with_linear") is True:
        return "none" if part.get("no_op") is True else "linear"
    width = part.get("intermediate_size")
    if isinstance(width, int) and not isinstance(width, bool) and width > 0:
        return str(width)
    factor = part.get("ffn_mult")
    if isinstance(factor, bool) or not isinstance(factor, int | float) or not 0 < factor < 1000:
        raise c.refuse("block_configs", f"ffn_mult is {factor!r}, a number above 0 is needed", code="XF113")
    inner = int(2 * factor * hidden / 3)
    return str(-(-inner // OF) * OF)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES)
