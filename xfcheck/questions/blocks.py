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
    norms: dict[str, None] = {}
    places: dict[str, None] = {}
    forwards: dict[str, None] = {}
    biases: dict[str, None] = {}
    for stack in a.stacks:
        for block in stack.blocks:
            for sublayer in block.sublayers:
                norm = sublayer.norm or sublayer.norm_residual or sublayer.norm_after
                if norm is not None:
                    norms[f"{norm.kind}, eps {norm.eps:g}" if norm.eps is not None else norm.kind] = None
                places[residual(sublayer)] = None
                for mixer in sublayer.mixers:
                    spec: Any = mixer
                    if mixer.kind == "mlp":
                        forwards[f"{'gated ' if spec.gated else ''}{spec.activation}"] = None
                    for part in getattr(spec, "biases", ()):
                        biases[part] = None
                    if mixer.kind == "mlp" and (spec.bias or spec.output_bias):
                        biases["mlp"] = None
    for norm_text in norms:
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
