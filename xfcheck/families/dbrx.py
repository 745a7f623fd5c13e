"""DBRX: sixteen fine-grained experts stored as three matrices a layer, attention in one matrix, settings in two nested objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.mixers.mlp import MLP
from ..architecture.mixers.moe import Balance, MoE, Router
from ..architecture.norm import Norm
from ..problems import Refused
from ._classes import class_table
from ._read.blocks import decoder_stack, prenorm
from ._read.decoder import attention, causal_model, maximum_positions, quotient
from ._read.layers import depth
from ._read.rotary import rotary
from ._read.undeclared import cached
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("dbrx",)

EXPERTS = {"moe.expert.gate": "ffn.experts.mlp.w1!", "moe.expert.up": "ffn.experts.mlp.v1!", "moe.expert.down": "ffn.experts.mlp.w2!"}

NAMES = LLAMA.but(
    {
        "embedding": "transformer.wte",
        "layer": "transformer.blocks.{layer}.",
        "final_norm": "transformer.norm_f",
        "attention.norm": "norm_attn_norm.norm_1",
        "attention.qkv": "norm_attn_norm.attn.Wqkv",
        "attention.output": "norm_attn_norm.attn.out_proj",
        "feed_forward.norm": "norm_attn_norm.norm_2",
        "moe.router": "ffn.router.layer",
        **EXPERTS,
    },
    EXPERTS,
    base_prefix="transformer.",
)


def architecture(c: Settings) -> Architecture:
    """`attn_config.kv_n_heads` beats `num_key_value_heads`; the class reads `attn_config.rope_theta` and gives it no default.

    Never tied.
    """
    hidden, layers, queries = c.int("hidden_size"), depth(c), c.int("num_attention_heads")
    if c.flag("tie_word_embeddings"):
        raise c.refuse("tie_word_embeddings", "the class refuses to tie the head to the embedding", code="XF118", help="false")
    inner, feed = c.nested("attn_config", class_table("DbrxAttentionConfig")), c.nested("ffn_config", class_table("DbrxFFNConfig"))
    if inner.raw("rope_theta") is None:
        raise Refused(
            "attn_config needs the key 'rope_theta': the class gives no value",
            code="XF101",
            pointer=inner.at("rope_theta"),
            help='write "rope_theta"',
        )
    width = quotient(c, hidden, queries)
    norm, position = Norm(kind="layer", eps=1e-5), rotary(c, width)
    activation = (feed.mapping("ffn_act_fn") or {}).get("name", "silu")
    order = feed.number("moe_normalize_expert_weights")
    experts = MoE(
        experts=feed.int("moe_num_experts"), experts_per_token=feed.int("moe_top_k", minimum=0), router=Router(normalise=order is not None),
        expert=MLP(intermediate_size=feed.int("ffn_hidden_size"), activation=activation if isinstance(activation, str) else "silu"),
        balance=Balance(auxiliary_loss=feed.number("moe_loss_weight")), storage="flattened",
    )  # fmt: skip

    def sublayers(kept: int | None) -> list[Sublayer]:
        heads = attention(c, hidden, mask=CAUSAL, width=width, position=position, kept_tokens=kept)
        own = heads.model_copy(
            update={
                "kv_heads": inner.int("kv_n_heads"),
                "packing": "qkv",
                "output_size": hidden,
                "dropout": inner.number("attn_pdrop") or 0.0,
            }
        )
        return prenorm(own, experts, norm)

    stack = decoder_stack(hidden, {(kept,): held for kept, held in cached(c, layers).items()}, sublayers, norm)
    return causal_model(c, stack, tied=False).model_copy(
        update={"maximum_positions": maximum_positions(c, c.found("max_position_embeddings") or "max_seq_len")}
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a DBRX checkpoint."""
    return model(a, NAMES)
