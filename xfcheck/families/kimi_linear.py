"""Kimi Linear (arXiv 2510.26692): delta attention with a decay a channel, latent attention without positions between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..architecture.mixers.kimi_delta import KimiDelta
from ..architecture.norm import Norm
from ._read.blocks import dense_first, feeds
from ._read.decoder import causal_model
from ._read.hybrid import FULL, LINEAR
from ._read.kimi_delta import delta_stack
from ._read.latent import latent
from ._read.layers import depth, grouped, listed
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.layers import LayerSet
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("kimi_linear",)

EXPERTS = "block_sparse_moe"

NAMES = LLAMA.but(
    {
        "kimi_delta.norm": "input_layernorm",
        "kimi_delta.query": "self_attn.q_proj",
        "kimi_delta.key": "self_attn.k_proj",
        "kimi_delta.value": "self_attn.v_proj",
        "kimi_delta.query_conv": "self_attn.q_conv1d",
        "kimi_delta.key_conv": "self_attn.k_conv1d",
        "kimi_delta.value_conv": "self_attn.v_conv1d",
        "kimi_delta.forget_a": "self_attn.f_a_proj",
        "kimi_delta.forget_b": "self_attn.f_b_proj",
        "kimi_delta.gate_a": "self_attn.g_a_proj",
        "kimi_delta.gate_b": "self_attn.g_b_proj",
        "kimi_delta.beta": "self_attn.b_proj",
        "kimi_delta.dt_bias": "self_attn.dt_bias!",
        "kimi_delta.decay": "self_attn.A_log!",
        "kimi_delta.gated_norm": "self_attn.o_norm",
        "kimi_delta.out": "self_attn.o_proj",
        "mlp.gate": f"{EXPERTS}.gate_proj",
        "mlp.up": f"{EXPERTS}.up_proj",
        "mlp.down": f"{EXPERTS}.down_proj",
        "moe.router": f"{EXPERTS}.gate",
        "moe.correction": f"{EXPERTS}.gate.e_score_correction_bias!",
        "moe.expert.gate": f"{EXPERTS}.experts.{{expert}}.w1",
        "moe.expert.up": f"{EXPERTS}.experts.{{expert}}.w3",
        "moe.expert.down": f"{EXPERTS}.experts.{{expert}}.w2",
        "moe.shared.gate": f"{EXPERTS}.shared_experts.gate_proj",
        "moe.shared.up": f"{EXPERTS}.shared_experts.up_proj",
        "moe.shared.down": f"{EXPERTS}.shared_experts.down_proj",
    },
    {
        "kimi_delta.query_conv": "self_attn.conv1d",
        "kimi_delta.key_conv": "self_attn.conv1d",
        "kimi_delta.value_conv": "self_attn.conv1d",
        "kimi_delta.forget_a": "self_attn.forget_gate.f_a_proj",
        "kimi_delta.forget_b": "self_attn.forget_gate.f_b_proj",
        "kimi_delta.dt_bias": "self_attn.forget_gate.dt_bias!",
        "kimi_delta.decay": "self_attn.forget_gate.A_log!",
        "mlp.gate": "mlp.gate_proj",
        "mlp.up": "mlp.up_proj",
        "mlp.down": "mlp.down_proj",
        "moe.router": "mlp.gate",
        "moe.correction": "mlp.gate.e_score_correction_bias!",
        "moe.shared.gate": "mlp.shared_experts.gate_proj",
        "moe.shared.up": "mlp.shared_experts.up_proj",
        "moe.shared.down": "mlp.shared_experts.down_proj",
    },
)


def architecture(c: Settings) -> Architecture:
    """`linear_attn_config` beats the flat keys for the sizes of the delta layers; the head is never tied."""
    hidden, layers = c.int("hidden_size"), depth(c)
    nested = c.nested("linear_attn_config", None)

    def size(key: str, flat: str) -> int:
        return nested.int(key) if nested.has(key) else c.int(flat)

    width = size("head_dim", "linear_head_dim")
    delta = KimiDelta(
        heads=size("num_heads", "linear_num_heads"),
        head_dim=width,
        kernel=size("short_conv_kernel_size", "linear_conv_kernel_dim"),
        gate_rank=width,
        decay_axes=4,
        gated_norm=Norm(eps=c.number("rms_norm_eps")),
        activation=c.text("hidden_act") or "silu",
    )
    without_positions = latent(c).model_copy(update={"position": None, "kept_tokens": None})
    replaced = c.optional_int("first_k_dense_replace")
    feeding = feeds(c, layers, dense_first(1 if replaced is None else replaced, layers))
    return causal_model(c, delta_stack(c, hidden, kinds(c, nested, layers), feeding, delta, without_positions), tied=False)


def kinds(c: Settings, nested: Settings, layers: int) -> dict[str, LayerSet]:
    """Layers by `layer_types`, else by the lists of `linear_attn_config` (counted from one), else full attention in each fourth."""
    named = listed(c, layers, known=(LINEAR, FULL))
    if named is not None:
        return named
    full, linear = nested.list("full_attn_layers"), nested.list("kda_layers")
    if full is None or linear is None:
        return grouped(FULL if i and i % 4 == 0 else LINEAR for i in range(layers))
    given: dict[int, str] = {}
    for key, kind, indices in (("full_attn_layers", FULL, full), ("kda_layers", LINEAR, linear)):
        given |= {_index(nested, key, value, layers): kind for value in indices}
    missing = next((i for i in range(layers) if i not in given), None)
    if missing is not None:
        message = f"layer {missing + 1} is in neither full_attn_layers nor kda_layers"
        raise nested.refuse("kda_layers", message, code="XF114", help=f"the layers 1 to {layers}, each once")
    return grouped(given[i] for i in range(layers))


def _index(nested: Settings, key: str, value: Any, layers: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= layers:
        raise nested.refuse(
            key, f"{key} holds {value!r}, which is none of the layers 1 to {layers}", code="XF114", help="layers counted from one"
        )
    return value - 1


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Kimi Linear checkpoint as it is saved: the three convolutions apart, every feed-forward network under one name."""
    return model(a, NAMES)
