"""Megatron-Bridge's YAML.

Source: Megatron-Bridge (067f987), training/config.py, data/packing/config.py, data/datasets/gpt_sft.py; Megatron-Bridge#3359.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .hf_trainer import length, recurrent_layers
from .megatron_data import counts_packs, cut_answers, mean_of_means, unbalanced
from .recipe import Found, Keys, Recipe

if TYPE_CHECKING:
    from .recipe import Written

SPECS = ("offline_packing_specs", "packed_sequence_specs")
OWN = (*SPECS, "enable_offline_packing", "dataset_kwargs", "dataloader_type", "answer_only_loss")
BESIDE = frozenset((
    "seq_length", "tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size", "micro_batch_size",
    "global_batch_size", "train_iters",
))  # fmt: skip
"""Keys of its training and model sections."""
STREAM = ("reset_position_ids", "reset_attention_mask", "eod_mask_loss", "blend", "blend_per_split", "data_path")
"""Keys of a data set of pretraining: rows are cut from a stream of documents."""


def reads(written: Written) -> bool:
    """A data set section with keys of its own, or with a length beside a training or a model section."""
    data = written.data.get("dataset")
    if not written.nested or not isinstance(data, dict):
        return False
    beside = any(not BESIDE.isdisjoint(written.data[name]) for name in ("train", "model") if isinstance(written.data.get(name), dict))
    lengthy = "seq_length" in data or "sequence_length" in data
    return (any(k in data for k in OWN) and (lengthy or beside)) or (lengthy and beside)


def recipe(written: Written) -> Recipe:
    """Read the keys."""
    keys = Keys((written.data, ""))
    data, model, train = keys.below("dataset"), keys.below("model"), keys.below("train")
    base = keys.below("checkpoint").text("pretrained_checkpoint") or keys.text("hf_model_id", "recipe")
    out = Recipe("Megatron-Bridge", "megatron", base, partial=written.source == "overrides")
    told = "the length of the Python recipe that the YAML overrides is taken (dataset.seq_length)"
    longest = length(out, data, ("seq_length", "sequence_length"), None, told)
    built = model.whole("seq_length")
    if longest is not None and built is not None and built.value != longest.value:
        said = f"dataset.seq_length {longest.value} and model.seq_length {built.value}: Megatron-Bridge refuses two lengths"
        out.note("XF215", said, built, f"{longest.value} in both")
    out.take("batch", train.whole("micro_batch_size"))
    _experts(out, model)
    if any(data.has(name) for name in STREAM):
        _documents(out, data)
        return out
    _packing(out, data, train, longest)
    _labels(out, data, longest)
    if model.on("calculate_per_token_loss") is None:
        told = "model.calculate_per_token_loss: true"
        mean_of_means(out, train.whole("global_batch_size"), train.whole("micro_batch_size"), "rows", told)
    return out


def _packing(out: Recipe, data: Keys, train: Keys, longest: Found | None) -> None:
    specs = data.find(*SPECS)
    if specs is None or not isinstance(specs.value, dict):
        return
    if specs.pointer.endswith("packed_sequence_specs"):
        out.note("XF219", "packed_sequence_specs is offline_packing_specs in newer versions", specs, "offline_packing_specs")
    packed = Keys((specs.value, specs.pointer))
    size = packed.whole("packed_sequence_size")
    if size is None and packed.find("packed_sequence_size") is not None:
        out.take("packing", specs, True)  # of a size that is not known
        return
    if size is None or data.off("enable_offline_packing") is not None:
        why = "packed_sequence_size is -1 by default" if size is None else "enable_offline_packing is false"
        said = f"{specs.pointer.rpartition('/')[2]} has no effect: {why}, and nothing is packed"
        out.note("XF216", said, specs if size is None else data.off("enable_offline_packing"), "packed_sequence_size: the length of a row")
        return
    if size.value <= 0:
        return
    out.take("packing", specs, True)
    micro = train.whole("micro_batch_size")
    if micro is not None and micro.value > 1:
        said = f"packed sequences with micro_batch_size {micro.value}: Megatron-Bridge takes 1 row a micro batch"
        out.note("XF215", said, micro, "train.micro_batch_size: 1")
    if longest is not None and size.value < longest.value:
        said = f"packs of {size.value} tokens are shorter than samples of up to {longest.value}"
        out.note("XF222", said, size, f"packed_sequence_size: {longest.value}")
    counts_packs(out, train.whole("global_batch_size"))
    recurrent_layers(out, specs)


def _documents(out: Recipe, data: Keys) -> None:
    """Rows of a stream of documents: what separates them."""
    out.mask(prompt="trained")
    positions, mask = data.on("reset_position_ids"), data.on("reset_attention_mask")
    if positions is not None and mask is None:
        said = "reset_position_ids without reset_attention_mask: positions restart, and attention goes on across documents"
        out.note("XF205", said, positions, "reset_attention_mask: true")
    elif mask is None:
        said = "documents of a row attend to one another across their ends: reset_attention_mask is off"
        at = data.off("reset_attention_mask") or data.whole("seq_length", "sequence_length") or "/dataset"
        out.note(
            "XF205", said, at, "usual in pretraining; reset_attention_mask: true, where attention reads a mask (Megatron-LM#2357)", "info"
        )


def _experts(out: Recipe, model: Keys) -> None:
    coefficient, kind = model.find("moe_aux_loss_coeff"), model.text("moe_router_load_balancing_type")
    if coefficient is None or not isinstance(coefficient.value, int | float) or isinstance(coefficient.value, bool):
        return
    if kind is not None and kind.value == "none" and coefficient.value:
        said = f"moe_aux_loss_coeff {coefficient.value:g} with moe_router_load_balancing_type none: there is no such loss"
        out.note("XF216", said, coefficient, "moe_router_load_balancing_type: aux_loss")
    elif coefficient.value == 0 and kind is not None:
        unbalanced(out, kind.value, coefficient, "0", "moe_aux_loss_coeff: 1e-2, or another moe_router_load_balancing_type")


def _labels(out: Recipe, data: Keys, longest: Found | None) -> None:
    extra = data.below("dataset_kwargs")
    answers = data.flag("answer_only_loss") or extra.flag("answer_only_loss")
    trained = answers is not None and answers.value is False
    out.mask(prompt="trained" if trained else "masked", by="labels")
    if trained:
        out.note("XF218", "answer_only_loss is false: the prompt is in the loss", answers, "answer_only_loss: true")
    template = extra.on("use_hf_tokenizer_chat_template") or extra.on("chat") or data.on("chat")
    if template is not None and not trained:
        said = "assistant masks come from {% generation %} blocks of the chat template, without which every token is trained"
        out.note("XF207", f"{said} (Megatron-Bridge#3359): not checked, base model not at hand", template, severity="info")
    ends = data.flag("add_eos") or extra.flag("add_eos")
    if template is None:  # which writes the ends itself
        out.take("add_eos", ends)
    cut_answers(out, extra.text("truncation_field"), extra.text("label_key"), trained=trained)
    if longest is not None:
        said = "a sample longer than seq_length is cut: the fields of truncation_field give way, the end of the answer where there are none"
        out.note("XF223", said, longest, "a seq_length above the longest sample")
