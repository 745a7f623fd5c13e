"""Draft models of speculative decoding, which are configured under the type of the layers they are made of: EAGLE-3 and DFlash.

The class that `architectures` names tells them from a model of that type; transformers has none of these classes, so every number is an
estimate. EAGLE-3 (arXiv 2503.01840): one layer that reads the embedding beside the hidden state, a map from three hidden states of the
target, a head over a smaller vocabulary. DFlash: layers of Qwen3 and a map from several hidden states; table and head are the target's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL
from ..architecture.model import Architecture
from ..architecture.vocabulary import Head
from ._read.blocks import prenorm
from ._read.decoder import QKV, attention, causal_model, dtype, gated, head_dim, maximum_positions, rms
from ._read.layers import depth
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ()
EAGLE3 = ("LlamaForCausalLMEagle3", "Eagle3LlamaForCausalLM", "Eagle3LLamaforCausalLM")
DFLASH = ("DFlashDraftModel", "QwenDFlashDraftModel")
TYPES = ("llama", "qwen2", "qwen3", "phi3", "qwen3_vl_text")
"""Types of whose layers such a draft is made here."""

STATES = 3
"""Hidden states of the target that EAGLE-3 reads: a low, a middle and a high one."""

NAMES = LLAMA.but(
    {
        "embedding": "embed_tokens",
        "layer": "midlayer.",
        "final_norm": "norm",
        "attention.hidden_norm": "hidden_norm",
        "states": "fc",
        "to_target": "d2t!",
        "to_draft": "t2d!",
    },
    base_prefix="",
)
FLASH = NAMES.but({"layer": "layers.{layer}.", "states_norm": "hidden_norm"})


def describes(data: Mapping[str, Any]) -> bool:
    """Whether a config is one of a draft that is described here."""
    named = data.get("architectures")
    return isinstance(named, list) and bool(named) and named[0] in (*EAGLE3, *DFLASH) and data.get("model_type") in TYPES


def architecture(c: Settings) -> Architecture:
    """The draft that `architectures` names."""
    named = c.data["architectures"][0]
    c.assume(
        "architectures",
        named,
        f"{named} is a draft model's class, which transformers does not have: read from what is published",
        estimated=True,
    )
    return _eagle3(c) if named in EAGLE3 else _dflash(c)


def _eagle3(c: Settings) -> Architecture:
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    width = head_dim(c, hidden, c.int("num_attention_heads"))
    heads = attention(c, hidden, mask=CAUSAL, position=rotary(c, width), width=width, biases=QKV if c.flag("attention_bias") else [])
    joined = heads.model_copy(update={"input_size": 2 * hidden, "output_size": hidden})
    state = Projection(name="hidden_norm", shape=[hidden], multiplies=False, component="norm")
    steps = [
        Sublayer(name="attention", mixers=[joined], norm=norm, projections=[state]),
        Sublayer(name="feed_forward", mixers=[gated(c)], norm=norm),
    ]
    target = c.optional_int("target_hidden_size", minimum=1) or hidden
    stack = Stack(
        hidden_size=hidden,
        blocks=[Block(name="decoder", layers=LayerSet.first(layers), sublayers=steps)],
        final_norm=norm,
        projections=[Projection(name="states", shape=[hidden, STATES * target])],
    )
    made = causal_model(c, stack, tied=False)
    words = c.int("vocab_size")
    draft = c.optional_int("draft_vocab_size", minimum=1) or words
    tables = [Projection(name="to_target", shape=[draft], multiplies=False, buffer=True, dtype="int64")]
    tables.append(Projection(name="to_draft", shape=[words], multiplies=False, buffer=True, dtype="bool"))
    head = made.head.model_copy(update={"kind": "causal", "rows": draft, "labels": 0})
    return made.model_copy(
        update={"head": head, "projections": tables if draft != words else [], "naming": "eagle3" if layers == 1 else "layers"}
    )


def _dflash(c: Settings) -> Architecture:
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    width = head_dim(c, hidden, c.int("num_attention_heads"))
    heads = attention(c, hidden, mask=CAUSAL, position=rotary(c, width), width=width, query_norm=norm, key_norm=norm)
    own = c.mapping("dflash_config") or {}
    listed = own.get("target_layer_ids")
    states = len(listed) if isinstance(listed, list) and listed else layers
    target = own.get("target_hidden_size") or c.data.get("target_hidden_size") or hidden
    target = target if isinstance(target, int) and not isinstance(target, bool) and target > 0 else hidden
    pieces = [
        Projection(name="states", shape=[hidden, states * target]),
        Projection(name="states_norm", shape=[hidden], multiplies=False, component="norm"),
    ]
    block = Block(name="decoder", layers=LayerSet.first(layers), sublayers=prenorm(heads, gated(c), norm))
    return Architecture(
        embedding=None,
        stacks=[Stack(hidden_size=hidden, blocks=[block], final_norm=norm, projections=pieces)],
        head=Head(kind="none"),
        maximum_positions=maximum_positions(c),
        dtype=dtype(c),
        quantization=c.mapping("quantization_config"),
        naming="dflash",
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a draft's checkpoint."""
    return model(a, NAMES if a.naming == "eagle3" else FLASH)
