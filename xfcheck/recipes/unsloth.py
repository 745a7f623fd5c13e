"""Unsloth's scripts, read as a syntax tree.

Source: unsloth (015bdef), chat_templates.py `train_on_responses_only`, trainer.py; unsloth#2095, #2669, #2904, #2900,
#3198, #11266, #11321, pull request 3566.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import trl
from .recipe import Keys, Recipe

if TYPE_CHECKING:
    from .recipe import Written

BEFORE_ANSWERS = {
    **dict.fromkeys(("chatml", "qwen-2.5", "qwen2.5", "qwen-3", "qwen3", "qwen3-instruct"), "<|im_start|>assistant\n"),
    **dict.fromkeys(("llama-3", "llama3", "llama-3.1", "llama-3.2", "llama-3.3"), "<|start_header_id|>assistant<|end_header_id|>\n\n"),
    **dict.fromkeys(("gemma", "gemma2", "gemma-3", "gemma3"), "<start_of_turn>model\n"),
    "phi-4": "<|im_start|>assistant<|im_sep|>",
}
"""Templates that unsloth knows by name -> what they write before an answer."""
LOADERS = ("FastLanguageModel.from_pretrained", "FastModel.from_pretrained", "FastVisionModel.from_pretrained")

WAYS = trl.Ways(
    default_length=f"unsloth takes that of the model's loading, up to mid-2025 TRL's {trl.LENGTH}",
    older_length=True,  # unsloth#2669
    own_mean=True,
    leak="info",  # its kernels take the boundaries; of another attention it tells itself
    free_of_length=False,
)


def reads(written: Written) -> bool:
    """A script that loads a model with unsloth or uses its masking."""
    return written.source == "python" and (
        any(n in written.data for n in (*LOADERS, "train_on_responses_only")) or "import unsloth" in written.text
    )


def recipe(written: Written) -> Recipe:
    """Read TRL's arguments, then unsloth's own."""
    data = written.data
    loaded = Keys(*((data[n], f"/{n}") for n in LOADERS if n in data))
    out = Recipe("unsloth", "unsloth", loaded.text("0", "model_name"))
    trl.read(written, out, WAYS)
    _loading(out, loaded)
    at_load, args = loaded.whole("max_seq_length"), out.train.get("sequence_length")
    if at_load is not None and args is not None and "/train/sequence_length" not in out.places:
        out.train["sequence_length"] = at_load.value
    elif at_load is not None and isinstance(args, int) and args != at_load.value and "/train/sequence_length" in out.places:
        said = f"the model is loaded for {at_load.value} tokens and the trainer is to cut at {args}: the first may win (unsloth#11266)"
        out.note("XF216", said, out.places["/train/sequence_length"], "one length in both places")
    elif at_load is None and loaded.scopes:
        out.note("XF219", "no max_seq_length at load: unsloth takes 2048", next(p for _, p in loaded.scopes))
    _responses(out, data)
    return out


def _loading(out: Recipe, loaded: Keys) -> None:
    four, eight = loaded.on("load_in_4bit"), loaded.on("load_in_8bit")
    if four is not None and eight is not None and loaded.on("full_finetuning") is None:
        said = "load_in_4bit and load_in_8bit: unsloth refuses the two together"
        out.note("XF215", said, eight, "one of them (load_in_4bit is true by default)")
    bits = four or eight
    if bits is not None and loaded.on("full_finetuning") is not None:
        said = f"full_finetuning with {bits.pointer.rpartition('/')[2]}: the weights are not quantised, memory is that of full tuning"
        out.note("XF216", said, bits, "one of the two")


def _responses(out: Recipe, data: dict[str, Any]) -> None:
    if isinstance(data.get("train_on_responses_only"), dict):
        marks = Keys((data["train_on_responses_only"], "/train_on_responses_only"))
        first = marks.text("response_part", "2", "instruction_part", "1")
        out.mask(prompt="masked")
        named = f" of {out.base_model.value}" if out.base_model is not None else ""
        said = (
            f"labels are found by searching for {first.value!r}"
            if first is not None
            else "labels are found by searching for the two markers"
        )
        chosen = Keys((data["get_chat_template"], "/get_chat_template")) if isinstance(data.get("get_chat_template"), dict) else Keys()
        name = chosen.text("chat_template", "1")
        known = None if name is None else BEFORE_ANSWERS.get(name.value)
        answer = marks.text("response_part", "2")
        if name is not None and known is not None and answer is not None:
            if answer.value.strip() not in known:
                told = f"{said}: the template {name.value} writes {known!r} before an answer, every label is -100"
                out.note("XF206", told, answer, f"response_part={known!r}", "warning")
            return
        told = f"{said}: where the chat template{named} has no such text, every label is -100 (not checked: base model not at hand)"
        out.note("XF206", told, first or "/train_on_responses_only", "print the labels of one sample", "info")
