"""Megatron-Bridge's YAML.

Source: Megatron-Bridge (067f987), training/config.py, data/datasets/packed_sequence.py; Megatron-Bridge#3359.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .hf_trainer import length, recurrent_layers
from .recipe import Keys, Recipe

if TYPE_CHECKING:
    from .recipe import Written

SPECS = ("packed_sequence_specs", "offline_packing_specs")


def reads(written: Written) -> bool:
    """A data set section with a length and packing, or with a model section of its kind."""
    data = written.data.get("dataset")
    if written.source != "mapping" or not isinstance(data, dict):
        return False
    own = any(k in data for k in (*SPECS, "dataset_kwargs", "dataloader_type", "answer_only_loss"))
    return ("seq_length" in data or "sequence_length" in data) and (
        own or isinstance(written.data.get("train"), dict) or isinstance(written.data.get("model"), dict)
    )


def recipe(written: Written) -> Recipe:
    """Read the keys."""
    keys = Keys((written.data, ""))
    data, model, train = keys.below("dataset"), keys.below("model"), keys.below("train")
    out = Recipe(
        "Megatron-Bridge", "megatron", keys.below("checkpoint").text("pretrained_checkpoint") or keys.text("hf_model_id", "recipe")
    )
    longest = data.whole("seq_length", "sequence_length")
    length(out, longest, None, "Megatron-Bridge needs dataset.seq_length")
    built = model.whole("seq_length")
    if longest is not None and built is not None and built.value != longest.value:
        said = f"dataset.seq_length {longest.value} and model.seq_length {built.value}: Megatron-Bridge refuses two lengths"
        out.note("XF215", said, built, f"{longest.value} in both")
    micro = train.whole("micro_batch_size")
    out.take("batch", micro)
    specs = data.find(*SPECS)
    packed = Keys((specs.value, specs.pointer)) if specs is not None and isinstance(specs.value, dict) else Keys()
    size = packed.whole("packed_sequence_size")
    if specs is not None and specs.value and (size is None or size.value > 0):
        out.take("packing", specs, True)
        if micro is not None and micro.value > 1:
            said = f"packed sequences with micro_batch_size {micro.value}: Megatron-Bridge takes 1 row a micro batch"
            out.note("XF215", said, micro, "train.micro_batch_size: 1")
        if size is not None and longest is not None and size.value < longest.value:
            said = f"packs of {size.value} tokens are shorter than samples of up to {longest.value}"
            out.note("XF222", said, size, f"packed_sequence_size: {longest.value}")
        recurrent_layers(out, specs)
    _labels(out, data)
    return out


def _labels(out: Recipe, data: Keys) -> None:
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
    out.take("add_eos", ends)
