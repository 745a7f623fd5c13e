"""Disagreement on how much of a head turns.

## What it does
Warns where `partial_rotary_factor`, `rotary_pct` and `rotary_dim` give different widths, where one of them stands in a class
that does not read it, and where a share is given beside a rotary head of latent attention, which is the rotary part already. An
info names the width where only a part of the head turns, and the class default behind it.

## Why is this bad?
Readers take different spellings: one turns half of the head, another all of it. The output is fluent for a few tokens and then
falls apart.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "rotary_dim": 8}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "head_dim": 16}
```

## Source
vllm-project/vllm#43770; vllm-project/vllm#16904; vllm-project/vllm#41185; ml-explore/mlx-lm#1698;
vllm-project/vllm-ascend#6581; transformers 5.24.0, modeling_rope_utils.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...readers.rope import version5
from .._finding import Hit, Related
from .._registry import rule
from ..dimensions._heads import latent
from ._rope import BLOCKS, Block, custom, widths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope


SHARES = ("partial_rotary_factor", "rotary_pct")
DIMENSIONS = ("rotary_dim",)


@rule("XF313", "partial-rotary-conflict", "warning", needs=("model_type",))
def check(context: Context) -> Iterator[Hit]:
    """The spellings of the rotated share against the width that the model turns."""
    for scope in context.scopes:
        written = dict(spellings(scope))
        if latent(scope):
            yield from beside_latent(context, scope, written)
            continue
        turned, head = widths(context, Block(scope, {}, scope.pointer, None)), heads(context, scope)
        if len(turned) != 1 or len(head) != 1:
            continue
        (width,), (whole,) = turned, head
        lost = False
        for at, (key, value) in written.items():
            wanted = int(value * whole) if key in SHARES else int(value)
            of_class = not context.of_model(scope) and scope.table is not None and scope.table.accepts(key)
            if wanted != width and not of_class and not custom(context, scope):
                lost = True
                unread = at == f"{scope.pointer}/{key}" and scope.table is not None and not scope.table.accepts(key)
                why = f", which {scope.model_type} does not read" if unread else ""
                yield Hit(
                    f"{key} {value:g} means {wanted} rotated dimensions{why}; {width} of {whole} turn",
                    at,
                    help=f"partial_rotary_factor {wanted / whole:g}, where the class takes it" if unread else "one spelling",
                    related=tuple(Related(f"{k} {v:g}", a) for a, (k, v) in written.items() if a != at),
                )
        if width != whole and not lost:
            yield partial(scope, width, whole, written)


def spellings(scope: Scope) -> Iterator[tuple[str, tuple[str, float]]]:
    """(pointer, (key, value)) of each spelling in the file, numbers alone; blocks of single kinds of layers have shares of their own."""
    for key in (*SHARES, *DIMENSIONS):
        value = scope.data.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{scope.pointer}/{key}", (key, value)
    for name in BLOCKS:
        block = scope.data.get(name)
        value = block.get("partial_rotary_factor") if isinstance(block, dict) else None
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{scope.pointer}/{name}/partial_rotary_factor", ("partial_rotary_factor", value)


def heads(context: Context, scope: Scope) -> set[int]:
    """Widths of the heads that turn."""
    if context.of_model(scope):
        found = [(getattr(m, "position", None), getattr(m, "head_dim", None)) for m in context.mixers]
        return {width for position, width in found if position is not None and position.kind == "rotary" and width}
    return widths(context, Block(scope, {"partial_rotary_factor": 1.0}, scope.pointer, None))


def beside_latent(context: Context, scope: Scope, written: dict[str, tuple[str, float]]) -> Iterator[Hit]:
    """A share beside a rotary head, where every attention is latent: other kinds of layers may have a share of their own."""
    if not context.of_model(scope) or any(m.kind == "attention" for m in context.mixers):
        return
    others = any(getattr(m, "position", None) is not None and m.kind != "latent_attention" for m in context.mixers)
    if "partial_rotary_factor" in version5()["types"].get(scope.model_type, {}).get("block", {}):
        return  # the class writes one itself, for readers that ask for it
    for at, (key, value) in written.items():
        if key in SHARES and value != 1 and not others:
            yield Hit(
                f"{key} {value:g} beside qk_rope_head_dim {scope.whole('qk_rope_head_dim')}: "
                "the rotary head of latent attention is the rotated part already",
                at,
                help="leave it out",
                related=(Related("the rotary head", scope.at("qk_rope_head_dim")),),
            )


def partial(scope: Scope, width: int, whole: int, written: dict[str, tuple[str, float]]) -> Hit:
    """Only a part of the head turns: where that is said."""
    if written:
        at, (key, value) = next(iter(written.items()))
        return Hit(f"{width} of {whole} dimensions of a head turn in every layer ({key} {value:g})", at, severity="info")
    return Hit(
        f"{width} of {whole} dimensions of a head turn: {width / whole:g} is the default of {scope.model_type}, the file does not say it",
        f"{scope.pointer}/model_type" if "model_type" in scope.data else scope.pointer,
        help=f'"partial_rotary_factor": {width / whole:g}, for readers that have another default',
        severity="info",
    )
