"""What training keeps, against the tensors that autograd keeps: of transformers' classes, of torch's kernels, of the generic modules."""

from __future__ import annotations

import importlib
from inspect import signature
from typing import Any

import pytest

from xfcheck.accounting.budget import Options, budget
from xfcheck.accounting.run import Run
from xfcheck.accounting.saved import held, kept, passed
from xfcheck.accounting.saved.mixers.attention import mixed
from xfcheck.accounting.saved.tape import Tape
from xfcheck.model import understand
from xfcheck.shrink import shrink

torch = pytest.importorskip("torch")
saved_bytes = importlib.import_module("xfcheck.verification.saved").saved_bytes

TYPES = (
    "llama", "qwen3", "gemma2", "olmo2", "gpt2", "bert", "t5", "bart", "mixtral", "qwen2_moe", "llama4_text", "deepseek_v3", "apertus",
    "mamba", "jamba", "bamba", "olmo_hybrid", "minimax", "recurrent_gemma", "lfm2",
)  # fmt: skip


@pytest.mark.parametrize("length", [11, 37])
@pytest.mark.parametrize("kind", TYPES)
def test_classes_of_transformers(kind: str, length: int) -> None:
    """Eager, 32 bits, no dropout: to the byte, of few tokens and of more than a chunk."""
    pytest.importorskip("transformers")
    from xfcheck.verification.against import class_name
    from xfcheck.verification.reference import instance

    small = shrink(understand({"model_type": kind}, None))  # type: ignore[arg-type]
    a, named = small.model.architecture, class_name(small.model)
    assert named is not None
    model = instance(small.data, named, "cpu")
    ids = torch.arange(2 * length).view(2, length) % 8
    both = any(stack.stream == "decoder" for stack in a.stacks)
    alone = all(stack.stream == "encoder" for stack in a.stacks)
    given = {"input_ids": ids[:, :7], "decoder_input_ids": ids} if both else {"input_ids": ids}
    if "use_cache" in signature(model.forward).parameters:
        given["use_cache"] = False
    got = saved_bytes(lambda: model(**given), [*model.parameters(), *model.buffers()])
    assert passed(a, Run(2, length, 0, length if alone else 7), 4, tiled=False, loss=False).total == got
    assert held(kind)


@pytest.mark.parametrize("length", [2, 9])
def test_rwkv(length: int) -> None:
    """A recurrence token after token; its class has no scaled-down default."""
    transformers = pytest.importorskip("transformers")
    config = {"vocab_size": 64, "hidden_size": 12, "num_hidden_layers": 2, "intermediate_size": 20, "context_length": 64}
    model = transformers.RwkvForCausalLM(transformers.RwkvConfig(**config, rescale_every=0)).train()
    got = saved_bytes(lambda: model(torch.zeros(2, length, dtype=torch.long), use_cache=False), model.parameters())
    a = understand({"model_type": "rwkv", **config, "attention_hidden_size": 12}, None).architecture  # type: ignore[arg-type]
    assert passed(a, Run(2, length), 4, tiled=False, loss=False).total == got


def test_tiled_kernel() -> None:
    """torch's flash kernel on the CPU: queries, keys, values, output, one number a head and query."""
    heads, shared, length, width = 4, 2, 40, 16
    q, k, v = (torch.randn(2, n, length, width, requires_grad=True) for n in (heads, shared, shared))
    flash = torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.FLASH_ATTENTION)

    def forward() -> Any:
        with flash:
            return torch.nn.functional.scaled_dot_product_attention(q * 1.0, k * 1.0, v * 1.0, is_causal=True, enable_gqa=True)

    tape = Tape(2, length, 4, tiled=True)
    inputs = (tape.make(heads * width), tape.make(shared * width), tape.make(shared * width))
    mixed(tape, inputs, heads=heads, repeated=True, widths=(width, width), keys=length)
    assert tape.bytes == saved_bytes(forward, [])


