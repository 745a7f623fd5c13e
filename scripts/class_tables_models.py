"""Model classes of a model type: head kind, tying, prefix, ignored and fp32 keys.

Source: the auto mappings of an installed transformers (`models/auto/modeling_auto.py`) and the PreTrainedModel subclasses of the
model's folder.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections import defaultdict
from pathlib import Path
from types import ModuleType
from typing import Any

import transformers
from class_tables_fields import own_fields, owner_of, sub_configs
from transformers import PreTrainedModel
from transformers.models.auto import modeling_auto

NAMES = {
    "SEQ_TO_SEQ_CAUSAL_LM": "seq2seq",
    "SPEECH_SEQ_2_SEQ": "speech_seq2seq",
    "CAUSAL_LM": "causal",
    "MASKED_LM": "masked",
    "IMAGE_TEXT_TO_TEXT": "conditional_generation",
    "MULTIMODAL_LM": "conditional_generation",
    "NEXT_SENTENCE_PREDICTION": "next_sentence",
}
FIRST = ("causal", "conditional_generation", "speech_seq2seq", "seq2seq", "masked")
LAST = ("zero_shot_image_classification", "retrieval", "text_encoding", "image", "pretraining")
SUFFIXES = {
    "ForCausalLM": "causal",
    "LMHeadModel": "causal",
    "ForMaskedLM": "masked",
    "ForSequenceClassification": "sequence_classification",
    "ForTokenClassification": "token_classification",
    "ForQuestionAnswering": "question_answering",
    "ForMultipleChoice": "multiple_choice",
    "ForNextSentencePrediction": "next_sentence",
    "ForPreTraining": "pretraining",
    "ForConditionalGeneration": "conditional_generation",
}


@functools.cache
def mapped_heads() -> dict[str, dict[str, list[str]]]:
    """Model type to class name to the head kinds that the auto mappings list it under."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, mapping in sorted(vars(modeling_auto).items()):
        if not (name.startswith("MODEL_") and name.endswith("_NAMES") and isinstance(mapping, dict)):
            continue
        task = name.removesuffix("_NAMES").removesuffix("MAPPING").removeprefix("MODEL_").removeprefix("FOR_").removesuffix("_")
        kind = NAMES.get(task, task.lower() or "base")
        for model_type, classes in mapping.items():
            for class_name in classes if isinstance(classes, tuple) else (classes,):
                found[model_type][class_name].append(kind)
    return found


def head_kind(class_name: str, kinds: list[str]) -> str:
    """One head kind of a class: a specific mapping before the base mapping, language heads first; unmapped ones by suffix."""
    if not kinds:
        return next((kind for suffix, kind in SUFFIXES.items() if class_name.endswith(suffix)), "other")
    if "conditional_generation" in kinds and not class_name.endswith(("ForCausalLM", "LMHeadModel")):
        return "conditional_generation"
    for kind in FIRST:
        if kind in kinds:
            return kind
    rest = sorted(kind for kind in kinds if kind != "base" and kind not in LAST)
    if rest and not ("base" in kinds and class_name.endswith("Model")):
        return rest[0]
    return "base" if "base" in kinds else next(kind for kind in (*LAST, *rest) if kind in kinds)


def folder_of(cls: type) -> Path:
    """Folder of the sources of a config class."""
    return Path(inspect.getfile(cls)).parent


@functools.cache
def modeling_classes(folder: Path) -> dict[str, type[PreTrainedModel]]:
    """PreTrainedModel subclasses that the modeling files of a folder define, without the abstract base of each file."""
    found: dict[str, type[PreTrainedModel]] = {}
    for path in sorted(folder.glob("modeling_*.py")):
        name = f"transformers.models.{folder.name}.{path.stem}"
        members = vars(_module(name)).values()
        found |= {
            cls.__name__: cls for cls in members if isinstance(cls, type) and issubclass(cls, PreTrainedModel) and cls.__module__ == name
        }
    return {name: value for name, value in found.items() if not name.endswith(("PreTrainedModel", "PretrainedModel"))}


def _module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except (ImportError, RuntimeError, OSError) as error:
        sys.stderr.write(f"not imported: {name}: {error}\n")
        return ModuleType(name)


def model_classes(table: str, config: type) -> dict[str, tuple[str, type[PreTrainedModel] | None]]:
    """Model class name to (head kind, class) for one table: mapped classes and those of the folder made for this config class."""
    mapped = mapped_heads().get(table, {})
    local = modeling_classes(folder_of(config))
    found: dict[str, tuple[str, type[PreTrainedModel] | None]] = {}
    for name, kinds in mapped.items():
        found[name] = (head_kind(name, kinds), local.get(name) or _top_level(name))
    for name, cls in local.items():
        if name not in found and cls.config_class is config:
            found[name] = (head_kind(name, []), cls)
    return dict(sorted(found.items()))


def _top_level(name: str) -> type[PreTrainedModel] | None:
    found = getattr(transformers, name, None)
    return found if isinstance(found, type) and issubclass(found, PreTrainedModel) else None


def owner(cls: type[PreTrainedModel] | None) -> str | None:
    """Table that a model class belongs to: that of its config class; None where it could not be imported."""
    config = getattr(cls, "config_class", None)
    return owner_of(config) if isinstance(config, type) else None


def model_facts(cls: type[PreTrainedModel], config: type) -> dict[str, Any]:
    """Facts of a model class that differ from those of PreTrainedModel; `tie` says what decides the tying."""
    facts: dict[str, Any] = {}
    tied = inspect.getattr_static(cls, "_tied_weights_keys", None)
    if isinstance(tied, property):
        facts["tie"] = "computed"
    elif tied:
        facts["tied"] = dict(sorted(tied.items())) if isinstance(tied, dict) else sorted(tied)
        facts["tie"] = _tying(config)
    if cls.base_model_prefix:
        facts["prefix"] = cls.base_model_prefix
    for key, name in (("unexpected", "_keys_to_ignore_on_load_unexpected"), ("fp32", "_keep_in_fp32_modules_strict")):
        value = inspect.getattr_static(cls, name, None)
        if value and not isinstance(value, property):
            facts[key] = sorted(value)
    return facts


@functools.cache
def _tying(config: type) -> str:
    """What decides the tying: found by switching keys off one after the other on a default config."""
    inner = "text_config" in sub_configs(config)
    if not _tied_with(config) and inner and _tied_with(config, text_config={"tie_word_embeddings": True}):
        return "either"
    if not _tied_with(config):
        return "config"
    if inner and not _tied_with(config, text_config={"tie_word_embeddings": False}):
        return "either"
    others = [name for name in own_fields(config) if name.startswith("tie_") and name != "tie_word_embeddings"]
    return next((name for name in others if not _tied_with(config, **{name: False})), "always")


def _tied_with(config: type, **keys: Any) -> bool:
    try:
        return bool(getattr(config(tie_word_embeddings=False, **keys), "tie_word_embeddings", False))
    except Exception:
        return False
