"""NeMo-Aligner's YAML.

Source: NeMo-Aligner (af2b3bd), examples/nlp/gpt/conf/gpt_sft.yaml.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .hf_trainer import length, recurrent_layers
from .recipe import Keys, Recipe

if TYPE_CHECKING:
    from .recipe import Written


def reads(written: Written) -> bool:
    """A training data set below `data`, with NeMo's keys of a model."""
    if written.source != "mapping":
        return False
    keys = Keys((written.data, ""))
    data = keys.below("model").below("data") if keys.below("model").scopes else keys.below("data")
    model = keys.below("model")
    return bool(data.below("train_ds").scopes) or (model.has("encoder_seq_length") and model.has("answer_only_loss"))


def recipe(written: Written) -> Recipe:
    """Read the keys."""
    keys = Keys((written.data, ""))
    model = keys.below("model")
    data = model.below("data") if model.has("data") else keys.below("data")
    train = data.below("train_ds")
    out = Recipe("NeMo-Aligner", "nemo", model.text("restore_from_path") or keys.text("restore_from_path"))
    whole, longest = model.whole("encoder_seq_length"), train.whole("max_seq_length")
    length(out, longest or whole, None, "the length of the restored model is taken (encoder_seq_length)")
    if whole is not None and longest is not None and longest.value > whole.value:
        said = f"train_ds.max_seq_length {longest.value} is above encoder_seq_length {whole.value}: samples are cut or refused"
        out.note("XF216", said, longest, f"max_seq_length: {whole.value}")
    out.take("batch", train.whole("micro_batch_size"))
    out.take("add_eos", train.flag("add_eos"))
    packed = train.on("packed_sequence")
    out.take("packing", packed)
    if packed is not None:
        micro = train.whole("micro_batch_size")
        if micro is not None and micro.value > 1:
            said = f"packed_sequence with micro_batch_size {micro.value}: NeMo takes 1 packed row a micro batch"
            out.note("XF215", said, micro, "micro_batch_size: 1")
        recurrent_layers(out, packed)
    answers = model.flag("answer_only_loss")
    trained = answers is not None and answers.value is False
    out.mask(prompt="trained" if trained else "masked", by="labels")
    if answers is not None and trained:
        out.note(
            "XF218", "answer_only_loss is false (the example file's value): the prompt is in the loss", answers, "answer_only_loss: true"
        )
    return out
