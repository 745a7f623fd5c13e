"""A small model run on the CPU: FLOPs as torch counts them, the tensors of the cache, and what one token's gradient reaches."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from inspect import signature
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

BATCH, TOKENS, SOURCE = 2, 11, 7
"""Sequences, tokens of each, and tokens of an encoder's input: all different, and more tokens than a tiny config's window."""

PASSED_ON = ("cache", "past_key_values", "cache_params", "state", "mems")
"""Names under which models return what they keep, and take it back."""


ANSWERING = ("QuestionAnswering", "Classification", "MultipleChoice", "DoubleHeadsModel")
"""Heads that return no cache even where their output has a place for it."""


@dataclass
class Executed:
    """Facts of one run; null where the reference gives none.

    `prefill` and `decode` are FLOPs, `cache` and `later` bytes of all cache tensors after the prefill and after one more token, `active`
    the parameters that one token reaches. `trouble` says which pass failed in transformers itself, and how.
    """

    prefill: int | None = None
    decode: int | None = None
    cache: int | None = None
    later: int | None = None
    active: int | None = None
    trouble: dict[str, str] = field(default_factory=dict)


def executed(model: Any, *, batch: int = BATCH, tokens: int = TOKENS, source: int = SOURCE, step: bool = True) -> Executed:
    """Run a prefill and, where the model returns a cache, one step. Never raises for what transformers raises: see `trouble`."""
    out = Executed()
    given = inputs(model, batch, tokens, source)
    kept = ends = None
    try:
        with torch.no_grad(), FlopCounterMode(display=False) as counter:
            answer = model(**given)
        out.prefill = counter.get_total_flops()
        kept, ends = returned(model, answer)
        out.cache = cache_size(model, given, answer)
    except Exception as error:
        out.trouble["prefill"] = said(error)
        return out
    if kept is None or not step:
        return out
    try:
        following = {**next_inputs(model, given, answer), ends: kept}
        with torch.no_grad(), FlopCounterMode(display=False) as counter:
            answer = model(**following)
        out.decode, out.later = counter.get_total_flops(), size(getattr(answer, ends, kept))
    except Exception as error:
        out.trouble["decode"] = said(error)
    return out


def returned(model: Any, answer: Any) -> tuple[Any, str]:
    """What a pass returns to be passed on to the next, and under which name; (null, "") where it returns nothing of the kind."""
    taken = signature(model.forward).parameters
    return next(
        ((getattr(answer, name), name) for name in PASSED_ON if name in taken and getattr(answer, name, None) is not None), (None, "")
    )


def cache_size(model: Any, given: dict[str, Any], answer: Any) -> int | None:
    """Bytes of the cache. A head that does not hand on its model's cache is asked for by running that model alone; null where there is none to ask."""
    kept, _ = returned(model, answer)
    if kept is not None or (_names(answer) and not type(model).__name__.endswith(ANSWERING)):
        return size(kept)
    inner = model.base_model
    if inner is model:
        return None
    taken = signature(inner.forward).parameters
    if not taken.keys() & set(PASSED_ON):
        return 0
    flat = {key: value.flatten(0, -2) if getattr(value, "ndim", 0) == 3 else value for key, value in given.items()}
    with torch.no_grad():
        answer = inner(**{key: value for key, value in flat.items() if key in taken})
    return size(returned(inner, answer)[0]) if _names(answer) else None


def _names(answer: Any) -> set[str]:
    """The names among PASSED_ON that an output class has, null or not."""
    return {f.name for f in fields(answer)} & set(PASSED_ON) if is_dataclass(answer) else set()


def inputs(model: Any, batch: int, tokens: int, source: int) -> dict[str, Any]:
    """Token ids that no special token is among; an encoder-decoder reads `source` and writes `tokens`; a choice is among `batch` options."""
    name = type(model).__name__
    vocabulary = model.get_input_embeddings().weight.shape[0]
    draw = torch.Generator().manual_seed(3)

    def ids(*shape: int) -> Any:
        return torch.randint(min(8, vocabulary - 1), vocabulary, shape, generator=draw)

    if model.config.is_encoder_decoder and not name.endswith("EncoderModel"):
        given = {"input_ids": ids(batch, source), "decoder_input_ids": ids(batch, tokens)}
    elif name.endswith("MultipleChoice"):
        given = {"input_ids": ids(1, batch, tokens)}
    else:
        given = {"input_ids": ids(batch, tokens)}
    if getattr(model.config, "use_cache", None) is not None:
        given["use_cache"] = True
    return given


def next_inputs(model: Any, given: dict[str, Any], answer: Any) -> dict[str, Any]:
    """One token more; the encoder's output is handed on, as `generate` does."""
    following = {key: value for key, value in given.items() if key == "use_cache"}
    if "decoder_input_ids" not in given:
        return {**following, "input_ids": given["input_ids"][..., -1:]}
    from transformers.modeling_outputs import BaseModelOutput

    memory = BaseModelOutput(last_hidden_state=answer.encoder_last_hidden_state)
    return {**following, "decoder_input_ids": given["decoder_input_ids"][:, -1:], "encoder_outputs": memory}


def size(kept: Any) -> int:
    """Bytes of every tensor that a cache holds, one shared tensor once; the scalar that a sliding layer keeps of its window is none of it."""
    seen: dict[int, Any] = {}

    def walk(value: Any, depth: int) -> None:
        if isinstance(value, torch.Tensor):
            seen[id(value)] = value
        elif isinstance(value, dict):
            for key, inner in value.items():
                if key != "_sliding_window_tensor":
                    walk(inner, depth + 1)
        elif isinstance(value, list | tuple):
            for inner in value:
                walk(inner, depth + 1)
        elif hasattr(value, "__dict__") and depth < 6 and not isinstance(value, type):
            walk(vars(value), depth + 1)

    walk(kept, 0)
    return sum(tensor.numel() * tensor.element_size() for tensor in seen.values() if tensor.dim() > 1)


def active(model: Any) -> int | None:
    """Parameters that one token reaches: all but the experts whose gradient is nothing. Null where the model gives no gradient.

    A stack of experts counts in slices along its first axis, a module for each expert as a whole. Everything else counts whole: with a
    single token the softmax passes no gradient to query and key, which are used nevertheless.
    """
    try:
        given = {**inputs(model, 1, 1, 1), "use_cache": False}
        if getattr(model.config, "use_cache", None) is None:
            given.pop("use_cache")
        answer = model(**given)
        scores = next(
            v
            for v in (getattr(answer, n, None) for n in ("logits", "last_hidden_state", "prediction_logits", "start_logits"))
            if v is not None
        )
        scores.float().pow(2).sum().backward()
    except Exception:
        return None
    total = 0
    for name, parameter in model.named_parameters():
        if ".experts." not in f".{name}":
            total += parameter.numel()
        elif parameter.grad is not None:
            touched = parameter.grad.flatten(1).ne(0).any(1).sum().item() if _stacked(name, parameter) else len(parameter)
            total += parameter.numel() // len(parameter) * int(touched)
    return total


def _stacked(name: str, parameter: Any) -> bool:
    """Whether the first axis counts experts: `experts.gate_up_proj` holds all of them, `experts.3.weight` one."""
    return parameter.dim() > 1 and not any(
        piece.isdigit() or piece.startswith("expert_") for piece in name.rpartition("experts.")[2].split(".")
    )


def said(error: BaseException) -> str:
    """The first line of an error, short."""
    return f"{type(error).__name__}: {str(error).strip().splitlines()[0][:160] if str(error).strip() else ''}"
