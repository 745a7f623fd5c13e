"""What recipes of tools on transformers' Trainer share: batch, accumulation, precision, attention, padding tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .recipe import UNKNOWN

if TYPE_CHECKING:
    from .recipe import Found, Keys, Recipe

ATTENTION = {
    "flash_attention_2": "flash_attention_2", "flash_attention_3": "flash_attention_3", "flash_attention_4": "flash_attention_4",
    "flash_attn": "flash_attention_2", "flash_attn_2": "flash_attention_2", "flash_attn_3": "flash_attention_3",
    "flash": "flash_attention_2",
    "fa2": "flash_attention_2", "fa3": "flash_attention_3", "sdpa": "sdpa", "eager": "eager", "flex_attention": "flex", "flex": "flex",
    "xformers": "xformers", "disabled": "eager",
}  # fmt: skip
"""Names of attention in recipes -> those of the `train` section."""
END_TOKENS = (
    "</s>", "<|endoftext|>", "<|end_of_text|>", "<|im_end|>", "<|eot_id|>", "<eos>", "<end_of_turn>", "<|end|>", "<|eos|>", "eos",
    "eos_token", "tokenizer.eos_token", "eos_token_id",
)  # fmt: skip
"""Texts of tokens that end a text or a turn."""


NOT_KNOWN = "not known"
"""In place of the name of an attention that is written and not known: it may be flash."""


def is_flash(name: object) -> bool:
    """Whether a name of attention is or may be a flash kernel's, that of the Hub (`kernels-community/flash-attn2`) included."""
    return isinstance(name, str) and (name == NOT_KNOWN or "flash" in name.lower() or name.lower() in ("fa2", "fa3"))


def attention(recipe: Recipe, found: Found | None) -> str | None:
    """Take the attention into the section; its name there, null where none is named, NOT_KNOWN where the name is not."""
    if found is not None and found.value is UNKNOWN:
        return NOT_KNOWN
    if found is None or not isinstance(found.value, str) or found.value.lower() in ("auto", ""):
        return None
    name = ATTENTION.get(found.value.lower(), "flash" if is_flash(found.value) else found.value.lower())
    recipe.take("attention", found, name)
    return name


def batches(recipe: Recipe, keys: Keys) -> None:
    """Batch, accumulation, precision and optimizer under the names of TrainingArguments."""
    recipe.take("batch", keys.whole("per_device_train_batch_size"))
    recipe.take("gradient_accumulation", keys.whole("gradient_accumulation_steps"))
    recipe.take("optimizer", keys.text("optim"))
    precision(recipe, keys)


def precision(recipe: Recipe, keys: Keys) -> None:
    """The dtype of training."""
    for name, dtype in (("bf16", "bf16"), ("fp16", "fp16")):
        if keys.on(name) is not None:
            recipe.take("precision", keys.on(name), dtype)
            return
    named = keys.text("torch_dtype", "dtype")
    if named is not None and named.value in ("bfloat16", "float16", "float32", "bf16", "fp16", "fp32"):
        recipe.take("precision", named)


def padding(recipe: Recipe, pad: Found | None, end: Found | None, *, by_id: Found | None = None, guarded: bool = False) -> None:
    """A padding token that ends texts too.

    `by_id`: what makes the tool mask labels by the padding id, null where it masks before. `guarded`: only for a tokenizer without one.
    """
    if pad is None or not isinstance(pad.value, str):
        return
    same = end is not None and pad.value == end.value
    if not same and pad.value not in END_TOKENS:
        return
    what = (
        f"the padding token {pad.value!r} is the end token"
        if same or pad.value.startswith("eos")
        else f"the padding token {pad.value!r} ends texts"
    )
    if by_id is not None:
        recipe.mask(by="pad_id")
        where = " where the tokenizer has none" if guarded else ""
        said = f"{what}{where}, and labels are masked by its id: the end is never trained"
        recipe.note("XF201", said, pad, "a padding token of its own", "warning" if guarded else None)
    else:
        said = f"{what}; {recipe.tool} masks labels before it pads, so that real ends stay trained"
        recipe.note("XF201", said, pad, "an error with collators that mask by id", "info")


def length(recipe: Recipe, keys: Keys, names: tuple[str, ...], default: int | None, said: str) -> Found | None:
    """Take the length, or the tool's default, of which `said` tells where it comes from; none where it is written and not known."""
    found = keys.whole(*names)
    recipe.take("sequence_length", found)
    if found is None and (recipe.partial or keys.find(*names) is not None):
        return None
    if found is None:
        if default is not None:
            recipe.train["sequence_length"] = default
        recipe.note("XF217", f"no sequence length is given: {said}", help="write the length")
        return None
    value = found.value
    nearest = 1 << (value.bit_length() - 1) if value > 0 else 0
    if 0 < value - nearest <= 8 and nearest >= 512:
        more = value - nearest
        recipe.note(
            "XF224", f"a sequence length of {value} is {more} above {nearest}", found, f"{nearest}, unless the model has {value} positions"
        )
    return found


def size_of_packed_step(recipe: Recipe, rows: int, length_: int | None, at: Found, *, joined: bool) -> None:
    """Packing fills each row: tokens a step are no longer those of so many samples. `joined`: the rows of a micro batch become one row."""
    tokens = f" = {rows * length_:,} tokens" if length_ is not None else " tokens"
    if joined and rows > 1:
        recipe.note("XF220", f"packing joins a micro batch of {rows} into one row of {rows} x {length_ or 'the length'}{tokens}", at,
                    "a batch of 1 row, or a learning rate for that many tokens")  # fmt: skip
    else:
        said = "packing makes fewer and fuller rows: steps an epoch and the learning rate are those of another batch size"
        recipe.note("XF220", said, at, "less accumulation, or more epochs")


def recurrent_layers(recipe: Recipe, at: Found) -> None:
    """The base model may have layers that carry a state from sample to sample."""
    named = f" of {recipe.base_model.value}" if recipe.base_model is not None else ""
    said = f"packing isolates attention; whether the layers{named} carry a recurrent state is not checked: base model not at hand"
    recipe.note("XF221", said, at, "linear attention and state-space layers need the sample boundaries (cu_seqlens) too")


def accumulation(recipe: Recipe, steps: Found | None) -> None:
    """Accumulated batches: transformers' Trainer averaged their means before 4.46."""
    if steps is not None and steps.value > 1:
        said = f"{steps.value} accumulated batches: before transformers 4.46 short samples weigh more, as each batch had a mean of its own"
        recipe.note("XF209", said, steps, "transformers 4.46 or newer", "info")


def balancing(recipe: Recipe, coefficient: Found | None) -> None:
    """A balancing loss of experts that the recipe multiplies by 0."""
    if coefficient is not None and coefficient.value in (0, 0.0) and not isinstance(coefficient.value, bool):
        said = f"{coefficient.pointer.rpartition('/')[2]} 0: nothing balances the experts, where the base model has any"
        recipe.note("XF517", said, coefficient, "0.001, or the base model's own coefficient", "info")
