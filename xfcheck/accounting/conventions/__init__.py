"""Published conventions of counting a Transformer's training FLOPs: one module each, with `count(case) -> Count`.

They differ in what N is, whether attention counts and whether the causal mask halves it, whether the logits count, and in the number of
passes. None of them is the program's own count (`flops.prefill`, `flops.training`), which follows the executed products.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from ..flops import matmul, padding
from ..parameters import parameters
from ..run import Run
from ..walk import mixers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...model import Model

CONVENTIONS = ("kaplan", "gpt3", "chinchilla", "palm", "megatron", "korthikanti", "torchtitan", "nanogpt", "deepseek_llm", "deepseek")
"""Names; each is a module of this package."""


class Scores(NamedTuple):
    """Softmax attention in `layers` layers: `heads` query heads, keys of `key_dim`, values of `value_dim`."""

    layers: int
    heads: int
    key_dim: int
    value_dim: int


class Case(NamedTuple):
    """One sequence of `tokens` tokens through a decoder.

    `parameters` is the budget's object. `blocks`: forward FLOPs of all weight matrices but the head, `logits`: of the head on all
    positions, both 2 a multiply-add and over the whole sequence. `attention` are its softmax attentions.
    """

    tokens: int
    parameters: dict[str, Any]
    blocks: int
    logits: int
    attention: tuple[Scores, ...]

    @property
    def scores(self) -> int:
        """FLOPs of scores and weighted values over the whole square, nothing halved."""
        return sum(2 * a.layers * a.heads * (a.key_dim + a.value_dim) for a in self.attention) * self.tokens**2


class Count(NamedTuple):
    """FLOPs of one sequence: `forward` alone, and `training` with whatever passes the convention counts."""

    forward: int
    training: int


def conventions(names: Iterable[str], model: Model, tokens: int) -> dict[str, dict[str, Any]]:
    """FLOPs of a sequence of that length, and a token of it, by each convention; none for an encoder-decoder, of which they say nothing.

    Raises ModuleNotFoundError for an unknown one.
    """
    if any(stack.stream == "encoder" for stack in model.architecture.stacks):
        return {}
    described = case(model, tokens)
    out = {}
    for name in names:
        module = import_module(f"{__package__}.{name}")
        count = module.count(described)
        out[name] = {
            "forward_per_sequence": count.forward, "training_per_sequence": count.training,
            "forward_per_token": count.forward // tokens, "training_per_token": count.training // tokens, "formula": module.FORMULA,
            "source": module.SOURCE,
        }  # fmt: skip
    return out


def case(model: Model, tokens: int) -> Case:
    """What conventions are counted from. Encoders and towers are left out: the conventions are those of decoders."""
    a = model.architecture
    stream = a.main.stream
    run = Run(1, tokens, padding=padding(a))
    own = [row for row in model.rows if row.stream in (stream, "latent")]
    head = matmul([row for row in own if row.role.component == "head"], run)
    return Case(tokens, parameters(model.rows), matmul(own, run) - head, head, tuple(_attention(a, stream)))


def _attention(a: Any, stream: str) -> Iterable[Scores]:
    for placed in mixers(a):
        spec: Any = placed.mixer
        if placed.stack.stream != stream or getattr(spec, "query_heads", None) is None:
            continue
        latent = spec.kind == "latent_attention"
        keys, values = (
            (spec.nope_dim + spec.rope_dim, spec.value_dim) if latent else (spec.head_dim, getattr(spec, "values", spec.head_dim))
        )
        yield Scores(placed.count, spec.query_heads, keys, values)
