"""An adapter whose settings PEFT refuses.

## What it does
Reports in adapter_config.json a `peft_type` or `bias` that is nearly a known word, a rank below one, a dropout outside 0 to 1 and keys
of PEFT's own without a `peft_type`; a `lora_alpha` of 0, which makes the whole adapter zero, is a warning. So is, under
`deploy.engine: vllm`, what vLLM does not take: whole modules beside the matrices, DoRA, trained biases, and without `--max-lora-rank`
a rank above 16.

## Why is this bad?
PEFT looks its classes up by `peft_type` and checks the rank when layers are replaced: loading ends in a key error or after the base
model has been read. An alpha of 0 loads and changes nothing.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16"}
```
```json adapter_config.json
{"peft_type": "LORA", "r": 0, "lora_alpha": 16, "target_modules": ["q_proj", "v_proj"]}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16"}
```
```json adapter_config.json
{"peft_type": "LORA", "r": 8, "lora_alpha": 16, "target_modules": ["q_proj", "v_proj"]}
```

## Source
PEFT, utils/peft_types.py and tuners/lora/layer.py; vllm-project/vllm#9280; vllm-project/vllm#2847; vLLM, lora/peft_helper.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._facts import nearest
from .._finding import Edit, Fix, Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context

FILE = "adapter_config.json"
TYPES = (
    "LORA", "ADALORA", "LOHA", "LOKR", "OFT", "BOFT", "IA3", "XLORA", "POLY", "LN_TUNING", "VERA", "FOURIERFT", "HRA", "VBLORA", "CPT",
    "BONE", "MISS", "RANDLORA", "ROAD", "TRAINABLE_TOKENS", "SHIRA", "C3A", "WAVEFT", "PROMPT_TUNING", "MULTITASK_PROMPT_TUNING",
    "P_TUNING", "PREFIX_TUNING", "ADAPTION_PROMPT",
)  # fmt: skip
"""Adapters that PEFT has; newer releases add to them, so that only what is nearly one is a mistake."""
OWN = frozenset(("base_model_name_or_path", "task_type", "inference_mode", "target_modules", "modules_to_save"))
"""Keys that tell PEFT's file from the file of that name of other libraries (mlx-lm, adapters)."""
BIASES = ("none", "all", "lora_only")
NEAR = 0.86
VLLM_RANK = 16
"""vLLM's default `max_lora_rank`."""
DROPOUTS = ("lora_dropout", "rank_dropout", "module_dropout")


@rule("XF913", "adapter-config-refused", "error", needs=(f"file:{FILE}",))
def check(context: Context) -> Iterator[Hit]:
    """Each setting of its own, the model's shape left out."""
    data = context.side(FILE)
    if not isinstance(data, dict):
        return
    kind = data.get("peft_type")
    if kind is None and not OWN.isdisjoint(data):
        yield Hit("no peft_type: PEFT finds the class of an adapter by it", "", help='"peft_type": "LORA"', file=FILE)
    yield from word(data, "peft_type", TYPES)
    if kind == "LORA":
        yield from word(data, "bias", BIASES)
        yield from of_lora(data)
        if context.deploy.engine == "vllm":
            yield from of_vllm(data)


def word(data: dict[str, Any], key: str, words: tuple[str, ...]) -> Iterator[Hit]:
    """A word that is nearly one of those known."""
    value = data.get(key)
    if not isinstance(value, str) or value in words:
        return
    meant = next((known for known in words if known.lower() == value.lower()), None) or nearest(value, words, NEAR)
    if meant is not None:
        fix = Fix(f"write {meant}", (Edit("set", f"/{key}", meant),), safe=False)
        yield Hit(f'{key} "{value[:40]}" is none that PEFT has', f"/{key}", help=f'did you mean "{meant}"?', file=FILE, fix=fix)


def of_lora(data: dict[str, Any]) -> Iterator[Hit]:
    """Rank, scale and dropouts."""
    rank, alpha = data.get("r"), data.get("lora_alpha")
    if isinstance(rank, int) and not isinstance(rank, bool) and rank < 1:
        yield Hit(f"r is {rank}: a rank of at least 1 is needed", "/r", file=FILE)
    if isinstance(alpha, int | float) and not isinstance(alpha, bool) and alpha == 0:
        yield Hit("lora_alpha is 0: the adapter is multiplied by nothing", "/lora_alpha", severity="warning", file=FILE)
    for key in DROPOUTS:
        value = data.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and not 0 <= value <= 1:
            yield Hit(f"{key} is {value}: a probability between 0 and 1 is needed", f"/{key}", file=FILE)


def of_vllm(data: dict[str, Any]) -> Iterator[Hit]:
    """What vLLM refuses of an adapter that PEFT takes."""
    refused = [
        (
            "modules_to_save",
            bool(data.get("modules_to_save")),
            "vLLM takes no adapter with whole modules",
            "the modules merged into the model",
        ),
        ("use_dora", data.get("use_dora") is True, "vLLM takes no DoRA", "the adapter merged into the model"),
        ("bias", data.get("bias") in ("all", "lora_only"), "vLLM takes no adapter with biases", '"bias": "none"'),
    ]
    for key, present, said, help_ in refused:
        if present:
            yield Hit(said, f"/{key}", help=help_, severity="warning", file=FILE)
    rank = data.get("r")
    if isinstance(rank, int) and rank > VLLM_RANK:
        said = f"r is {rank}: vLLM takes ranks up to {VLLM_RANK} unless it is told"
        yield Hit(said, "/r", help=f"--max-lora-rank {rank}", severity="info", file=FILE)
