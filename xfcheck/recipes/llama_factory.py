"""LLaMA-Factory's YAML and command line.

Source: LLaMA-Factory 0.9.5 (ff6d4d12), hparams/data_args.py, hparams/parser.py, data/processor; tags v0.9.0, v0.9.1, v0.9.3;
LlamaFactory#2289,
#4224, #5231, #7318, #7985, #10736, #10827.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .hf_trainer import accumulation, attention, balancing, batches, is_flash, length, recurrent_layers, size_of_packed_step
from .recipe import Found, Keys, Recipe

if TYPE_CHECKING:
    from .recipe import Written

OWN = ("cutoff_len", "finetuning_type", "neat_packing", "dataset_dir", "mask_history", "train_on_prompt", "template", "flash_attn")
STAGES = ("sft", "pt", "dpo", "kto", "rm", "ppo", "orpo", "simpo")


def reads(written: Written) -> bool:
    """A stage or keys of its own, beside a data set or a base model."""
    keys = Keys((written.data, ""))
    command = re.search(r"\bllamafactory-cli\b|\bllamafactory\b|\bsrc/train(?:_bash)?\.py\b", written.text) is not None
    stage = keys.text("stage")
    own = sum(keys.has(name) for name in OWN)
    known = stage is not None and stage.value in STAGES
    if stage is not None and not known:
        return False  # a stage of another tool
    return written.source != "python" and (
        (known and own > 0) or (own > 1 and keys.has("dataset", "do_train", "tokenized_path")) or (command and own + known > 0)
    )


def recipe(written: Written) -> Recipe:
    """Read the keys."""
    keys = Keys((written.data, ""))
    out = Recipe("LLaMA-Factory", "llama-factory", keys.text("model_name_or_path"))
    stage = keys.text("stage") or Found("sft", "")
    length(out, keys, ("cutoff_len",), 2048, "LLaMA-Factory takes 2048 (1024 up to 0.9.0) and cuts longer samples")
    batches(out, keys)
    named = attention(out, keys.find("flash_attn"))
    accumulation(out, keys.whole("gradient_accumulation_steps"))
    balancing(out, keys.find("moe_aux_loss_coef"))
    _packing(out, keys, named, stage)
    _labels(out, keys, stage)
    return out


def _packing(out: Recipe, keys: Keys, named: str | None, stage: Found) -> None:
    neat, plain = keys.on("neat_packing"), keys.flag("packing")
    on = neat or (plain if plain is not None and plain.value is True else None)
    out.take("packing", neat if neat is not None else plain)
    if neat is not None and stage.value != "sft":
        out.note("XF215", f"neat_packing in stage {stage.value}: LLaMA-Factory takes it for sft alone", neat, "without neat_packing")
        return
    if stage.value == "pt" and (plain is None or plain.value is True):
        at = plain if plain is not None else stage
        out.note("XF205", "stage pt packs documents into rows and lets them attend to one another", at, "usual in pretraining", "info")
        return
    if on is None:
        return
    if stage.value not in ("sft", "pt"):
        out.note("XF216", f"packing has no effect in stage {stage.value}: pairs and prompts are not packed", on, "packing: false")
        out.train["packing"] = False
        return
    size_of_packed_step(out, 1, None, on, joined=False)
    if neat is None:
        said = "packing without neat_packing passes a mask of ones: samples attend to one another, though their positions restart"
        out.note("XF205", said, on, "neat_packing: true")
    else:
        out.note("XF219", "neat_packing restarts positions from 0.9.3 on; before, they ran on over the samples of a row", neat)
        if not is_flash(named):
            how = named or "the default attention"
            said = f"neat_packing with {how} builds a 4-D mask; up to 0.9.5 its positions were not padded along (LlamaFactory#10736)"
            out.note("XF205", said, keys.text("flash_attn") or neat, "flash_attn: fa2", "info")
    recurrent_layers(out, on)


def _labels(out: Recipe, keys: Keys, stage: Found) -> None:
    prompt, history = keys.on("train_on_prompt"), keys.on("mask_history")
    template = keys.text("template")
    if template is not None and template.value == "empty" and stage.value != "pt":
        out.note("XF213", "template empty writes an answer without an end token", template, "template: default, or the model's own")
    beyond = prompt or history
    if beyond is not None and stage.value != "sft":
        name = beyond.pointer[1:]
        out.note("XF215", f"{name} in stage {stage.value}: LLaMA-Factory takes it for sft alone", beyond, f"without {name}")
        return
    out.mask(prompt="trained" if prompt is not None or stage.value == "pt" else "masked", by="labels")
    if prompt is not None and history is not None:
        out.note("XF215", "train_on_prompt and mask_history: LLaMA-Factory refuses the two together", history, "one of them")
    elif prompt is not None:
        out.note("XF218", "train_on_prompt is true: the prompt is in the loss", prompt)
    elif history is not None:
        said = "mask_history masks the answers of earlier turns; with templates of efficient_eos their end tokens stay in the loss"
        out.note("XF218", said, history, "LlamaFactory#10827")
    written = keys.whole("cutoff_len")
    at = "" if written is None else written.pointer
    if stage.value == "pt":
        out.note("XF223", "in stage pt cutoff_len is the size of chunks: a document goes on in the next row", at)
    else:
        said = (
            "a sample longer than cutoff_len loses the end of its prompt, of its answer, or of both: the end token and later turns go first"
        )
        out.note("XF223", said, at, "a cutoff_len above the longest sample")
