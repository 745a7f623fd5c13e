"""Axolotl's YAML.

Source: axolotl 0.18 (067b021c), utils/schemas/config.py and datasets.py; axolotl#449, #1082, #1847, #3453, #3754, pull request 3796.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .hf_trainer import (
    accumulation,
    attention,
    balancing,
    is_flash,
    length,
    padding,
    precision,
    recurrent_layers,
    size_of_packed_step,
)
from .recipe import Found, Keys, Recipe

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
PLAIN_TYPES = ("alpaca", "alpaca_chat", "alpaca_w_system", "completion", "pretrain", "input_output", "context_qa", "gpteacher", "jeopardy",
               "oasst", "summarizetldr", "creative_acr", "metharme", "pygmalion", "orcamini")  # fmt: skip
"""Types of data sets whose labels come from the columns: no roles are read."""
SHAREGPT = "type: chat_template, field_messages: conversations, message_property_mappings: {role: from, content: value}"
OF_CHATS = ("roles_to_train", "train_on_eos", "train_on_eot", "message_field_training", "message_field_training_detail")
"""Options of a data set that the type chat_template reads."""


def reads(written: Written) -> bool:
    """A base model with data sets, or with any key of axolotl's own."""
    data = written.data
    own = "datasets" in data or any(key in data for key in OWN)
    return written.source == "mapping" and "base_model" in data and own and "merge_method" not in data


def recipe(written: Written) -> Recipe:
    """Read the keys."""
    keys = Keys((written.data, ""))
    out = Recipe("axolotl", "axolotl", keys.text("base_model"))
    longest = length(out, keys, ("sequence_len",), 512, "axolotl takes 512")
    _overlong(out, longest, keys.text("excess_length_strategy"))
    out.take("batch", keys.whole("micro_batch_size"))
    out.take("gradient_accumulation", keys.whole("gradient_accumulation_steps"))
    accumulation(out, keys.whole("gradient_accumulation_steps"))
    _experts(out, keys.below("overrides_of_model_config", "model_config"))
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


def _overlong(out: Recipe, longest: Found | None, strategy: Found | None) -> None:
    if strategy is not None and strategy.value == "truncate":
        said = "samples longer than sequence_len are cut at their end: the end token and later turns go first"
        out.note("XF223", said, strategy, "excess_length_strategy: raise, or a sequence_len above the longest sample")
    elif longest is not None and (strategy is None or strategy.value == "drop"):
        said = "samples longer than sequence_len are dropped (excess_length_strategy drop)"
        out.note("XF223", said, strategy or longest, "excess_length_strategy: raise, or a sequence_len above the longest sample")


def _experts(out: Recipe, model: Keys) -> None:
    balancing(out, model.find("router_aux_loss_coef"))
    off = model.off("output_router_logits")
    if off is not None:
        said = "output_router_logits is false: no balancing loss is computed, where the base model has experts"
        out.note("XF517", said, off, "output_router_logits: true", "info")


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
    if keys.find("pretraining_dataset") is not None and keys.find("datasets") is None:
        out.mask(prompt="trained")
    sets: Any = keys.find("datasets")
    listed = sets.value if sets is not None and isinstance(sets.value, list) else []
    pairs = keys.find("rl") is not None
    for at, entry in enumerate(listed):
        if isinstance(entry, dict) and not pairs:
            _data_set(out, Keys((entry, f"/datasets/{at}")), trained=trained)
    template = keys.text("chat_template")
    if template is not None and template.value.startswith("gemma") and not keys.has("eot_tokens") and special.text("eos_token") is None:
        said = (
            "the gemma template ends turns with <end_of_turn>, the tokenizer's end is <eos>: without eot_tokens no end of a turn is trained"
        )
        out.note("XF213", said, template, 'eot_tokens: ["<end_of_turn>"]')


def _data_set(out: Recipe, entry: Keys, *, trained: bool) -> None:
    kind = entry.text("type")
    if kind is not None and kind.value.split(".")[0].split(":")[0] == "sharegpt":
        out.note("XF215", f"type {kind.value}: axolotl refuses it since it has chat_template", kind, SHAREGPT)
        return
    if kind is not None and kind.value.split(".")[0].split(":")[0] in PLAIN_TYPES:
        unread = next((f for name in OF_CHATS if (f := entry.find(name)) is not None), None)
        if unread is not None:
            said = f"{unread.pointer.rpartition('/')[2]} is read for type chat_template alone, not for {kind.value}"
            out.note("XF216", said, unread, "type: chat_template")
        return
    roles = entry.find("roles_to_train")
    if roles is None and kind is not None and kind.value.split(".")[0] == "chat_template":
        said = "roles_to_train is assistant by default since 0.7.0; in 0.5 and 0.6 no role was trained by default"
        out.note("XF219", said, kind, 'roles_to_train: ["assistant"]')
    if roles is not None and roles.value == [] and not trained:
        out.note("XF206", "roles_to_train is empty and train_on_inputs false: every label is -100", roles, 'roles_to_train: ["assistant"]')
    ends = entry.text("train_on_eos")
    if ends is not None and ends.value == "none" and not (roles is not None and roles.value == []):
        out.note("XF213", "train_on_eos is none: no end of a turn is trained", ends, "train_on_eos: turn")
