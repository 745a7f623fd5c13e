"""Question 4: norm, feed-forward, biases, tying, order of the residual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .answer import Answer, from_key, of_class

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..architecture.blocks import Sublayer
    from ..model import Model
    from ..rules._context import Context, Scope

QUESTION = "Which norm and where, which MLP, which biases, is the head tied?"


def answers(context: Context, model: Model, scope: Scope) -> Iterator[Answer]:
    """The facts of the block, each once."""
    a = model.architecture
    sublayers = [sublayer for stack in a.stacks for block in stack.blocks for sublayer in block.sublayers]
    mixers: list[Any] = [mixer for sublayer in sublayers for mixer in sublayer.mixers]
    norms = [norm for s in sublayers if (norm := s.norm or s.norm_residual or s.norm_after) is not None]
    places = dict.fromkeys(residual(sublayer) for sublayer in sublayers)
    forwards = dict.fromkeys(f"{'gated ' if m.gated else ''}{m.activation}" for m in mixers if m.kind == "mlp")
    biases = dict.fromkeys(part for mixer in mixers for part in biased(mixer))
    for norm_text in dict.fromkeys(f"{n.kind}, eps {n.eps:g}" if n.eps is not None else n.kind for n in norms):
        yield from_key(
            context, scope, "norm", norm_text, "rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "norm_eps", "layernorm_epsilon"
        )
    for place in places:
        yield of_class(scope, "residual order", place)
    for forward in forwards:
        yield from_key(
            context, scope, "feed-forward", forward, "hidden_act", "hidden_activation", "activation_function", "feed_forward_proj"
        )
    yield from_key(context, scope, "biases", ", ".join(biases) or "none", "attention_bias", "mlp_bias", "use_bias", "bias")
    if a.head.kind != "none":
        yield from_key(context, scope, "head tied to the embedding", a.head.tied, "tie_word_embeddings")


def biased(mixer: Any) -> Iterator[str]:
    """The mixer's parts that have a bias."""
    yield from getattr(mixer, "biases", ())
    if mixer.kind == "mlp" and (mixer.bias or mixer.output_bias):
        yield "mlp"


def residual(sublayer: Sublayer) -> str:
    """Where the norms of a residual step stand."""
    several = " of a parallel residual" if len(sublayer.mixers) > 1 else ""
    if sublayer.norm_residual is not None:
        return f"norm after the sum (post-norm){several}"
    if sublayer.norm is not None and sublayer.norm_after is not None:
        return f"norm before and after, inside the residual (sandwich){several}"
    if sublayer.norm_after is not None:
        return f"norm after the sublayer, inside the residual{several}"
    return f"norm before (pre-norm){several}" if sublayer.norm is not None else f"no norm of the whole sublayer{several}"
