"""Axolotl's YAML.

Source: axolotl 0.18 (067b021c), utils/schemas/config.py and datasets.py; axolotl#449, #1082, #1847, #3453, #3754, pull request 3796.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .hf_trainer import attention, is_flash, length, padding, precision, recurrent_layers, size_of_packed_step
from .recipe import Keys, Recipe

if TYPE_CHECKING:
    from .recipe import Written

OWN = (
    "sequence_len",
    "sample_packing",
    "micro_batch_size",
    "adapter",
    "train_on_inputs",
    "flash_attention",
    "val_set_size",
    "rl",
    "chat_template",
)
BACKENDS = {"flash_attention": "flash_attention_2", "xformers_attention": "xformers", "sdp_attention": "sdpa", "flex_attention": "flex",
            "eager_attention": "eager"}  # fmt: skip


def reads(written: Written) -> bool:
    """A base model with data sets, or with any key of axolotl's own."""
    data = written.data
    return written.source == "mapping" and "base_model" in data and ("datasets" in data or any(key in data for key in OWN))


def recipe(written: Written) -> Recipe:
    """Read the keys."""
    keys = Keys((written.data, ""))
    out = Recipe("axolotl", "axolotl", keys.text("base_model"))
    length(out, keys.whole("sequence_len"), 512, "axolotl takes 512")
    out.take("batch", keys.whole("micro_batch_size"))
    out.take("gradient_accumulation", keys.whole("gradient_accumulation_steps"))
    out.take("optimizer", keys.text("optimizer"))
    precision(out, keys)
    named = attention(out, keys.text("attn_implementation"))
    if named is None:
        for flag, backend in BACKENDS.items():
            if keys.on(flag) is not None:
                out.take("attention", keys.on(flag), backend)
                named = backend
                break
    special = keys.below("special_tokens")
    padding(out, special.text("pad_token"), special.text("eos_token"))
    _packing(out, keys, named)
    _labels(out, keys, special)
    return out


def _packing(out: Recipe, keys: Keys, named: str | None) -> None:
    packing = keys.flag("sample_packing")
    out.take("packing", packing)
    if packing is None or packing.value is not True:
        return
    if named is None:
        out.note("XF205", "sample_packing without an attention backend that isolates samples: they may attend to one another", packing,
                 "attn_implementation: flash_attention_2 (or flex_attention)")  # fmt: skip
    elif named == "sdpa":
        out.note("XF205", "sample_packing with sdpa isolates samples only since pull request 3796 (July 2026)", packing, severity="info")
    elif not is_flash(named) and named not in ("flex", "xformers"):
        out.note(
            "XF205", f"sample_packing with {named} attention: samples attend to one another", packing, "flash_attention_2 or flex_attention"
        )
    micro = keys.whole("micro_batch_size")
    if micro is not None and micro.value > 1:
        size_of_packed_step(out, micro.value, out.train.get("sequence_length"), micro, joined=True)
    recurrent_layers(out, packing)
    for key in ("rl", "batch_flattening"):
        other = keys.find(key)
        if other is not None and other.value not in (False, "") and not (key == "rl" and other.value == "none"):
            out.note(
                "XF215", f"sample_packing with {key}: axolotl refuses the two together", other, f"without {key}, or without sample_packing"
            )


def _labels(out: Recipe, keys: Keys, special: Keys) -> None:
    inputs = keys.flag("train_on_inputs")
    trained = inputs is not None and inputs.value is True
    out.mask(prompt="trained" if trained else "masked", by="labels")
    if inputs is not None:
        out.places["/train/loss_mask"] = inputs.pointer
    if inputs is not None and trained:
        out.note("XF218", "train_on_inputs is true: the prompt is in the loss", inputs)
    sets: Any = keys.find("datasets")
    listed = sets.value if sets is not None and isinstance(sets.value, list) else []
    for at, entry in enumerate(listed):
        if isinstance(entry, dict):
            _data_set(out, Keys((entry, f"/datasets/{at}")), trained=trained)
    template = keys.text("chat_template")
    if template is not None and template.value.startswith("gemma") and not keys.has("eot_tokens") and special.text("eos_token") is None:
        said = (
            "the gemma template ends turns with <end_of_turn>, the tokenizer's end is <eos>: without eot_tokens no end of a turn is trained"
        )
        out.note("XF213", said, template, 'eot_tokens: ["<end_of_turn>"]')


def _data_set(out: Recipe, entry: Keys, *, trained: bool) -> None:
    roles = entry.find("roles_to_train")
    if roles is not None and roles.value == [] and not trained:
        out.note("XF206", "roles_to_train is empty and train_on_inputs false: every label is -100", roles, 'roles_to_train: ["assistant"]')
    ends = entry.text("train_on_eos")
    if ends is not None and ends.value == "none" and not (roles is not None and roles.value == []):
        out.note("XF213", "train_on_eos is none: no end of a turn is trained", ends, "train_on_eos: turn")
