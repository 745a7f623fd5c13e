"""ms-swift's command line and YAML.

Source: ms-swift 4.5.2 (3602360), arguments/, template_args.py at v2.5.2 and v3.0.2; ms-swift pull request 9125.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .hf_trainer import accumulation, attention, balancing, batches, is_flash, length, recurrent_layers, size_of_packed_step
from .recipe import Keys, Recipe

if TYPE_CHECKING:
    from .recipe import Written

COMMAND = re.compile(r"(?:\bswift|\bswift/cli/main\.py|\bmegatron)\s+(?P<stage>sft|pt|rlhf)\b|\bswift/cli/(?P<script>sft|pt|rlhf)\.py")
OLDER = {"sft_type": "tuner_type (train_type in 3.x)", "train_type": "tuner_type", "model_id_or_path": "model", "template_type": "template"}
"""Options of older versions -> what they are called today."""
OWN = ("tuner_type", "train_type", "sft_type", "loss_scale", "lazy_tokenize", "attn_impl", "acc_strategy", "packing_length")


def reads(written: Written) -> bool:
    """The command, or keys of its own beside a model and a data set."""
    if written.source == "python":
        return False
    keys = Keys((written.data, ""))
    own = sum(keys.has(n) for n in OWN)
    return COMMAND.search(written.text) is not None or (
        keys.has("model", "model_type", "model_id_or_path") and keys.has("dataset") and own > 0
    )


def recipe(written: Written) -> Recipe:
    """Read the keys."""
    keys = Keys((written.data, ""))
    out = Recipe("ms-swift", "ms-swift", keys.text("model", "model_id_or_path", "model_type"))
    found = COMMAND.search(written.text)
    stage = "sft" if found is None else found["stage"] or found["script"]
    told = "the model's own maximum from 3.0 on (2048 in 1.x and 2.x): memory grows with an upgrade"
    length(out, keys, ("max_length",), None, told)
    batches(out, keys)
    accumulation(out, keys.whole("gradient_accumulation_steps"))
    balancing(out, keys.find("router_aux_loss_coef", "moe_aux_loss_coeff"))
    _older(out, keys)
    named = attention(out, keys.find("attn_impl"))
    packing = keys.flag("packing")
    if out.train.get("batch") is None:
        out.take("batch", keys.whole("micro_batch_size"))
    out.take("packing", packing)
    side = keys.text("padding_side")
    if side is not None and side.value in ("left", "right"):
        out.take("padding_side", side)
    joined = keys.on("packing") or keys.on("padding_free")
    core = found is not None and "megatron" in found[0]
    if joined is not None and not is_flash(named) and not core:
        what = joined.pointer[1:]
        how = f"attn_impl {named}" if named is not None else "no attn_impl"
        said = f"{what} with {how}: ms-swift refuses it, samples are isolated by flash attention alone"
        out.note("XF215", said, keys.text("attn_impl") or joined, "--attn_impl flash_attn")
    if packing is not None and packing.value is True:
        _packs(out, keys)
        if keys.on("lazy_tokenize") is not None:
            out.note(
                "XF215", "packing with lazy_tokenize: ms-swift refuses the two together", keys.on("lazy_tokenize"), "--lazy_tokenize false"
            )
        if side is not None and side.value == "left":
            out.note("XF216", "padding_side left has no effect with packing: rows are not padded", side, "without padding_side")
        size_of_packed_step(out, 1, None, packing, joined=False)
        recurrent_layers(out, packing)
    _labels(out, keys, stage)
    return out


def _older(out: Recipe, keys: Keys) -> None:
    for old, new in OLDER.items():
        found = keys.find(old)
        if found is not None:
            out.note("XF219", f"{old} is the name of older versions", found, new)


def _packs(out: Recipe, keys: Keys) -> None:
    room, longest = keys.whole("packing_length"), keys.whole("max_length")
    if room is not None and longest is not None and room.value < longest.value:
        said = f"packs of {room.value} tokens are shorter than samples of up to {longest.value}"
        out.note("XF222", said, room, f"packing_length {longest.value}, max_length by default", "warning")


def _labels(out: Recipe, keys: Keys, stage: str) -> None:
    _cut(out, keys, stage)
    backend = keys.text("template_backend")
    if backend is not None and backend.value == "jinja" and stage != "pt":
        said = "template_backend jinja in training: it cannot tell which tokens are an answer, and all are trained"
        out.note("XF207", said, backend, "--template_backend swift", "warning")
    scale = keys.text("loss_scale")
    trained = stage == "pt" or (scale is not None and scale.value.split("+")[0] == "all")
    out.mask(prompt="trained" if trained else "masked", by="labels")
    if scale is not None and trained and stage != "pt":
        out.note("XF218", "loss_scale all: the prompt is in the loss", scale, "loss_scale default")
    elif scale is not None and scale.value.startswith("last_round"):
        out.note("XF218", "loss_scale last_round: the last answer alone is in the loss, earlier answers are context", scale)


def _cut(out: Recipe, keys: Keys, stage: str) -> None:
    how, longest = keys.text("truncation_strategy"), keys.whole("max_length")
    if longest is None or stage == "pt":
        return
    if how is None or how.value == "delete":
        out.note("XF223", "samples longer than max_length are deleted (truncation_strategy delete)", how or longest,
                 "a max_length above the longest sample")  # fmt: skip
    elif how.value == "right":
        said = "samples longer than max_length are cut at their end: the end token and later turns go first"
        out.note("XF223", said, how, "a max_length above the longest sample")
        said = f"a prompt as long as max_length ({longest.value}) leaves no label"
        out.note("XF206", said, how, "truncation_strategy delete", "info")
