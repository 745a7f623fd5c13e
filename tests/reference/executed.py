"""A small model run on the CPU: FLOPs as torch counts them, and the tensors of the cache."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from inspect import signature
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode, flop_registry

BATCH, TOKENS, SOURCE = 2, 11, 7
"""Sequences, tokens of each, and tokens of an encoder's input: all different, and more tokens than a tiny config's window."""

CHARACTERS = 0x110000
"""Ids of a model of characters, whose config says no vocabulary."""

PASSED_ON = ("cache", "past_key_values", "cache_params", "state", "mems", "past_buckets_states")
"""Names under which models return what they keep, and take it back."""


ANSWERING = ("QuestionAnswering", "Classification", "MultipleChoice", "DoubleHeadsModel")
"""Heads that return no cache even where their output has a place for it."""


@dataclass
class Executed:
    """Facts of one run in `dtype` of `batch` sequences of `tokens`, whose encoder reads `source`; null where the reference gives none.

    `prefill` and `decode` are FLOPs, `cache` and `later` bytes of all cache tensors after the prefill and after one more token. `trouble`
    says which pass failed in transformers itself, and how.
    """

    batch: int
    tokens: int
    source: int
    dtype: str
    prefill: int | None = None
    decode: int | None = None
    cache: int | None = None
    later: int | None = None
    trouble: dict[str, str] = field(default_factory=dict)


class Counter(TorchDispatchMode):
    """FlopCounterMode's formulas without its account of modules: the same total in a third of the time."""

    def __init__(self) -> None:
        super().__init__()
        self.total = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # nothing is compiled here, and the guard against it is what costs

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run the operation and count it."""
        out = func(*args, **(kwargs or {}))
        formula = flop_registry.get(func._overloadpacket)
        if formula is not None:
            self.total += formula(*args, **(kwargs or {}), out_val=out)
        return out

    def get_total_flops(self) -> int:
        """FLOPs so far."""
        return self.total


def executed(
    model: Any, *, batch: int = BATCH, tokens: int = TOKENS, source: int = SOURCE, step: bool = True, torch_counts: bool = False
) -> Executed:
    """Run a prefill and, where the model returns a cache, one step. Never raises for what transformers raises: see `trouble`.

    `torch_counts` leaves the count to torch's own FlopCounterMode.
    """
    out = Executed(batch, tokens, source, str(passed_on(model)).removeprefix("torch."))
    counted = FlopCounterMode if torch_counts else Counter
    try:
        given = inputs(model, batch, tokens, source)
        out.source = source if "decoder_input_ids" in given else tokens
        with torch.no_grad(), _made(counted) as counter:
            answer = model(**given)
        out.prefill = counter.get_total_flops()
        kept, ends = returned(model, answer)
        out.cache = cache_size(model, given, answer)
    except Exception as error:
        if torch_counts and isinstance(error, AssertionError):  # its account of modules asks for gradient functions that some have not
            return executed(model, batch=batch, tokens=tokens, source=source, step=step)
        out.trouble["prefill"] = said(error)
        return out
    if kept is None or not step or type(model).__name__.endswith(ANSWERING):
        return out
    try:
        following = {**next_inputs(model, given, answer), ends: kept}
        with torch.no_grad(), _made(counted) as counter:
            answer = model(**following)
        out.decode, out.later = counter.get_total_flops(), size(getattr(answer, ends, kept))
    except Exception as error:
        out.trouble["decode"] = said(error)
    return out


def _made(counted: Any) -> Any:
    return counted(display=False) if counted is FlopCounterMode else counted()


def returned(model: Any, answer: Any) -> tuple[Any, str]:
    """What a pass returns to be passed on to the next, and under which name; (null, "") where it returns nothing of the kind."""
    taken = signature(model.forward).parameters
    if not taken.keys() & set(PASSED_ON) and any(p.kind is p.VAR_KEYWORD for p in taken.values()):  # handed on unnamed to the model inside
        taken = signature(model.base_model.forward).parameters
    held = [name for name in PASSED_ON if name in taken and getattr(answer, name, None) is not None]
    return (getattr(answer, held[0]), held[0]) if held else (None, "")


def cache_size(model: Any, given: dict[str, Any], answer: Any) -> int | None:
    """Bytes of the cache; where a head does not hand it on, of the one that its model returns when run alone. Null where there is none."""
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
    given = {key: value for key, value in flat.items() if key in taken}
    with torch.no_grad():
        answer = inner(**given)
        if not _names(answer) and inside(inner):  # states in the modules, and keys and values in an object that only its giver sees again
            from transformers import DynamicCache

            handed = DynamicCache(config=model.config)
            inner(**given, cache=handed)
            return size([handed, inside(inner)])
    found = size(returned(inner, answer)[0]) if _names(answer) else 0
    decodes = bool(signature(model.forward).parameters.keys() & set(PASSED_ON))
    return found if decodes or not found else None  # a head that takes no cache has no use for its model's


def inside(model: Any) -> list[Any]:
    """Tensors that modules keep as plain attributes between passes, in models without a cache object (recurrent_gemma)."""
    return [value for module in model.modules() for value in vars(module).values() if isinstance(value, torch.Tensor)]


def _names(answer: Any) -> set[str]:
    """The names among PASSED_ON that an output class has, null or not."""
    return {f.name for f in fields(answer)} & set(PASSED_ON) if is_dataclass(answer) else set()


def passed_on(model: Any) -> torch.dtype:
    """The dtype of what passes through the layers: that of the token table, as a tower may keep another; else of the first parameter."""
    table = getattr(looked_up_by_token(model), "weight", None)
    floating = [each.dtype for each in (table, *model.parameters()) if each is not None and each.is_floating_point()]
    return floating[0] if floating else torch.float32


def looked_up_by_token(model: Any) -> Any:
    """The token embedding; None where the model names none (CANINE: many tables of hashes)."""
    try:
        return model.get_input_embeddings()
    except NotImplementedError:
        return None


def inputs(model: Any, batch: int, tokens: int, source: int, *, seed: int = 3) -> dict[str, Any]:
    """Token ids, none of them special; an encoder-decoder reads `source` and writes `tokens`; a choice is among `batch` options.

    A sequence has one question.
    """
    name = type(model).__name__
    table = getattr(looked_up_by_token(model), "weight", None)
    vocabulary = getattr(model.config, "vocab_size", CHARACTERS) if table is None else len(table)
    draw = torch.Generator().manual_seed(seed)

    def ids(*shape: int) -> Any:
        return torch.randint(min(8, vocabulary - 1), vocabulary, shape, generator=draw)

    if model.config.is_encoder_decoder and not name.endswith("EncoderModel"):
        given = {"input_ids": ids(batch, source), "decoder_input_ids": ids(batch, tokens)}
    elif name.endswith("MultipleChoice"):
        given = {"input_ids": ids(1, batch, tokens)}
    else:
        given = {"input_ids": ids(batch, tokens)}
    taken = signature(model.forward).parameters
    if "use_cache" in taken and "decoder_input_ids" not in given:
        given["use_cache"] = True
    if "question_positions" in taken:
        given["question_positions"] = torch.zeros(batch, 1, dtype=torch.long)
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
    """Bytes of every tensor that a cache holds, a shared one once; the scalar that a sliding layer keeps of its window is none of it."""
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


def said(error: BaseException) -> str:
    """An error in one short line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:240]}"
