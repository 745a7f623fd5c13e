"""A window that no layer has.

## What it does
Warns of a window in a class that can slide where no layer of this model does: the switch is off or absent, `max_window_layers`
lets no layer slide, the list of layers has none. An info where the file itself says `use_sliding_window: false`.

## Why is this bad?
The number in the file suggests a bounded cache and bounded attention. Every layer sees and keeps everything; readers that go by
the number alone cut the context.

## Example
```json
{"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-06, "torch_dtype": "bfloat16", "sliding_window": 16, "use_sliding_window": true, "max_window_layers": 2}
```

## Use instead
```json
{"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-06, "torch_dtype": "bfloat16", "sliding_window": 16, "use_sliding_window": true, "max_window_layers": 0}
```

## Source
Blackwellboy/model-serving-minefield#107; huggingface/transformers#35896; huggingface/transformers#40126;
InternLM/lmdeploy#3614; transformers 5.24.0, models/qwen2/configuration_qwen2.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ._rope import custom
from ._windows import KEYS, SLIDING, declared, listed, slides

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope


@rule("XF320", "sliding-window-inactive", "warning", needs=KEYS)
def check(context: Context) -> Iterator[Hit]:
    """Windows in the file against the masks of the model."""
    for scope in context.scopes:
        if not context.of_model(scope) or slides(context) or custom(context, scope):
            continue
        for key in declared(scope):
            window = scope.whole(key, default=False)
            # a window below 1 is XF322's where layers slide
            if window is None or (window < 1 and scope.boolean("use_sliding_window") is not False):
                continue
            why, at = reason(scope)
            yield Hit(
                f"{key} {window:,} is not used: {why}",
                scope.at(key),
                help="null, or the switch that makes layers slide",
                severity="info" if scope.data.get("use_sliding_window") is False else None,
                related=(Related(why, at),) if at else (),
            )


def reason(scope: Scope) -> tuple[str, str | None]:
    """Why no layer slides, and where the file says so."""
    layers, first = scope.whole("num_hidden_layers"), scope.whole("max_window_layers")
    if scope.boolean("use_sliding_window") is False:
        given = scope.has("use_sliding_window")
        said = (
            "use_sliding_window is false" if given else f"use_sliding_window is false in {scope.model_type} where the file does not say it"
        )
        return said, scope.at("use_sliding_window") if given else None
    if listed(scope) and not set(listed(scope)) & set(SLIDING):
        return "layer_types has no sliding layer", scope.at("layer_types")
    if first is not None and layers is not None and first >= layers:
        return f"only layers from max_window_layers {first} slide, there are {layers}", scope.at("max_window_layers")
    return "no layer of this model slides", None
