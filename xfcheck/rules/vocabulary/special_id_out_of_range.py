"""A special token without a row.

## What it does
Reports ids of special tokens beyond the vocabulary, the tokenizer's own included, and negative ones: -1 is a warning, unless
the tokenizer has a token for it. Null is fine, 0 is an id. Placeholder ids of images or audio are held against the rows that
are really built. An id that only the class gives is judged for padding alone, as a warning.

## Why is this bad?
An embedding with such a padding id is refused when it is built; any other id is logged and fails where it is used, on a GPU in
an assertion without a place. -1 was a way to say none: `GenerationConfig.save_pretrained` refuses it.

## Example
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 96}
```

## Use instead
```json
{"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2,
 "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "max_position_embeddings": 64,
 "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16", "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": null}
```

## Source
haotian-liu/LLaVA#94; huggingface/transformers#25773; fc2869/lo-fit#1; GaiZhenbiao/Phi3V-Finetuning#12;
huggingface/transformers#25426; transformers 5.24.0, configuration_utils.py (`validate_token_ids`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...readers.tokenizer import tokenizer_of
from .._finding import Edit, Fix, Hit, Related
from .._registry import rule
from ._ids import embedding_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._context import Context, Scope


NAMES = ("bos", "eos", "pad", "sep", "cls", "unk", "mask", "decoder_start", "forced_bos", "forced_eos", "eot", "eod")
KEYS = tuple(f"{name}_token_id" for name in NAMES)
PLACEHOLDERS = tuple(f"{name}_token_{end}" for name in ("image", "video", "audio", "speech") for end in ("id", "index"))

EXTRA = 1024
"""More rows than any composite adds to the table of its text model for its own marks."""


@rule("XF603", "special-id-out-of-range", "error", needs=("model_type",))
def check(context: Context) -> Iterator[Hit]:
    """Ids of the root and of each language model against the rows."""
    tokenizer = tokenizer_of(context.folder)
    for scope in context.scopes:
        rows = scope.whole("vocab_size")
        if rows is None or rows < 1:
            continue
        for holder in [scope] if scope.pointer == context.root.pointer else [context.root, scope]:
            for key in KEYS:
                if holder.has(key):
                    yield from judged(holder, key, rows, scope.at("vocab_size"), tokenizer.role_id(key.removesuffix("_token_id")))
        padding = scope.whole("pad_token_id")
        if scope.defaulted("pad_token_id") and padding is not None and padding >= rows and not context.root.has("pad_token_id"):
            yield Hit(
                f"the class default pad_token_id {padding:,} has no row: vocab_size is {rows:,}",
                scope.at("vocab_size"),
                help='"pad_token_id": null, or an id below the vocabulary',
                severity="warning",
            )
    yield from of_generation(context)
    yield from placeholders(context)
    yield from of_tokenizer(context)


def of_generation(context: Context) -> Iterator[Hit]:
    """Ids beyond the rows in generation_config.json; what is wrong with a negative one there is XF609's."""
    beside = "generation_config.json" in context.folder.beside()
    data, rows = context.side("generation_config.json") if beside else None, embedding_rows(context) if beside else None
    given: dict[str, Any] = data if isinstance(data, dict) and rows is not None else {}
    for key in KEYS:
        value = given.get(key)
        for number, each in enumerate(value if isinstance(value, list) else [value]):
            if rows is not None and isinstance(each, int) and not isinstance(each, bool) and each >= rows[0]:
                yield Hit(
                    f"{key} is {each:,}: the vocabulary has {rows[0]:,} rows, 0 to {rows[0] - 1:,}",
                    f"/{key}/{number}" if isinstance(value, list) else f"/{key}",
                    help=f"an id below {rows[0]:,}",
                    file="generation_config.json",
                    related=(Related(f"vocab_size {rows[0]:,}", rows[1]),),
                )


def of_tokenizer(context: Context) -> Iterator[Hit]:
    """Ids of the tokenizer's own special tokens."""
    tokenizer, rows = tokenizer_of(context.folder), embedding_rows(context)
    for role, (token, file) in tokenizer.special.items() if rows is not None else ():
        number = tokenizer.id(token)
        if rows is not None and number is not None and number >= rows[0]:
            yield Hit(
                f"the tokenizer's {role} token {token[:40]!r} has id {number:,}: the vocabulary has {rows[0]:,} rows",
                f"/{role}_token",
                help=f"vocab_size at least {number + 1}, with rows to match, or a token below {rows[0]:,}",
                file=file,
                related=(Related(f"{rows[0]:,} rows", rows[1]),),
            )


def judged(scope: Scope, key: str, rows: int, rows_at: str, real: int | None) -> Iterator[Hit]:
    """An id, or each of a list; `real` is what the tokenizer has for the key: -1 then contradicts it."""
    value, at = scope.value(key), scope.at(key)
    for number, each in enumerate(value if isinstance(value, list) else [value]):
        if isinstance(each, bool) or not isinstance(each, int) or 0 <= each < rows:
            continue
        place = f"{at}/{number}" if isinstance(value, list) else at
        low = each < 0
        null = low and not isinstance(value, list) and (scope.table is None or "null" in (scope.table.types(key) or ("null",)))
        said = "" if real is None or not low else f", the tokenizer has {real}"
        yield Hit(
            f"{key} is {each}: {'no token has a negative id' if low else f'the vocabulary has {rows:,} rows, 0 to {rows - 1:,}'}{said}",
            place,
            help="null for none; GenerationConfig.save_pretrained refuses negative ids"
            if low
            else f"an id below {rows:,}, or a larger vocab_size",
            severity="warning" if each == -1 and real is None else None,
            related=() if low else (Related(f"vocab_size {rows:,}", rows_at),),
            fix=Fix("write null", (Edit("set", at, None),)) if null and each == -1 else None,
        )


def placeholders(context: Context) -> Iterator[Hit]:
    """Ids that mark the place of an image or of sound; a negative one never reaches the table."""
    rows = embedding_rows(context)
    # where only the text model was read the whole may have a few rows more
    whole = context.model is not None and context.model.settings.pointer == ""
    for key in PLACEHOLDERS if rows is not None else ():
        value = context.root.whole(key, default=False)
        if rows is not None and value is not None and value >= rows[0] + (0 if whole else EXTRA):
            yield Hit(
                f"{key} is {value:,}: the embedding has {rows[0]:,} rows",
                context.root.at(key),
                help=f"an id below {rows[0]:,}",
                related=(Related(f"{rows[0]:,} rows", rows[1]),),
            )
