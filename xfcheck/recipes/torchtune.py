"""torchtune's YAML.

Source: torchtune (bd2a0fc), datasets/_alpaca.py, _chat.py, _packed.py, _text_completion.py, data/_messages.py,
recipes/full_finetune_single_device.py; torchtune#875, #1875.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .hf_trainer import length, size_of_packed_step
from .recipe import Found, Keys, Recipe

if TYPE_CHECKING:
    from .recipe import Written

_COMMAND = re.compile(r"\btune[ \t]+run\b")
PROMPT_TRAINED = ("alpaca_dataset", "alpaca_cleaned_dataset", "grammar_dataset", "samsum_dataset")
"""Data sets that train on the prompt unless told otherwise (`train_on_input` true)."""


def reads(written: Written) -> bool:
    """Any component that is named by its path in torchtune."""
    named = any(isinstance(v, dict) and isinstance(v.get("_component_"), str) for v in written.data.values())
    return written.nested and (named or (written.source == "overrides" and _COMMAND.search(written.text) is not None))


def recipe(written: Written) -> Recipe:
    """Read the keys."""
    keys = Keys((written.data, ""))
    out = Recipe("torchtune", "torchtune", keys.below("model").text("_component_"), partial=written.source == "overrides")
    tokenizer, sets = keys.below("tokenizer"), _data_sets(keys)
    data = sets[0] if sets else Keys()
    longest = tokenizer.whole("max_seq_len")
    older = data.whole("max_seq_len")
    if longest is None and older is not None:
        out.note("XF219", "max_seq_len of a data set is the tokenizer's in newer versions", older, f"tokenizer.max_seq_len: {older.value}")
        longest, tokenizer = older, data
    unknown = out.partial or (longest is None and tokenizer.find("max_seq_len") is not None)
    packed = next((f for d in sets if (f := d.flag("packed")) is not None), None) or keys.flag("packed")
    if longest is not None:
        length(out, tokenizer, ("max_seq_len",), None, "")
    out.take("batch", keys.whole("batch_size"))
    steps = keys.whole("gradient_accumulation_steps")
    out.take("gradient_accumulation", steps)
    dtype = keys.text("dtype")
    if dtype is not None and dtype.value in ("bf16", "fp16", "fp32"):
        out.take("precision", dtype)
    out.take("packing", packed)
    if packed is not None and packed.value is True:
        if longest is None and not unknown:
            at = tokenizer.scopes[0][1] if tokenizer.scopes else packed
            out.note(
                "XF215", "packed without tokenizer.max_seq_len: torchtune raises, a row needs a length", at, "tokenizer.max_seq_len: 4096"
            )
        batch = keys.whole("batch_size")
        size_of_packed_step(out, 1 if batch is None else batch.value, None if longest is None else longest.value, packed, joined=False)
    elif longest is None and not unknown:
        out.note("XF217", "tokenizer.max_seq_len is null: samples are never cut, and the longest decides the memory",
                 tokenizer.scopes[0][1] if tokenizer.scopes else "", "tokenizer.max_seq_len")  # fmt: skip
    for each in sets or [Keys()]:
        _labels(out, each)
    _samples(out, keys, data, longest, packed)
    backward = keys.on("optimizer_in_bwd")
    if backward is not None and steps is not None and steps.value > 1:
        said = f"optimizer_in_bwd with {steps.value} accumulated batches: torchtune refuses it, gradients are gone before they are summed"
        out.note("XF215", said, backward, "gradient_accumulation_steps: 1")
    return out


def _data_sets(keys: Keys) -> list[Keys]:
    """The data set, or those of a list of them."""
    found = keys.find("dataset")
    if found is None or not isinstance(found.value, list):
        return [keys.below("dataset")] if found is not None else []
    return [Keys((entry, f"{found.pointer}/{at}")) for at, entry in enumerate(found.value) if isinstance(entry, dict)]


def _samples(out: Recipe, keys: Keys, data: Keys, longest: Found | None, packed: Found | None) -> None:
    """What of a sample is left: its end, its tail, its weight."""
    out.take("add_eos", data.flag("add_eos"))
    on = packed is not None and packed.value is True
    if longest is not None and not on:
        said = "samples longer than max_seq_len are cut at their end (truncation_type right): the end token and later turns go first"
        out.note("XF223", said, longest, "a max_seq_len above the longest sample")
        masked = data.off("train_on_input") or data.text("masking_strategy")
        if masked is not None and masked.value != "train_on_all":
            said = f"a prompt as long as max_seq_len ({longest.value}) leaves no label"
            out.note("XF206", said, longest, "a max_seq_len above the longest prompt, or long samples left out", "info")
    split = data.on("split_across_pack")
    if split is not None and not on:
        out.note("XF216", "split_across_pack has no effect without packed", split, "packed: true")
    steps = keys.whole("gradient_accumulation_steps")
    if steps is not None and steps.value > 1:
        said = f"{steps.value} accumulated batches: before torchtune 0.4 short samples weigh more, as each batch had a mean of its own"
        out.note("XF209", said, steps, "torchtune 0.4 or newer", "info")
    inputs = data.flag("train_on_input")
    if inputs is not None:
        said = "train_on_input is deprecated: newer message transforms read masking_strategy (train_on_assistant by default)"
        out.note("XF219", said, inputs, f"masking_strategy: {'train_on_all' if inputs.value is True else 'train_on_assistant'}")


def _labels(out: Recipe, data: Keys) -> None:
    inputs, strategy, component = data.flag("train_on_input"), data.text("masking_strategy"), data.text("_component_")
    name: Any = component.value.rpartition(".")[2] if component is not None else ""
    by_default = inputs is None and strategy is None and name in PROMPT_TRAINED
    everything = strategy is not None and strategy.value == "train_on_all"
    if (inputs is not None and inputs.value is True) or everything or by_default:
        out.mask(prompt="trained")
        at: Found | None = component if by_default else strategy if everything else inputs
        how = f"{name} trains on the prompt by default (train_on_input true)" if by_default else "the prompt is in the loss"
        out.note("XF218", how, at, "train_on_input: false" if by_default else None)
    else:
        out.mask(prompt="masked")
