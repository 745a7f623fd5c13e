"""A balancing loss that is never added.

## What it does
Reports a coefficient of the load-balancing loss without `output_router_logits`, router logits with a coefficient of zero, and a
switch at the root that does not reach the text config: a warning where the model is trained or the two places disagree, else an
info.

## Why is this bad?
transformers adds the loss only when the router logits are put out. The coefficient alone does nothing, and experts collapse in a
long fine-tuning.

## Example
```json
{"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": null,
 "output_router_logits": false, "router_aux_loss_coef": 0.02}
```
```yaml
train: {batch: 8}
```

## Use instead
```json
{"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps": 1e-05,
 "torch_dtype": "bfloat16", "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": null,
 "output_router_logits": true, "router_aux_loss_coef": 0.02}
```
```yaml
train: {batch: 8}
```

## Source
Fedus et al. 2021, arXiv 2101.03961, section 2.2; huggingface/transformers#44586; huggingface/trl#7248; huggingface/trl#6085.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope
    from .._finding import Severity


SWITCH, COEFFICIENT = "output_router_logits", "router_aux_loss_coef"


@rule("XF507", "aux-loss-inactive", "warning", needs=(SWITCH, COEFFICIENT))
def check(context: Context) -> Iterator[Hit]:
    """The switch and the coefficient of each language model, and the root's switch against them."""
    severity: Severity = "warning" if context.train else "info"
    for scope in context.scopes:
        if scope.pointer and (scope.table is None or scope.table.accepts(SWITCH)):
            outer, inner = context.data.get(SWITCH), scope.boolean(SWITCH) or False
            if isinstance(outer, bool) and outer is not inner:
                said = f"{SWITCH} is {str(outer).lower()} at the root and {str(inner).lower()} in {scope.pointer[1:]}, where it is read"
                yield Hit(
                    said, f"/{SWITCH}", help=f"set it in {scope.pointer[1:]}", related=(Related(str(inner).lower(), scope.at(SWITCH)),)
                )
                continue
        yield from inside(scope, severity)


def inside(scope: Scope, severity: Severity) -> Iterator[Hit]:
    """The pair in one object, where the class reads both and the file says at least one."""
    if scope.table is None or not scope.table.declares(SWITCH) or not scope.table.declares(COEFFICIENT):
        return
    on, coefficient = scope.boolean(SWITCH), scope.real(COEFFICIENT)
    if not (scope.has(SWITCH) or scope.has(COEFFICIENT)) or on is None or coefficient is None:
        return
    if coefficient > 0 and not on:
        yield Hit(
            f"{COEFFICIENT} {coefficient:g} is never used: {SWITCH} is false",
            scope.at(COEFFICIENT),
            help=f'"{SWITCH}": true for training',
            severity=severity,
        )
    elif on and coefficient == 0:
        yield Hit(
            f"{SWITCH} is true and {COEFFICIENT} 0: the loss is computed and multiplied by nothing",
            scope.at(COEFFICIENT),
            severity=severity,
        )
