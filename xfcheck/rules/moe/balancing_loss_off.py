"""Experts that nothing balances.

## What it does
Reports a balancing loss whose coefficient is 0 (the default of Megatron-LM), and padding of experts to capacity where that loss was
computed wrongly. An info where the recipe does not tell whether the base model has experts.

## Why is this bad?
Without a balancing loss or a bias a router soon sends most tokens to a few experts.

## Example
```text pretrain.sh
python pretrain_gpt.py --num-experts 8 --moe-router-load-balancing-type aux_loss --seq-length 4096 --num-layers 8
```

## Use instead
```text pretrain.sh
python pretrain_gpt.py --num-experts 8 --moe-router-load-balancing-type aux_loss --moe-aux-loss-coeff 1e-2 --seq-length 4096 --num-layers 8
```

## Source
NVIDIA/Megatron-LM#1617; Megatron-LM, training/arguments.py, `--moe-aux-loss-coeff`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._registry import rule
from ..masks._recipe import said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context
    from .._finding import Hit


@rule("XF517", "balancing-loss-off", "warning", needs=("recipe",))
def check(context: Context) -> Iterator[Hit]:
    """The coefficient."""
    yield from said(context, "XF517")
