"""The shape ledger against forward hooks on small models of transformers, run on the CPU: the same role, the same shape."""

from __future__ import annotations

import inspect
import warnings
from collections import defaultdict
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from reference.built import instance
from reference.tiny import merged, tiny

from xfcheck.model import understand
from xfcheck.shapes import ledger

BATCH, LENGTH, SOURCE = 2, 5, 7
Shapes = dict[str, set[tuple[int, ...]]]

LLAMA = {
    "q_proj": "query", "k_proj": "key", "v_proj": "value", "o_proj": "concat|output", "gate_proj": "gate", "up_proj": "up",
    "down_proj": "product|down", "embed_tokens": "embedding", "norm": "final_norm", "lm_head": "logits",
}  # fmt: skip
BART = {
    "q_proj": "query", "k_proj": "key", "v_proj": "value", "out_proj": "concat|output", "fc1": "up", "fc2": "up|down", "lm_head": "logits",
}  # fmt: skip
T5 = {"q": "query", "k": "key", "v": "value", "o": "concat|output", "wi": "up", "wo": "up|down", "lm_head": "logits"}
BERT = {
    "self.query": "query", "self.key": "key", "self.value": "value", "attention.output.dense": "concat|output", "intermediate.dense": "up",
    "layer.0.output.dense": "up|down", "decoder": "logits",
}  # fmt: skip
DEEPSEEK = {
    "q_a_proj": "query_latent", "q_b_proj": "query", "kv_a_proj_with_mqa": "latent", "o_proj": "concat|output", "lm_head": "logits",
    "embed_tokens": "embedding", "mlp.down_proj": "product|down", "shared_experts.down_proj": "product|down",
}  # fmt: skip
CASES: dict[str, dict[str, str]] = {
    "llama": LLAMA,
    "qwen3": LLAMA,
    "gemma2": LLAMA,
    "olmo2": LLAMA,
    "deepseek_v3": DEEPSEEK,
    "mixtral": {key: LLAMA[key] for key in ("q_proj", "k_proj", "v_proj", "o_proj", "embed_tokens", "lm_head")},
    "gpt2": {
        "attn.c_proj": "concat|output", "mlp.c_fc": "up", "mlp.c_proj": "up|down", "wte": "embedding", "ln_f": "final_norm",
        "lm_head": "logits",
    },
    "t5": T5,
    "bart": BART,
    "bert": BERT,
    "mamba": {"in_proj": "in", "out_proj": "output", "lm_head": "logits", "norm_f": "final_norm"},
    "mamba2": {"in_proj": "in", "out_proj": "output", "lm_head": "logits", "norm_f": "final_norm"},
    "lfm2": {
        "conv.in_proj": "in", "conv.out_proj": "output", "self_attn.out_proj": "concat|output", "w1": "gate", "w3": "up",
        "w2": "product|down", "q_proj": "query", "k_proj": "key", "v_proj": "value",
    },
    "recurrent_gemma": {"linear_x": "in", "linear_out": "output", "q_proj": "query", "k_proj": "key", "v_proj": "value"},
    "rwkv": {"attention.key": "key", "attention.value": "value", "attention.output": "output", "feed_forward.key": "up"},
}  # fmt: skip
"""Type -> end of a module's name -> role of what it gives, or of what it reads and gives."""
CHANGES: dict[str, dict[str, Any]] = {"bert": {"is_decoder": False}}
BY_HEADS = ("query", "key", "value")


def watched(data: dict[str, Any], roles: dict[str, str]) -> Shapes:
    """Role -> shapes of what passes through the modules of that name, and of the attention weights that the model hands out."""
    model = instance(data, device="cpu").eval()
    model.config.output_attentions = True
    seen: Shapes = defaultdict(set)

    def hook(role: str) -> Any:
        first, _, second = role.rpartition("|")

        def see(_: Any, given: Any, out: Any) -> None:
            if first:
                seen[first].add(tuple(given[0].shape))
            seen[second].add(tuple((out[0] if isinstance(out, tuple) else out).shape))

        return see

    for name, module in model.named_modules():
        for end, role in roles.items():
            if name == end or name.endswith(f".{end}"):
                module.register_forward_hook(hook(role))
    ids = torch.arange(BATCH * LENGTH).view(BATCH, LENGTH) % 40 + 8
    given = {"input_ids": ids}
    if model.config.is_encoder_decoder:
        given = {"input_ids": torch.arange(BATCH * SOURCE).view(BATCH, SOURCE) % 40 + 8, "decoder_input_ids": ids}
    attends = "output_attentions" in inspect.signature(type(model).forward).parameters or hasattr(model.config, "num_attention_heads")
    with torch.no_grad():
        done = model(**given, output_attentions=True) if attends else model(**given)
    for key in ("attentions", "encoder_attentions", "decoder_attentions", "cross_attentions"):
        for weights in getattr(done, key, None) or ():
            if weights is not None and weights.dim() == 4:
                seen["weights"].add(tuple(weights.shape))
    return seen


def told(data: dict[str, Any]) -> Shapes:
    """The same of the ledger; heads beside each other, as a projection gives them."""
    a = understand(data, None).architecture  # type: ignore[arg-type]
    out: Shapes = defaultdict(set)
    for x in ledger(a, batch=BATCH, length=LENGTH, source=SOURCE, dtype="float32"):
        role, shape = x.name.rpartition(".")[2], x.shape
        if role in BY_HEADS and len(shape) == 4:
            shape = (shape[0], shape[2], shape[1] * shape[3])
        out[role].add(shape)
        if len(shape) == 2:  # rows of tokens, where the reference keeps sequences apart, or the other way round
            out[role].add((BATCH, shape[0] // BATCH, shape[1]))
    return out


@pytest.mark.parametrize("model_type", CASES)
def test_hooks_see_what_the_ledger_says(model_type: str) -> None:
    warnings.simplefilter("ignore")
    data = merged(tiny(model_type), CHANGES.get(model_type, {}))
    seen, expected = watched(data, CASES[model_type]), told(data)
    wanted = {part for role in CASES[model_type].values() for part in role.split("|") if part}
    assert wanted <= seen.keys()
    for role, shapes in seen.items():
        assert shapes <= expected[role], role
        if role in ("query", "key", "value", "weights", "latent", "query_latent", "logits"):
            assert shapes == expected[role], role
