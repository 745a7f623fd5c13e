"""TRL's SFT and preference recipes: YAML, the command line, and SFTConfig in a script.

Source: trl 1.9 (f2cd5771), trainer/sft_config.py, sft_trainer.py, dpo_config.py, and the tags from v0.13 on; trl#976, #3067, #3526,
#3728, #3781, #4201, #5826, #6357, #6668; transformers#34242, #35203.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ..documents.document import escape
from .hf_trainer import (
    accumulation,
    attention,
    balancing,
    batches,
    is_flash,
    length,
    padding,
    recurrent_layers,
    size_of_packed_step,
)
from .recipe import Found, Keys, Recipe

if TYPE_CHECKING:
    from ..rules._finding import Severity
    from .recipe import Written

OWN = (
    "packing_strategy", "completion_only_loss", "assistant_only_loss", "dataset_text_field", "padding_free", "response_template",
    "eval_packing", "max_seq_length", "max_prompt_length", "max_completion_length", "dataset_num_proc", "packing", "max_length",
    "loss_type", "beta",
)  # fmt: skip
PLAIN = ("packing_strategy", "completion_only_loss", "assistant_only_loss", "dataset_text_field", "padding_free", "eval_packing")
"""Those among them that no other trainer's command line has."""
OTHERS = ("doc_stride", "block_size", "mlm_probability", "task_name", "pad_to_max_length", "dataset_mixer_list", "model_max_length",
          "finetuning_type", "cutoff_len")  # fmt: skip
"""Options of transformers' example scripts and of other trainers, whose `max_seq_length` is their own."""
_SCRIPT = re.compile(r"\b(?:(?:run_)?(?:sft|dpo|kto|orpo|cpo|gkd|reward)\w*\.py|trl/)")
CONFIGS = ("SFTConfig", "DPOConfig", "KTOConfig", "ORPOConfig", "GKDConfig", "GOLDConfig", "CPOConfig", "RewardConfig")
TRAINERS = ("SFTTrainer", "DPOTrainer", "KTOTrainer", "ORPOTrainer", "GKDTrainer", "GOLDTrainer", "CPOTrainer", "RewardTrainer")
ONLINE = ("GRPOConfig", "RLOOConfig", "PPOConfig", "OnlineDPOConfig", "NashMDConfig", "XPOConfig", "GRPOTrainer", "RLOOTrainer")
"""Of trainers that sample what they train on: no labels are read, none is masked."""
_ONLINE_COMMAND = re.compile(r"\btrl[ \t]+(?:grpo|rloo)\b")
_COMMAND = re.compile(r"\btrl[ \t]+(?:sft|dpo|kto|orpo|cpo|gkd|gold|grpo|rloo|reward)\b")
SEARCHING = "DataCollatorForCompletionOnlyLM"
"""The collator that finds labels by searching for a text."""
BY_ID = ("GKDConfig", "GKDTrainer", "GOLDConfig", "GOLDTrainer", SEARCHING, "DataCollatorForLanguageModeling")
"""What masks labels by the padding id (GKD and GOLD before pull request 6357)."""


LENGTH = 1024
"""Tokens that samples are cut at by default."""


class Ways(NamedTuple):
    """What a trainer does with TRL's keys where trainers differ.

    `default_length` says what it takes without a length. `older_length`: its config has `max_seq_length`, and prefers it. `own_mean`: it
    has a normalisation of the loss of its own. `leak`: the severity of packing without flash attention, null for that of the rule.
    `free_of_length`: `padding_free` with `max_length` is refused.
    """

    default_length: str = f"TRL takes {LENGTH} (up to 0.13 the smaller of 1024 and the tokenizer's limit)"
    older_length: bool = False
    own_mean: bool = False
    leak: Severity | None = None
    free_of_length: bool = True


OF_TRL = Ways()


def reads(written: Written) -> bool:
    """A base model with a data set or a key of TRL's own; in a script, one of its configs or trainers."""
    if written.source == "python":
        return any(name in written.data for name in (*CONFIGS, *TRAINERS, *ONLINE))
    keys = Keys((written.data, ""))
    if any(keys.has(name) for name in OTHERS):
        return False
    if written.source == "flags":
        script = _SCRIPT.search(written.text) is not None
        own = any(keys.has(name) for name in PLAIN)
        return _COMMAND.search(written.text) is not None or (keys.has("model_name_or_path", "config") and (script or own))
    data = keys.has("dataset_name") or keys.has("dataset_mixture", "datasets")
    return keys.has("model_name_or_path") and (data or any(keys.has(n) for n in OWN))


def recipe(written: Written) -> Recipe:
    """Read the keys."""
    return read(written, Recipe("TRL", "trl", partial=written.source == "flags" and "config" in written.data))


