"""Active parameters: what the gradient of one token reaches."""

from __future__ import annotations

from typing import Any

from torch import arange
from torch import bool as bool_
from torch.nn import Embedding

from .executed import inputs, looked_up_by_token

EXPERTS = ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts")
SCORES = ("logits", "last_hidden_state", "prediction_logits", "start_logits")
TOKENS = 3
"""Single tokens tried. Identity experts, or a table from tokens to experts, make some tokens reach fewer: the most counts."""


def active(model: Any) -> int | None:
    """Parameters that one token reaches: all but the experts whose gradient is nothing. Null where the model gives no gradient.

    A stack of experts counts in slices along its first axis, a module for each expert as a whole. Everything else counts whole: with a
    single token the softmax passes no gradient to query and key, which are used nevertheless.
    """
    if not any(_expert(model, name, parameter) for name, parameter in model.named_parameters()):
        return sum(parameter.numel() for parameter in model.parameters())
    for buffer in model.buffers():  # a table from tokens to experts is all zeros in a model without weights
        if buffer.dim() == 2 and not buffer.is_floating_point() and buffer.dtype != bool_:
            buffer.copy_(arange(buffer.shape[1]).expand_as(buffer))
    counts = [_reached(model, seed) for seed in range(TOKENS)]
    return max((count for count in counts if count is not None), default=None)


def _reached(model: Any, seed: int) -> int | None:
    """The same for one token."""
    model.zero_grad(set_to_none=True)
    try:
        given = inputs(model, 1, 1, 1, seed=seed)
        answer = model(**{key: False if key == "use_cache" else value for key, value in given.items()})
        scores = next(value for value in (getattr(answer, name, None) for name in SCORES) if value is not None)
        scores.float().pow(2).sum().backward()
    except Exception:
        return None
    total = 0
    touched: dict[str, int] = {}
    silent: list[tuple[int, str]] = []
    for name, parameter in model.named_parameters():
        count = _bank(model, name, parameter)
        if not _expert(model, name, parameter):
            total += parameter.numel()
        elif not count:
            total += parameter.numel() if parameter.grad is not None else 0
        elif parameter.grad is not None:
            reached = int(parameter.grad.reshape(count, -1).ne(0).any(1).sum())
            around = name.rpartition(".experts.")[0]
            touched[around] = max(reached, touched.get(around, 0))
            total += parameter.numel() // count * reached
            silent += [(parameter.numel() // count, around)] if not reached else []
    return total + sum(size * touched[around] for size, around in silent)  # query experts of a mixture of attention heads


def _expert(model: Any, name: str, parameter: Any) -> bool:
    """Whether a parameter is of experts that a token may miss."""
    return (".experts." in f".{name}" and ".router." not in name) or bool(_bank(model, name, parameter))


def _bank(model: Any, name: str, parameter: Any) -> int:
    """How many experts lie along its first axis, 0 where it is no stack of experts."""
    config = model.config.get_text_config()
    inner = getattr(config, "ffn_config", None)
    given = {getattr(holder, key, None) or 0 for key in EXPERTS for holder in (config, inner)}
    counts = sorted(given - {0} | {count + (getattr(config, "zero_expert_num", None) or 0) for count in given - {0}})
    _, module, rest = f".{name}".rpartition(".experts.")
    if module and not any(piece.isdigit() or piece == "router" or piece.startswith("expert_") for piece in rest.split(".")):
        exact = [count for count in counts if len(parameter) == count]
        return next((count for count in [*exact, *counts] if len(parameter) % count == 0), 0) if parameter.dim() > 1 else 0
    owner = model.get_submodule(name.rpartition(".")[0])
    looked_up = isinstance(owner, Embedding) and owner is not looked_up_by_token(model)
    table = looked_up and parameter.shape[-1] == getattr(config, "hidden_size", None)  # an expert a row
    return next((count for count in counts if (parameter.dim() == 3 or table) and len(parameter) == count), 0)
