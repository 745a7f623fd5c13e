"""Two mechanisms of positions in one file.

## What it does
Warns of an ALiBi flag or a learned table beside rotary keys with values other than the class's own, and of an ALiBi flag in a
class that turns its heads.

## Why is this bad?
One of the two is not read. Which one differs between readers, and only one was trained.

## Example
```json
{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 64,
 "vocab_size": 96, "rope_theta": 500000.0, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2}
```

## Use instead
```json
{"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 64,
 "vocab_size": 96, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2}
```

## Source
Press et al. 2021, arXiv 2108.12409; transformers 5.24.0, models/falcon/modeling_falcon.py: with `alibi` no head is turned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._finding import Hit, Related
from .._registry import rule
from ._mechanisms import mechanisms
from ._rope import BLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope


USUAL = 10000
"""The base that files carry over without meaning it."""


@rule("XF324", "position-mechanism-ambiguous", "warning", needs=("alibi", "rope_theta", "rope_scaling", "rope_parameters"))
def check(context: Context) -> Iterator[Hit]:
    """The model's mechanism against the keys of another."""
    for scope in context.scopes:
        flag = scope.data.get("alibi") is True
        read = flag and scope.table is not None and scope.table.declares("alibi")
        found = mechanisms(context) if context.of_model(scope) else {"alibi"} if read else set()
        if "rotary" not in found and ("alibi" in found or "learned" in found):
            kind = "ALiBi" if "alibi" in found else "a learned table"
            for key, said in foreign(scope):
                yield Hit(
                    f"positions come from {kind}, {said} is not read",
                    scope.at(key),
                    help="one mechanism",
                    related=(Related("alibi", scope.at("alibi")),) if flag else (),
                )
        elif "rotary" in found and "alibi" not in found and flag:
            yield Hit(f"alibi is set, {scope.model_type} has rotary positions", scope.at("alibi"), help="one mechanism")


def foreign(scope: Scope) -> Iterator[tuple[str, str]]:
    """(key, what it says) of rotary keys with values that somebody meant."""
    default = None if scope.table is None else scope.table.default_theta
    theta = scope.data.get("rope_theta")
    if isinstance(theta, int | float) and not isinstance(theta, bool) and theta not in (USUAL, default):
        yield "rope_theta", f"rope_theta {theta:g}"
    for key in BLOCKS:
        block = scope.data.get(key)
        if isinstance(block, dict):
            kind = block.get("rope_type", block.get("type", "default"))
            base = block.get("rope_theta", USUAL)
            if kind != "default" or base not in (USUAL, default):
                yield key, key