def read(written: Written, out: Recipe, ways: Ways = OF_TRL) -> Recipe:
    """Fill a recipe from TRL's keys, which scripts of other trainers have too."""
    data = written.data
    if written.source == "python":
        configs = [(data[n], f"/{n}") for n in (*CONFIGS, *ONLINE, "TrainingArguments") if n in data]
        # arguments of a command line, or of a dictionary: what is not written in the script is elsewhere
        out.partial = not configs or any("**" in given for given, _ in configs)
        online = not any(n in data for n in (*CONFIGS, *TRAINERS)) and any(n in data for n in ONLINE)
        keys = Keys(*configs, *((data[n], f"/{n}") for n in TRAINERS if n in data))
    else:
        keys = Keys((data, ""))
        online = _ONLINE_COMMAND.search(written.text) is not None
    model = Keys(*((v, f"/{n}") for n, v in data.items() if n.endswith(".from_pretrained") and isinstance(v, dict)))
    if out.base_model is None:
        out.base_model = keys.text("model_name_or_path", "model") or model.text("0", "model_name")
    batches(out, keys)
    named = attention(
        out,
        keys.find("attn_implementation")
        or keys.below("model_init_kwargs").find("attn_implementation")
        or model.find("attn_implementation"),
    )
    if online:
        return out
    _length(out, keys, ways, python=written.source == "python")
    _packing(out, keys, named, ways)
    _labels(out, keys, data)
    if not ways.own_mean:
        accumulation(out, keys.whole("gradient_accumulation_steps"))
    balancing(out, keys.find("router_aux_loss_coef"))
    return out


def _length(out: Recipe, keys: Keys, ways: Ways, *, python: bool) -> None:
    older = keys.whole("max_seq_length")
    written = keys.whole("max_length")
    if keys.has("max_length") and written is None:
        return  # null, so that nothing is cut, or not known
    if written is None and older is not None:
        out.take("sequence_length", older)
        if ways.older_length and not (python and "Trainer/" in older.pointer):
            return
        where = "on the trainer" if python and "Trainer/" in older.pointer else "in the recipe"
        said = f"max_seq_length {where} is not read by today's TRL (max_length since 0.16): samples are cut at {LENGTH}"
        out.note("XF216", said, older, "max_length in SFTConfig")
        return
    length(out, keys, ("max_length",), LENGTH, ways.default_length)
    strategy = keys.text("packing_strategy")
    if written is not None and (strategy is None or strategy.value not in ("bfd_split", "wrapped")):
        said = "samples longer than max_length are cut at their end (keep_start): the end token and later turns go first"
        out.note("XF223", said, written, "a max_length above the longest sample, or null")
    if keys.whole("max_prompt_length") is not None:
        at = keys.whole("max_prompt_length")
        out.take("max_prompt_length", at)
        said = "max_prompt_length is gone from 1.0 on (512 by default before), and truncation_mode went from keep_end to keep_start"
        out.note("XF219", said, at, "cut prompts in the data set")


def _packing(out: Recipe, keys: Keys, named: str | None, ways: Ways) -> None:
    packing, strategy, free = keys.flag("packing"), keys.text("packing_strategy"), keys.on("padding_free")
    out.take("packing", packing)
    on = packing if packing is not None and packing.value is True else None
    if on is not None and strategy is not None and strategy.value == "wrapped":
        said = "packing_strategy wrapped: samples of a row attend to one another and are cut in the middle"
        out.note("XF205", said, strategy, "packing_strategy: bfd, with flash attention")
    elif (on or free) is not None and not is_flash(named):
        at = keys.text("attn_implementation") or on or free
        how = named or "the default attention (sdpa)"
        what = "packing" if on is not None else "padding_free"
        said = f"{what} with {how}: samples leak into one another where transformers does not see restarted positions (before about 4.53)"
        out.note("XF205", said, at, "attn_implementation: flash_attention_2", ways.leak)
    if free is not None and on is None and keys.whole("max_length") is not None and ways.free_of_length:
        said = "padding_free without packing and with max_length: TRL refuses it, as the length would not be enforced"
        out.note("XF215", said, free, "max_length: null, or packing: true")
    if on is not None:
        size_of_packed_step(out, 1, None, on, joined=False)
        recurrent_layers(out, on)


def _labels(out: Recipe, keys: Keys, data: dict[str, object]) -> None:
    completion, assistant = keys.flag("completion_only_loss"), keys.flag("assistant_only_loss")
    collator = keys.text("collator", "data_collator")
    by_id = _by_id(data, collator)
    _padding(out, keys, data, by_id)
    out.mask(by="pad_id" if by_id is not None else "labels")
    _prepared(out, keys.below("dataset_kwargs"))
    if keys.text("pad_token") is not None:
        out.note("XF219", "pad_token in the config is deprecated from 1.1 on", keys.text("pad_token"), "set it on the tokenizer")
    if (completion is not None and completion.value is True) or (assistant is not None and assistant.value is True):
        out.mask(prompt="masked")
    elif completion is not None and completion.value is False:
        out.mask(prompt="trained")
        out.note("XF218", "completion_only_loss is false: the prompt is in the loss", completion)
    if completion is not None and completion.value is True:
        limit = keys.whole("max_length")
        said = f"a prompt as long as max_length{f' ({limit.value})' if limit is not None else ''} leaves no label: its loss is 0.0 or NaN"
        out.note("XF206", said, limit or completion, "a max_length above the longest prompt, or long samples left out", "info")
    if assistant is not None and assistant.value is True:
        _assistant(out, keys, assistant, data)
    _searched(out, keys, data, collator)


