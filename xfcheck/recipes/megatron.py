"""Megatron-LM's command line.

Source: Megatron-LM (d98e8a6), training/arguments.py, training/datasets/sft_dataset.py, training/tokenizer/sft_tokenizer.py;
Megatron-LM#415, #954, #1617, #2357, pull request 2121.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .hf_trainer import length, recurrent_layers
from .megatron_data import mean_of_means, unbalanced
from .recipe import Found, Keys, Recipe

if TYPE_CHECKING:
    from .recipe import Written

OWN = ("seq-length", "micro-batch-size", "global-batch-size", "max-position-embeddings", "tokenizer-type", "num-layers",
       "tensor-model-parallel-size", "reset-position-ids", "reset-attention-mask", "eod-mask-loss", "moe-router-topk")  # fmt: skip


def reads(written: Written) -> bool:
    """Two of its flags, spelt as it spells them."""
    return written.source == "flags" and sum(n in written.data for n in OWN) > 1


def recipe(written: Written) -> Recipe:
    """Read the flags."""
    keys = Keys((written.data, ""))
    out = Recipe("Megatron-LM", "megatron", keys.text("tokenizer-model"))
    longest = length(out, keys, ("seq-length", "encoder-seq-length"), None, "Megatron-LM needs --seq-length")
    positions = keys.whole("max-position-embeddings")
    if longest is not None and positions is not None and longest.value > positions.value:
        said = f"--seq-length {longest.value} is above --max-position-embeddings {positions.value}: Megatron-LM refuses it"
        out.note("XF215", said, positions, f"--max-position-embeddings {longest.value}")
    out.take("batch", keys.whole("micro-batch-size"))
    out.take("optimizer", keys.text("optimizer"))
    if keys.on("use-mcore-models") is not None:
        said = "--use-mcore-models is deprecated and ignored: Megatron Core is the default, --use-legacy-models turns it off"
        out.note("XF219", said, keys.on("use-mcore-models"), "without the flag")
    for name in ("bf16", "fp16"):
        if keys.on(name) is not None:
            out.take("precision", keys.on(name), name)
    backend = keys.text("attention-backend")
    if backend is not None and backend.value in ("flash", "fused", "unfused", "local"):
        out.take("attention", backend, {"fused": "cudnn", "unfused": "eager", "local": "eager"}.get(backend.value, "flash"))
    _documents(out, keys)
    _experts(out, keys)
    return out


def _documents(out: Recipe, keys: Keys) -> None:
    """Rows of several documents: what separates them."""
    tuning = keys.on("sft")
    positions, mask = keys.on("reset-position-ids"), keys.on("reset-attention-mask")
    rotary = keys.text("position-embedding-type")
    if positions is not None and tuning is None and rotary is not None and rotary.value in ("rope", "none"):
        said = f"--reset-position-ids with --position-embedding-type {rotary.value}: position ids are read by learned positions alone"
        out.note("XF216", said, positions, "without the flag; --reset-attention-mask separates documents", "info")
    if tuning is not None:
        _tuning(out, keys)
        out.take("packing", tuning)
        out.mask(prompt="masked", by="pad_id")
        for reset in (positions, mask):
            if reset is not None:
                said = f"--sft with --{reset.pointer[1:]}: Megatron-LM refuses it, packed samples are separated already"
                out.note("XF215", said, reset, "without the flag")
        return
    out.mask(prompt="trained")
    _separated(out, keys, positions, mask)


def _separated(out: Recipe, keys: Keys, positions: Found | None, mask: Found | None) -> None:
    """Whether documents of a row see one another: what resets, and whether the attention reads the mask."""
    ends = keys.on("eod-mask-loss")
    backend = keys.text("attention-backend")
    flash = keys.on("use-flash-attn") or (backend if backend is not None and backend.value == "flash" else None)
    if positions is not None and mask is None:
        said = "--reset-position-ids without --reset-attention-mask: positions restart, and attention goes on across documents"
        out.note("XF205", said, positions, "--reset-attention-mask with --transformer-impl local, or --sft with packed sequences")
    elif mask is not None and keys.has("attention-mask-type"):
        pass  # a fork whose kernel takes the boundaries
    elif mask is not None and flash is not None:
        said = "--reset-attention-mask with flash attention: the kernel takes no mask, documents attend to one another (Megatron-LM#415)"
        out.note("XF205", said, flash, "--transformer-impl local, or --sft with packed sequences")
    elif mask is not None:
        engine = keys.find("transformer-impl")
        if engine is None or engine.value == "transformer_engine":
            named = "--transformer-impl transformer_engine" if engine is not None else "transformer_engine, the default --transformer-impl"
            said = f"--reset-attention-mask with {named}: its causal attention reads no mask, documents attend to one another"
            out.note("XF205", f"{said} (Megatron-LM#2357)", engine or mask, "--transformer-impl local, or --sft with packed sequences",
                     None if engine is not None else "info")  # fmt: skip
    else:
        unset = [n for n, f in (("reset-position-ids", positions), ("reset-attention-mask", mask), ("eod-mask-loss", ends)) if f is None]
        said = f"documents of a row attend to one another across their ends: {', '.join('--' + n for n in unset)} are off by default"
        out.note(
            "XF205",
            said,
            keys.whole("seq-length"),
            "usual in pretraining; --reset-attention-mask with --transformer-impl local separates them",
            "info",
        )


def _tuning(out: Recipe, keys: Keys) -> None:
    """Rows of conversations under --sft: labels, length, batches."""
    longest = keys.whole("seq-length")
    if longest is not None:
        said = "a row of conversations longer than --seq-length is cut at its end: the last answer goes first"
        out.note("XF223", said, longest, "a --seq-length above the longest row")
        said = f"a prompt that fills --seq-length {longest.value} leaves no label in its row"
        out.note("XF206", said, longest, "a --seq-length above the longest prompt", "info")
    form = keys.text("sft-tokenizer-prompt-format")
    if form is not None and form.value == "default":
        said = "prompt format default pads with the end token where the tokenizer has no padding token, and labels are masked by that id"
        out.note("XF201", f"{said}: not checked, tokenizer not at hand", form, "a tokenizer with a padding token of its own", "info")
    rows, micro = keys.whole("global-batch-size"), keys.whole("micro-batch-size")
    if rows is not None:
        out.note("XF220", "--global-batch-size counts rows, each of which may hold several conversations", rows,
                 "a batch and a learning rate for that many tokens")  # fmt: skip
        if keys.on("calculate-per-token-loss") is None:
            mean_of_means(out, rows, micro or Found(1, ""), "rows", "--calculate-per-token-loss")
    pattern = keys.text("hybrid-override-pattern", "hybrid-layer-pattern")
    if pattern is not None or keys.on("is-hybrid-model") is not None:
        recurrent_layers(out, pattern or Found(True, "/is-hybrid-model"))


def _experts(out: Recipe, keys: Keys) -> None:
    experts = keys.whole("num-experts")
    if experts is None:
        return
    coefficient, balancing = keys.find("moe-aux-loss-coeff"), keys.text("moe-router-load-balancing-type")
    kind = "aux_loss" if balancing is None else balancing.value
    if keys.find("moe-router-load-balancing-type") is not None and balancing is None:
        return  # a balancing that is not known
    value = 0.0 if coefficient is None else coefficient.value
    numbers = value if isinstance(value, list) else [value]
    if all(isinstance(v, int | float) and v == 0 for v in numbers):
        zero = "0" if coefficient is not None else "0, the default"
        told = "--moe-aux-loss-coeff 1e-2, or another --moe-router-load-balancing-type"
        unbalanced(out, kind, coefficient or balancing or experts, zero, told)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        out.train["aux_loss"] = {"coefficient": float(value)}
        if kind == "none":
            said = f"--moe-aux-loss-coeff {value:g} with --moe-router-load-balancing-type none: there is no such loss"
            out.note("XF216", said, coefficient, "--moe-router-load-balancing-type aux_loss")
    factor = keys.find("moe-expert-capacity-factor")
    if factor is not None and isinstance(factor.value, int | float) and factor.value > 0:
        out.take("capacity_factor", factor, float(factor.value))
        if kind == "seq_aux_loss" and keys.on("moe-pad-expert-input-to-capacity") is not None:
            said = "seq_aux_loss with --moe-pad-expert-input-to-capacity: the loss was computed wrongly (Megatron-LM#1617)"
            out.note("XF517", said, balancing, "aux_loss, or no padding to capacity")
    dispatcher = keys.text("moe-token-dispatcher-type")
    if dispatcher is not None and dispatcher.value in ("alltoall", "allgather", "flex"):
        out.take("dispatcher", dispatcher)
