"""NeMo-Aligner's YAML.

Source: NeMo-Aligner (af2b3bd), examples/nlp/gpt/conf/gpt_sft.yaml.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .hf_trainer import length, recurrent_layers
from .megatron_data import counts_packs, cut_answers, mean_of_means
from .recipe import Keys, Recipe

if TYPE_CHECKING:
    from .recipe import Written


def reads(written: Written) -> bool:
    """A training data set below `data`, with NeMo's keys of a model."""
    if not written.nested:
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
    base = model.text("restore_from_path") or keys.text("restore_from_path")
    out = Recipe("NeMo-Aligner", "nemo", base, partial=written.source == "overrides")
    whole, longest = model.whole("encoder_seq_length"), train.whole("max_seq_length")
    names = ("max_seq_length", "encoder_seq_length")
    length(out, Keys(*train.scopes, *model.scopes), names, None, "the length of the restored model is taken (encoder_seq_length)")
    if whole is not None and longest is not None and longest.value > whole.value:
        said = f"train_ds.max_seq_length {longest.value} is above encoder_seq_length {whole.value}: samples are cut or refused"
        out.note("XF216", said, longest, f"max_seq_length: {whole.value}")
    out.take("batch", train.whole("micro_batch_size"))
    if data.on("chat") is None:  # whose turns end with a token of their own
        out.take("add_eos", train.flag("add_eos"))
    packed = train.on("packed_sequence")
    out.take("packing", packed)
    if packed is not None:
        micro = train.whole("micro_batch_size")
        if micro is not None and micro.value > 1:
            said = f"packed_sequence with micro_batch_size {micro.value}: NeMo takes 1 packed row a micro batch"
            out.note("XF215", said, micro, "micro_batch_size: 1")
        recurrent_layers(out, packed)
    rows = train.whole("global_batch_size")
    if packed is not None:
        counts_packs(out, rows)
    mean_of_means(out, rows, train.whole("micro_batch_size"), "samples", "samples of like lengths in a batch")
    coefficient = model.find("moe_aux_loss_coeff")
    if coefficient is not None and coefficient.value in (0, 0.0) and not isinstance(coefficient.value, bool):
        out.note("XF517", "moe_aux_loss_coeff 0: nothing balances the experts", coefficient, "moe_aux_loss_coeff: 1e-2")
    answers = model.flag("answer_only_loss")
    trained = answers is not None and answers.value is False
    out.mask(prompt="trained" if trained else "masked", by="labels")
    if answers is not None and trained:
        out.note(
            "XF218", "answer_only_loss is false (the example file's value): the prompt is in the loss", answers, "answer_only_loss: true"
        )
    cut_answers(out, train.text("truncation_field"), train.text("label_key"), trained=trained)
    if longest is not None and packed is None:
        said = "a sample longer than max_seq_length is cut: the fields of truncation_field give way, where truncation_method says"
        out.note("XF223", said, longest, "a max_seq_length above the longest sample")
    return out