def test_loss() -> None:
    """Cross entropy in 32 bits keeps log-probabilities: 4 bytes an entry of the vocabulary."""
    a = understand({"model_type": "llama", "vocab_size": 50, "num_hidden_layers": 1}, None).architecture  # type: ignore[arg-type]
    scores = torch.randn(6, 50, dtype=torch.bfloat16, requires_grad=True)
    got = saved_bytes(lambda: torch.nn.functional.cross_entropy((scores * 1).float(), torch.zeros(6, dtype=torch.long)), [])
    with_loss, without = (passed(a, Run(1, 6), 2, tiled=True, loss=loss).total for loss in (True, False))
    assert with_loss - without == got - 4  # one number more: the sum of weights that the mean is taken by


def test_dead_branches_are_freed() -> None:
    """What leads to no output is not kept, nor are tensors without a gradient."""
    w, x, table = (torch.randn(5, 5, requires_grad=needs) for needs in (True, True, False))

    def forward() -> Any:
        (x * 2).sigmoid().tanh()
        return (x @ w) * table.cos()

    assert saved_bytes(forward, [w]) == 5 * 5 * 4  # x for w's gradient


def test_generic_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """`verify` counts the generic modules, and sees a closed form that forgets a tensor."""
    from xfcheck.verification import verify
    from xfcheck.verification.saved import activations

    model = understand({"model_type": "qwen3"}, None)  # type: ignore[arg-type]
    rows = [check for check in verify.verify(model) if check.check == "activations.saved"]
    assert [row.verdict for row in rows] == ["agreed"]
    monkeypatch.setattr(Tape, "own", lambda tape, a: tape.like(a))
    monkeypatch.setattr(Tape, "operand", lambda tape, a, elements=None: a)
    assert activations(model, []).verdict == "differs"
    assert activations(model, ["a mask"]).verdict == "not_verified"


def test_unknown_component_is_named() -> None:
    """Null, and the assumption says which component hinders it."""
    got = budget(understand({"model_type": "xlstm"}, None), Options(context=8, training="adamw"))  # type: ignore[arg-type]
    training = got["memory"]["training"]
    assert training["activations_bytes"] is None
    assert training["total_bytes"] is None
    assert [a["why"] for a in got["assumptions"] if a["field"] == "memory.training.activations_bytes"] == [
        "not known: mixers of kind 'mlstm'"
    ]


def test_dropout_is_said() -> None:
    got = budget(understand({"model_type": "bert", "hidden_dropout_prob": 0.0}, None), Options(context=8, training="adamw"))  # type: ignore[arg-type]
    said = " ".join(a["why"] for a in got["assumptions"])
    assert "attention_probs_dropout_prob 0.1" in said
    assert "hidden_dropout_prob" not in said


def test_recomputation() -> None:
    """`full` keeps the residual stream a layer: 2 bytes x hidden; `none` adds operands and probabilities of 12 heads to the tiled count."""
    config = {"model_type": "gpt2", "n_embd": 48, "n_head": 12, "vocab_size": 100}
    two, three = (kept(understand({**config, "n_layer": n}, None).architecture, "bfloat16", Run(2, 10)) for n in (2, 3))  # type: ignore[arg-type]
    assert three.full is not None
    assert two.full is not None
    assert three.full - two.full == 2 * 10 * 48 * 2
    assert three.none is not None
    assert two.none is not None
    assert three.selective is not None
    assert two.selective is not None
    # probabilities at 4 and at 2 bytes against log-sum-exps; queries, keys and values are as large in one matrix as copied apart
    assert (three.none - two.none) - (three.selective - two.selective) == 2 * 12 * 10 * 10 * (4 + 2) - 2 * 12 * 10 * 4


@pytest.mark.parametrize("kind", ["gpt_oss", "granitemoe", "gemma3_text", "t5", "deepseek_v32", "minimax", "lfm3"])
def test_no_false_alarm_of_the_generic_modules(kind: str) -> None:
    """What the modules run is what the closed forms say; recurrences that they compute otherwise are not compared."""
    from xfcheck.verification.saved import activations

    assert activations(understand({"model_type": kind}, None), []).verdict == "agreed"  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["mamba", "llama4_text", "apertus"])
def test_other_steps_are_not_compared(kind: str) -> None:
    from xfcheck.verification.saved import activations

    assert activations(understand({"model_type": kind}, None), []).verdict == "not_verified"  # type: ignore[arg-type]
