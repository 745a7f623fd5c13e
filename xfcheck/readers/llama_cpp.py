"""llama.cpp: what its converter writes into a GGUF file, in the words of the config.

Source: llama.cpp, conversion/base.py (`load_hparams`, `TextModel.set_gguf_parameters`) and the conversion modules of single
architectures: the config is loaded through transformers where that knows the type, else as it stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import transformers5
from .rope import rope5
from .transformers5 import prefix
from .value import Value, View

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..rules._context import Context, Scope
    from .rope import Rope

VERSION = "2026"
WRITTEN: dict[str, tuple[str, ...]] = {
    "context_length": ("max_position_embeddings", "n_ctx", "n_positions", "max_length", "max_sequence_length", "model_max_length"),
    "embedding_length": ("hidden_size", "n_embd", "dim"),
    "block_count": ("n_layers", "num_hidden_layers", "n_layer", "num_layers"),
    "feed_forward_length": ("intermediate_size", "n_inner", "hidden_dim"),
    "attention.head_count": ("num_attention_heads", "n_head", "n_heads"),
    "attention.head_count_kv": ("num_key_value_heads", "n_kv_heads"),
    "attention.layer_norm_rms_epsilon": ("rms_norm_eps", "norm_eps"),
    "attention.layer_norm_epsilon": ("layer_norm_eps", "layer_norm_epsilon", "norm_epsilon"),
    "attention.key_length": ("head_dim",),
    "expert_count": ("num_local_experts", "num_experts", "n_routed_experts"),
    "expert_used_count": ("num_experts_per_tok", "num_experts_per_token", "top_k_experts"),
    "vocab_size": ("vocab_size",),
}
"""Key of the GGUF file (below the architecture's name) -> the config's keys, the first that is there."""
WINDOWED = frozenset([
    "gemma2", "gemma3_text", "gemma3n_text", "gemma4_text", "phi3", "cohere2", "gpt_oss", "exaone4", "exaone_moe", "olmo3", "afmoe",
    "mimo_v2_flash", "step3p5", "modernbert", "laguna",
])  # fmt: skip
"""Types whose converter writes the window; the others run full attention on every layer."""
SCALED = {"linear": "linear", "yarn": "yarn", "longrope": "longrope", "su": "longrope"}
FACTORS = ("factor", "original_max_position_embeddings", "beta_fast", "beta_slow", "attention_factor")
BASE = 10000.0


def view(context: Context) -> View:
    """The model as a GGUF file describes it."""
    base = transformers5.view(context)
    values: dict[str, Value] = {}
    unread: dict[str, str] = dict(base.unread)
    for scope in context.scopes[:1]:
        start = prefix(scope)
        for written, keys in WRITTEN.items():
            found = next((key for key in keys if (v := base.values.get(start + key)) is not None and v.value is not None), None)
            if found is not None:
                value = base.values[start + found]
                values[start + found] = value._replace(detail=f"{value.detail}, written as {written}")
        values.update({start + name: value for name, value in rotary(scope)})
        values.update({start + name: value for name, value in windows(scope, base.values, start)})
    return View("llama.cpp", VERSION, values, unread, None, partial=True)


def windows(scope: Scope, values: dict[str, Value], start: str) -> Iterator[tuple[str, Value]]:
    """The window, where the converter of the type writes one."""
    window = values.get(f"{start}sliding_window")
    if window is None or window.value is None:
        return
    if scope.model_type in WINDOWED:
        yield "sliding_window", window._replace(detail=f"{window.detail}, written as attention.sliding_window")
    else:
        yield (
            "sliding_window",
            Value(None, "reader default", f"no window is written for {scope.model_type}: every layer sees everything", window.pointer),
        )


def rotary(scope: Scope) -> Iterator[tuple[str, Value]]:
    """Base and scaling: of layers that see everything, and the base of windowed ones."""
    found = rope5(scope)
    whole = next((rope for rope in found if rope.layers in (None, "full_attention")), None)
    if whole is not None:
        start = "rope." if whole.layers is None else f"rope.{whole.layers}."
        theta = whole.values["theta"]
        missing = Value(BASE, "reader default", "rope.freq_base is not written")
        yield f"{start}theta", missing if theta.value is None else theta._replace(detail=f"{theta.detail}, written as rope.freq_base")
        yield from ((start + name, value) for name, value in scaling(whole))
    local = next((rope for rope in found if rope.layers == "sliding_attention"), None)
    if local is not None and whole is not local:
        theta = local.values["theta"]
        yield "rope.sliding_attention.theta", theta._replace(detail=f"{theta.detail}, written as rope.freq_base_swa")
        yield "rope.sliding_attention.type", Value("default", "reader default", "windowed layers are not scaled")


def scaling(rope: Rope) -> Iterator[tuple[str, Value]]:
    """The type as written, and its numbers."""
    kind = rope.values["type"]
    if kind.value == "llama3":
        yield "type", kind._replace(detail=f"{kind.detail}, written as the tensor rope_freqs")
        yield from ((key, rope.values[key]) for key in ("factor", "low_freq_factor", "high_freq_factor") if key in rope.values)
    elif isinstance(kind.value, str) and kind.value in SCALED:
        yield "type", Value(SCALED[kind.value], kind.source, f"{kind.detail}, written as rope.scaling.type", kind.pointer)
        yield from ((key, rope.values[key]) for key in FACTORS if key in rope.values and kind.value != "longrope")
    else:
        lost = kind.value not in (None, "default", "axial", "mrope")
        yield "type", Value("default", "reader default", f"{kind.value} is not written", kind.pointer) if lost else kind
    if "mrope_section" in rope.values:
        yield "mrope_section", rope.values["mrope_section"]._replace(detail="written as rope.dimension_sections")
