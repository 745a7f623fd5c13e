"""NeMo-RL's YAML.

Source: NeMo-RL (7ea279a), examples/configs/sft.yaml, nemo_rl/data.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..readers.chat_template import end_of_answer
from .hf_trainer import length, recurrent_layers
from .recipe import Keys, Recipe

if TYPE_CHECKING:
    from .recipe import Written


_COMMAND = re.compile(r"\brun_(?:sft|dpo|grpo|rm)\.py\b")


def reads(written: Written) -> bool:
    """A policy with its length, or beside an algorithm."""
    policy = written.data.get("policy")
    if not written.nested or not isinstance(policy, dict):
        return False
    if written.source == "overrides" and _COMMAND.search(written.text) is not None:
        return True
    return "max_total_sequence_length" in policy or (
        "model_name" in policy and any(k in written.data for k in ("sft", "grpo", "dpo", "rm"))
    )


def recipe(written: Written) -> Recipe:
    """Read the keys."""
    keys = Keys((written.data, ""))
    policy, data = keys.below("policy"), keys.below("data")
    out = Recipe("NeMo-RL", "nemo", policy.text("model_name"), partial=written.source == "overrides")
    told = "the example's 1024 (policy.max_total_sequence_length)"
    longest, micro = length(out, policy, ("max_total_sequence_length",), None, told), policy.whole("train_micro_batch_size")
    out.take("batch", micro)
    if longest is not None:
        said = "a sample longer than max_total_sequence_length is cut to a few tokens and left out of the loss"
        out.note("XF223", said, longest, "a max_total_sequence_length above the longest sample")
    if data.text("dataset_name") is not None:
        said = "data.dataset_name is data.train.dataset_name in newer versions"
        out.note("XF219", said, data.text("dataset_name"), "data: {train: {dataset_name: ...}}")
    _experts(out, keys, policy.below("megatron_cfg"))
    inputs = data.whole("max_input_seq_length")
    if inputs is not None and longest is not None and inputs.value > longest.value:
        said = f"data.max_input_seq_length {inputs.value} is above policy.max_total_sequence_length {longest.value}"
        out.note("XF216", said, inputs, f"{longest.value}")
    packing = policy.below("sequence_packing")
    on = packing.on("enabled")
    out.take("packing", packing.flag("enabled"))
    room = packing.whole("train_mb_tokens")
    if on is not None:
        if room is not None and longest is not None and room.value < longest.value:
            said = f"packs of {room.value} tokens are shorter than samples of up to {longest.value}: those cannot be placed"
            out.note("XF222", said, room, f"at least {longest.value}, max_total_sequence_length x train_micro_batch_size by default")
        recurrent_layers(out, on)
    if on is not None and policy.below("dynamic_batching").on("enabled") is not None:
        at = policy.below("dynamic_batching").on("enabled")
        out.note("XF215", "sequence_packing and dynamic_batching: NeMo-RL takes one of the two", at, "enabled: false for one")
    out.mask(prompt="masked", by="labels")
    if keys.below("sft").on("only_unmask_final") is not None:
        at = keys.below("sft").on("only_unmask_final")
        out.note("XF218", "only_unmask_final: the last answer alone is in the loss, earlier answers are context", at)
    _end(out, keys)
    return out


def _experts(out: Recipe, keys: Keys, megatron: Keys) -> None:
    """Balancing switched off in supervised tuning; in reinforcement learning a frozen router has no use for it."""
    kind = megatron.text("moe_router_load_balancing_type")
    if kind is not None and kind.value == "none" and keys.has("sft") and megatron.on("freeze_moe_router") is None:
        said = "moe_router_load_balancing_type none: nothing balances the experts, where the base model has any"
        out.note("XF517", said, kind, "moe_router_load_balancing_type: aux_loss", "info")


def _end(out: Recipe, keys: Keys) -> None:
    """Whether anything ends an answer."""
    ends, template = keys.below("data").flag("add_eos"), keys.below("policy").below("tokenizer").text("chat_template")
    if ends is None or ends.value is True:
        return
    if template is not None and end_of_answer(template.value, {"eos_token": "</s>"}) is not None:
        return
    out.take("add_eos", ends)
