"""ms-swift's command line and YAML.

Source: ms-swift 4.5.2 (3602360), arguments/, template_args.py at v2.5.2 and v3.0.2; ms-swift pull request 9125.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .hf_trainer import attention, batches, is_flash, length, recurrent_layers, size_of_packed_step
from .recipe import Keys, Recipe

if TYPE_CHECKING:
    from .recipe import Written

COMMAND = re.compile(r"(?:\bswift|\bswift/cli/main\.py|\bmegatron)\s+(?P<stage>sft|pt|rlhf)\b|\bswift/cli/(?P<script>sft|pt|rlhf)\.py")
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
    length(out, keys.whole("max_length"), None, "the model's own maximum from 3.0 on (2048 in 1.x and 2.x): memory grows with an upgrade")
    batches(out, keys)
    named = attention(out, keys.text("attn_impl"))
    packing = keys.flag("packing")
    out.take("packing", packing)
    side = keys.text("padding_side")
    if side is not None and side.value in ("left", "right"):
        out.take("padding_side", side)
    if packing is not None and packing.value is True:
        if not is_flash(named):
            how = f"attn_impl {named}" if named is not None else "no attn_impl"
            said = f"packing with {how}: ms-swift refuses it, samples are isolated by flash attention alone"
            out.note("XF215", said, keys.text("attn_impl") or packing, "--attn_impl flash_attn")
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


def _labels(out: Recipe, keys: Keys, stage: str) -> None:
    scale = keys.text("loss_scale")
    trained = stage == "pt" or (scale is not None and scale.value.split("+")[0] == "all")
    out.mask(prompt="trained" if trained else "masked", by="labels")
    if scale is not None and trained and stage != "pt":
        out.note("XF218", "loss_scale all: the prompt is in the loss", scale, "loss_scale default")
    elif scale is not None and scale.value.startswith("last_round"):
        out.note("XF218", "loss_scale last_round: the last answer alone is in the loss, earlier answers are context", scale)
    if keys.text("truncation_strategy") is None and keys.whole("max_length") is not None and keys.on("packing") is None and stage != "pt":
        out.note("XF223", "samples longer than max_length are deleted (truncation_strategy delete)", keys.whole("max_length"))
