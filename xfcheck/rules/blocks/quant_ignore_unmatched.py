"""A quantisation exclusion that means no module.

## What it does
Holds every exclusion of a quantisation config (`ignore`, `modules_to_not_convert`, `ignored_layers`, `exclude_modules` and their kin, in
config.json and hf_quant_config.json) against the modules of the model, draft layers and tied heads included: an error where nothing of a
list matches, a warning for one pattern. As an info it says what stays unquantised.

## Why is this bad?
The module that was to be left alone is then read as quantised: its scales are missing, and the loader fails or takes random ones. It is
what becomes of a renamed prefix (`model.layers` against `model.language_model.layers`).

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "quantization_config": {"quant_method": "fp8", "modules_to_not_convert":
 ["model.layers.language_model.0.mlp"]}}
```

## Use instead
Names as the checkpoint has them (`model.layers.0.mlp`), or no list: methods leave the head alone by themselves.
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "quantization_config": {"quant_method": "fp8", "modules_to_not_convert": null}}
```

## Source
sgl-project/sglang#37848; NVIDIA/Model-Optimizer#470; NVIDIA/TensorRT-LLM#17551; transformers 5.24.0, quantizers/quantizers_utils.py,
`should_convert_module`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...documents.document import escape
from .._finding import Hit
from .._registry import rule
from ..files._modules import modules_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context

LISTS = (
    "ignore", "modules_to_not_convert", "ignored_layers", "exclude_modules", "llm_int8_skip_modules", "linear_weights_not_to_quantize",
    "skip_modules", "modules_to_not_quantize",
)  # fmt: skip
BLOCKS = ("quantization_config", "compression_config")


class Exclusions(NamedTuple):
    """A list of patterns, and where it stands."""

    patterns: list[str]
    pointer: str
    file: str | None = None


@rule("XF409", "quant-ignore-unmatched", "error", needs=(*BLOCKS, "file:hf_quant_config.json"))
def check(context: Context) -> Iterator[Hit]:
    """Each list against the folded module names."""
    modules = None
    for exclusions in _lists(context):
        modules = modules or modules_of(context)
        model = context.model
        if modules is None or model is None:
            return
        sure = model.fidelity_by["parameters"] == "exact"
        # draft layers are in the checkpoints of some families whose ledger has none
        unmatched = [(i, p) for i, p in enumerate(exclusions.patterns) if "mtp" not in p.split(".") and not modules.matches(p)]
        if len(unmatched) == len(exclusions.patterns):
            said = f"none of the {len(unmatched)} exclusions means a module of this model: {_some([p for _, p in unmatched])}"
            yield Hit(said, exclusions.pointer, help=_nearest(modules.samples), severity="error" if sure else "info", file=exclusions.file)
            continue
        for at, pattern in unmatched[:5]:
            more = f" (and {len(unmatched) - 5} more)" if at == unmatched[4 if len(unmatched) > 4 else -1][0] and len(unmatched) > 5 else ""
            said = f"the exclusion {pattern[:100]!r} means no module of this model{more}"
            yield Hit(said, f"{exclusions.pointer}/{at}", severity="warning" if sure else "info", file=exclusions.file)
        kept = [p for p in exclusions.patterns if p not in {u for _, u in unmatched}]
        yield Hit(
            f"not quantised: {_some(kept)}",
            exclusions.pointer,
            help="they keep the dtype of the config",
            severity="info",
            file=exclusions.file,
        )


def _lists(context: Context) -> Iterator[Exclusions]:
    for scope in context.nested:
        for block in BLOCKS:
            yield from _in(scope.data.get(block), f"{scope.pointer}/{block}", None)
    if "hf_quant_config.json" in context.folder.beside():
        data = context.side("hf_quant_config.json")
        if isinstance(data, dict):
            yield from _in(data.get("quantization"), "/quantization", "hf_quant_config.json")


def _in(block: Any, at: str, file: str | None) -> Iterator[Exclusions]:
    for key in LISTS if isinstance(block, dict) else ():
        patterns = block.get(key)
        if isinstance(patterns, list) and patterns and all(isinstance(p, str) and p for p in patterns):
            yield Exclusions(patterns, f"{at}/{escape(key)}", file)


def _some(patterns: list[str]) -> str:
    more = f", and {len(patterns) - 6} more" if len(patterns) > 6 else ""
    return ", ".join(p[:80] for p in patterns[:6]) + more


def _nearest(samples: tuple[str, ...]) -> str:
    return f"modules are called like {samples[len(samples) // 2]}" if samples else "the model has no such modules"
