"""A generation_config.json that cannot be saved again, or not be used.

## What it does
Reports combinations that transformers refuses when a generation config is saved: sampling values without `do_sample: true`, beam values
with one beam, a negative `pad_token_id`, several greedy answers. And values that it refuses when it loads the file (an unknown
`cache_implementation`, `max_new_tokens` below one) or samples with it (a temperature of 0).

## Why is this bad?
Such a file loads with a warning. The first `save_pretrained` after any change raises: at the end of a training run, where the model should
be written. A value that sampling refuses raises with the first token.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "eos_token_id": 2}
```
```json generation_config.json
{"eos_token_id": 2, "do_sample": false, "temperature": 0.9}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16", "eos_token_id": 2}
```
```json generation_config.json
{"eos_token_id": 2, "do_sample": true, "temperature": 0.9}
```

## Source
huggingface/transformers#29988; haotian-liu/LLaVA#1635; hiyouga/LLaMA-Factory#2837; QwenLM/Qwen3-ASR#210; transformers 5.24.0,
generation/configuration_utils.py, `GenerationConfig.validate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._finding import Edit, Fix, Hit
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context

SAMPLING: dict[str, float | None] = {
    "temperature": 1.0, "top_p": 1.0, "min_p": None, "top_h": None, "typical_p": 1.0, "top_k": 50, "epsilon_cutoff": 0.0, "eta_cutoff": 0.0,
}  # fmt: skip
"""Keys that only sampling reads, with the value that is let pass."""
BEAMS: dict[str, Any] = {"early_stopping": False, "length_penalty": 1.0}
"""The same for keys that only beam search reads."""
TINY = 1e-300
RANGES: dict[str, tuple[float, float]] = {
    "temperature": (TINY, float("inf")), "top_p": (0.0, float("inf")), "top_k": (0, float("inf")), "min_p": (0.0, 1.0),
    "typical_p": (TINY, float("inf")),
}  # fmt: skip
"""Values that sampling takes; a share above 1 is never asked for and does nothing."""
CACHES = (
    "dynamic", "static", "offloaded", "offloaded_static", "quantized", "sliding_window", "hybrid", "hybrid_chunked", "offloaded_hybrid",
    "offloaded_hybrid_chunked", "paged",
)  # fmt: skip
OUTPUTS = ("output_attentions", "output_hidden_states", "output_scores", "output_logits")


@rule("XF609", "generation-config-unsavable", "error", needs=("file:generation_config.json",))
def check(context: Context) -> Iterator[Hit]:
    """Each key that stops a save."""
    data = context.side("generation_config.json")
    if isinstance(data, dict):
        for key, why in _refused(data):
            fix = Fix(f"take {key} away", (Edit("delete", f"/{key}"),), safe=False)
            said = f"{key} {_shown(data[key])} {why}: saving this file is refused"
            yield Hit(said, f"/{key}", help=_help(key), file="generation_config.json", fix=fix)
        for key, why in _unusable(data):
            yield Hit(f"{key} {_shown(data[key])}: {why}", f"/{key}", file="generation_config.json")


def _unusable(data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key, (low, high) in RANGES.items() if data.get("do_sample") is True else ():
        value = data.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and not low <= value <= high:
            yield key, "sampling refuses it" + (", greedy decoding is do_sample false" if key == "temperature" and value == 0 else "")
    penalty, longest, cache = data.get("repetition_penalty"), data.get("max_new_tokens"), data.get("cache_implementation")
    if isinstance(penalty, int | float) and not isinstance(penalty, bool) and penalty <= 0:
        yield "repetition_penalty", "a number above 0 is needed"
    if isinstance(longest, int) and not isinstance(longest, bool) and longest <= 0:
        yield "max_new_tokens", "loading this file is refused, at least 1 is needed"
    if isinstance(cache, str) and cache not in CACHES:
        yield "cache_implementation", f"loading this file is refused, of {', '.join(CACHES)}"


def _refused(data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    pad = data.get("pad_token_id")
    if isinstance(pad, int) and not isinstance(pad, bool) and pad < 0:
        yield "pad_token_id", "is negative"
    if data.get("do_sample") is not True:
        yield from ((k, "without do_sample true") for k, fine in SAMPLING.items() if data.get(k) is not None and data[k] != fine)
    beams = data.get("num_beams")
    if beams is None or beams == 1:
        yield from ((k, "with one beam") for k, fine in BEAMS.items() if data.get(k) is not None and data[k] != fine)
    several = data.get("num_return_sequences")
    if isinstance(several, int) and several > 1:
        if (beams is None or beams == 1) and data.get("do_sample") is not True:
            yield "num_return_sequences", "without sampling or beams"
        elif isinstance(beams, int) and 1 < beams < several:
            yield "num_return_sequences", f"with num_beams {beams}"
    if data.get("return_dict_in_generate") is not True:
        yield from ((k, "without return_dict_in_generate") for k in OUTPUTS if data.get(k) is True)


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)[:40]


def _help(key: str) -> str | None:
    if key in SAMPLING:
        return f"do_sample true, or no {key}"
    return "num_beams above 1, or without it" if key in BEAMS else "null" if key == "pad_token_id" else None
