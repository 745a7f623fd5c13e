"""Added tokens that leave ids unused, or share one.

## What it does
Reports ids between the trained vocabulary and the added tokens that no token has, one id given to two tokens, and one token given two ids,
over tokenizer.json, tokenizer_config.json and added_tokens.json.

## Why is this bad?
A hole or a clash means that a file comes from another tokenizer: readers that number added tokens from the end of the vocabulary
get other ids than those the model was trained with.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16"}
```
```json tokenizer.json
{"model": {"type": "BPE", "vocab": {"a": 0, "<s>": 1, "</s>": 2, "b": 3}}, "added_tokens": [{"id": 7, "content": "<tool>"}]}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "rms_norm_eps":
 1e-05, "torch_dtype": "bfloat16"}
```
```json tokenizer.json
{"model": {"type": "BPE", "vocab": {"a": 0, "<s>": 1, "</s>": 2, "b": 3}}, "added_tokens": [{"id": 4, "content": "<tool>"}]}
```

## Source
pytorch/torchtitan#1495; tokenizers, `AddedVocabulary` (added tokens are numbered from the end of the vocabulary).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...readers.tokenizer import tokenizer_of
from .._finding import Hit
from .._registry import rule
from ._ids import TOKENIZER, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context


LARGE = ("tokenizer.json", "vocab.json")
"""Files in which no line is looked for: it would be another pass over megabytes."""


@rule("XF613", "added-token-hole", "warning", needs=TOKENIZER)
def check(context: Context) -> Iterator[Hit]:
    """Holes where the whole vocabulary is at hand, clashes in any case."""
    tokenizer = tokenizer_of(context.folder)
    for file, pointer, message in tokenizer.clashes[:5]:
        yield Hit(message, "" if file in LARGE else pointer, help="one tokenizer's files, unmixed", file=file)
    base = tokenizer.base
    beyond = sorted(i for i in tokenizer.added if base is not None and i >= base)
    if base is None or not beyond or beyond[-1] == base + len(beyond) - 1:
        return
    start, end = _hole(base, beyond)
    yield Hit(
        f"ids {start} to {end} have no token: the vocabulary ends at {base - 1} and {shown(tokenizer.added[end + 1])} has id {end + 1}",
        file="tokenizer.json" if "tokenizer.json" in context.folder.beside() else "tokenizer_config.json",
        help=f"added tokens numbered from {base} without a gap, or named placeholders between them",
    )


def _hole(base: int, beyond: list[int]) -> tuple[int, int]:
    """The first run of ids that no token has."""
    at = base
    for number in beyond:
        if number > at:
            break
        at = number + 1
    return at, number - 1
