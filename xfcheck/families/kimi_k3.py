"""Kimi-K3's language model, as far as its config tells: Kimi Linear's layers, experts in a narrower space, a gate on latent attention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..architecture.blocks import Projection
from . import kimi_linear
from ._classes import class_table
from ._read.foreign import unread
from ._read.published import like
from ._rows.model import model
from ._unknown import PartNames

if TYPE_CHECKING:
    from ..architecture.blocks import Stack, Sublayer
    from ..architecture.model import Architecture
    from ..architecture.part import Mixer
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("kimi_k3",)
READ = ("routed_expert_hidden_size", "latent_moe_use_norm", "mla_use_output_gate")
"""Keys of the published class that are read here and that Kimi Linear's does not know."""

NAMES = PartNames(kimi_linear.NAMES.checkpoint, kimi_linear.NAMES.module)


def architecture(c: Settings) -> Architecture:
    """The vision tower is not counted, nor what connects distant layers (`attn_res_block_size`)."""
    like(c, "the language model alone, from the keys of its config: its class is not published in transformers, and names are guesses")
    inner = c.nested("text_config", class_table("kimi_linear"))
    if not inner.data:
        raise c.refuse("text_config", "text_config is missing: the language model's sizes", code="XF101")
    unread(inner, known=READ)
    made = kimi_linear.architecture(inner)
    latent, gate = inner.optional_int("routed_expert_hidden_size", minimum=1), inner.flag("mla_use_output_gate")
    return made.model_copy(
        update={"stacks": [_stack(stack, latent, inner.flag("latent_moe_use_norm"), gate=gate) for stack in made.stacks]}
    )


def _stack(stack: Stack, latent: int | None, normed: bool, *, gate: bool) -> Stack:
    def step(sublayer: Sublayer) -> Sublayer:
        mixers = [_mixer(mixer, latent, gate=gate) for mixer in sublayer.mixers]
        around = _around(stack.hidden_size, latent, normed) if latent and any(m.kind == "moe" for m in mixers) else []
        return sublayer.model_copy(update={"mixers": mixers, "projections": [*sublayer.projections, *around]})

    blocks = [block.model_copy(update={"sublayers": [step(s) for s in block.sublayers]}) for block in stack.blocks]
    return stack.model_copy(update={"blocks": blocks})


def _mixer(mixer: Any, latent: int | None, *, gate: bool) -> Mixer:
    """Routed experts between two shared maps; the router and the shared experts see the whole width."""
    if mixer.kind == "moe" and latent:
        changed: Mixer = mixer.model_copy(update={"expert": mixer.expert.model_copy(update={"input_size": latent, "output_size": latent})})
        return changed
    if mixer.kind == "latent_attention" and gate:
        gated: Mixer = mixer.model_copy(update={"gate": "elementwise"})
        return gated
    same: Mixer = mixer
    return same


def _around(hidden: int, latent: int, normed: bool) -> list[Projection]:
    maps = [
        Projection(name="latent_in", shape=[latent, hidden], component="experts"),
        Projection(name="latent_out", shape=[hidden, latent], component="experts"),
    ]
    return [*maps, Projection(name="latent_norm", shape=[latent], multiplies=False, component="norm")] if normed else maps


def ledger(a: Architecture) -> list[Row]:
    """The rows under Kimi Linear's names."""
    return model(a, NAMES)