def _prepared(out: Recipe, given: Keys) -> None:
    """What `dataset_kwargs` leaves of TRL's own preparation."""
    gone = next((f for n in ("append_concat_token", "add_special_tokens") if (f := given.find(n)) is not None), None)
    if gone is not None:
        said = f"{gone.pointer.rpartition('/')[2]} of dataset_kwargs is gone: skip_prepare_dataset is the one key that is still read"
        out.note("XF219", said, gone, "without it; TRL appends the end token to texts that have none")
    if given.on("skip_prepare_dataset") is not None:
        said = "skip_prepare_dataset: TRL appends no end token to texts, the script's own samples need one"
        out.note("XF213", said, given.on("skip_prepare_dataset"), "samples that end with it", "info")


def _searched(out: Recipe, keys: Keys, data: dict[str, object], collator: Found | None) -> None:
    """Labels that are found by searching for a text."""
    collators = Keys(*((v, f"/{n}") for n, v in data.items() if _class(n) == SEARCHING and isinstance(v, dict)))
    template = keys.text("response_template") or collators.text("response_template", "0")
    if template is not None or (collator is not None and _class(collator.value) == SEARCHING):
        at = template or collator
        said = "labels are found by searching for the response template: where its tokens differ in context, every label is -100"
        out.note("XF206", said, at, "completion_only_loss with prompt and completion columns", "warning")
        out.note(
            "XF219",
            f"{SEARCHING} is gone from 0.20 on",
            collator or template,
            "completion_only_loss, assistant_only_loss",
        )


def _class(name: str) -> str:
    """The last part of a dotted name."""
    return name.rpartition(".")[2]


def _by_id(data: dict[str, object], collator: Found | None) -> Found | None:
    """What masks labels by the padding id: a trainer, or a collator (TRL's own of that name takes a `pad_token_id` and masks none)."""
    if collator is not None and _class(collator.value) in BY_ID:
        return collator
    for name, given in data.items():
        if _class(name) in BY_ID and not (isinstance(given, dict) and "pad_token_id" in given):
            return Found(name, f"/{escape(name)}")
    return None


def _padding(out: Recipe, keys: Keys, data: dict[str, object], by_id: Found | None) -> None:
    """The padding token of the config, or the one that a script gives its tokenizer."""
    pad = keys.text("pad_token")
    added = any(n.endswith("add_special_tokens") and isinstance(v, dict) and _adds_pad(v) for n, v in data.items())
    given = _given(data)
    if pad is None and not added:
        pad = given.text("pad_token", "pad_token_id")
    padding(out, pad, keys.text("eos_token"), by_id=by_id, guarded=pad is not None and given.has("pad_token?", "pad_token_id?"))


def _given(data: dict[str, object]) -> Keys:
    """What a script gives its tokenizer: by attributes, or where it is loaded."""
    return Keys(*((v, f"/{escape(n)}") for n, v in data.items() if n not in (*CONFIGS, *TRAINERS) and isinstance(v, dict)))


def _adds_pad(given: dict[str, object]) -> bool:
    first = given.get("0", given.get("special_tokens_dict"))
    return isinstance(first, dict) and "pad_token" in first


def _assistant(out: Recipe, keys: Keys, assistant: Found, data: dict[str, object]) -> None:
    liger = keys.on("use_liger_kernel", "use_liger")
    if liger is not None:
        said = "assistant_only_loss with use_liger_kernel: the mask of assistant tokens was dropped without a word (trl#3781)"
        out.note("XF216", said, liger, "one of the two, or a check of the labels")
    if keys.on("packing") is not None:
        said = "assistant_only_loss with packing: up to 0.19 packing dropped the mask of answers (trl#3728)"
        out.note("XF216", said, assistant, "trl 0.20 or newer", "info")
    template = keys.text("chat_template", "chat_template_path") or _given(data).text("chat_template")
    from ..readers.chat_template import marks_generation

    if template is not None and "{" in template.value and not marks_generation(template.value):
        said = "assistant_only_loss and a chat_template without {% generation %}: no token is marked as the assistant's"
        out.note("XF207", said, template, "a template with generation blocks")
    elif template is None:
        said = "assistant_only_loss needs {% generation %} blocks in the chat template: not checked, base model not at hand"
        out.note("XF207", said, assistant, severity="info")
