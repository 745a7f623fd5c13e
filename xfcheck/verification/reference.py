"""The child process that asks transformers: a question as JSON on standard input, the answer as the last line of standard output."""

from __future__ import annotations

import json
import sys
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

from .saved import saved_bytes

KEPT = ("cache", "past_key_values", "cache_params", "state", "mems")
"""Names under which models return what they keep."""


def answer(ask: dict[str, Any]) -> dict[str, Any]:
    """Names, shapes and ties of the full config built on meta; FLOPs and cache bytes of the small one run.

    Raises what transformers raises.
    """
    import transformers

    model = instance(ask["config"], ask["class"], "meta")
    groups: dict[int, list[str]] = {}
    shapes = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        groups.setdefault(id(parameter), []).append(name)
        shapes[name] = list(parameter.shape)
    stored = model.state_dict()
    out: dict[str, Any] = {
        "version": transformers.__version__,
        "parameters": shapes,
        "buffers": {name: list(b.shape) for name, b in model.named_buffers() if name in stored and name not in shapes},
        "tied": [names for names in groups.values() if len(names) > 1],
        "total": sum(p.numel() for p in model.parameters()),
    }
    if ask["small"] is not None:
        try:
            out["ran"] = ran(instance(ask["small"], ask["class"], "cpu"), ask)
        except Exception as error:
            out["trouble"] = said(error)
    return out


def instance(data: dict[str, Any], named: str, device: str) -> Any:
    """The model of a config.json with this content, eager in attention and in experts, with random weights."""
    import transformers

    with TemporaryDirectory() as folder:
        (Path(folder) / "config.json").write_text(json.dumps(data))
        config = transformers.AutoConfig.from_pretrained(folder)
    cls = getattr(transformers, named)
    if not isinstance(config, cls.config_class):
        config = config.get_text_config()
    config.dtype = torch.float32
    torch.manual_seed(0)
    with torch.device(device):
        return cls._from_config(config, attn_implementation="eager", experts_implementation="eager").eval()


def ran(model: Any, ask: dict[str, Any]) -> dict[str, Any]:
    """FLOPs of a prefill and of one token more as torch counts them, bytes kept after the prefill, and for a backward pass.

    Null where the model hands out no cache.
    """
    batch, tokens, source = ask["batch"], ask["tokens"], ask["source"]
    ids = torch.arange(batch * tokens).view(batch, tokens) % 40 + 8
    both = bool(getattr(model.config, "is_encoder_decoder", False))
    given = {"input_ids": ids[:, :source], "decoder_input_ids": ids} if both else {"input_ids": ids}
    taken = signature(model.forward).parameters
    if "use_cache" in taken and ask["step"]:
        given["use_cache"] = True
    out: dict[str, Any] = {"source": source if both else tokens}
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        done = model(**given)
    out["prefill"] = int(counter.get_total_flops())
    without = {**given, "use_cache": False} if "use_cache" in taken else given
    weights = [*model.parameters(), *model.buffers()]
    try:
        out["saved"] = saved_bytes(lambda: model(**without), weights)
    except Exception as error:
        out["saved_trouble"] = said(error)
    held = next((name for name in KEPT if name in taken and getattr(done, name, None) is not None), None)
    if held is None or not ask["step"]:
        return out
    kept = getattr(done, held)
    out["cache"] = size(kept)
    following: dict[str, Any] = {held: kept, **({"use_cache": True} if "use_cache" in taken else {})}
    if both:
        from transformers.modeling_outputs import BaseModelOutput

        following |= {
            "decoder_input_ids": ids[:, -1:],
            "encoder_outputs": BaseModelOutput(last_hidden_state=done.encoder_last_hidden_state),
        }
    else:
        following |= {"input_ids": ids[:, -1:]}
    try:
        with torch.no_grad(), FlopCounterMode(display=False) as counter:
            model(**following)
        out["decode"] = int(counter.get_total_flops())
    except Exception as error:
        out["trouble"] = said(error)
    return out


def size(kept: Any) -> int:
    """Bytes of all tensors inside a cache, each once; numbers that only say where a layer stands are none of it."""
    seen: dict[int, torch.Tensor] = {}

    def walk(value: Any, depth: int) -> None:
        if isinstance(value, torch.Tensor):
            seen[id(value)] = value
        elif isinstance(value, list | tuple | dict):
            for inner in value.values() if isinstance(value, dict) else value:
                walk(inner, depth + 1)
        elif hasattr(value, "__dict__") and depth < 6 and not isinstance(value, type):
            walk(vars(value), depth + 1)

    walk(kept, 0)
    return sum(t.numel() * t.element_size() for t in seen.values() if t.dim() > 1)


def said(error: BaseException) -> str:
    """An error in one short line."""
    return f"transformers: {type(error).__name__}: {' '.join(str(error).split())[:200]}"


if __name__ == "__main__":
    question = json.load(sys.stdin)
    try:
        result = answer(question)
    except Exception as error:
        result = {"error": said(error)}
    print(json.dumps(result))
