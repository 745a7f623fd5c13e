"""XVERSE, which is Llama; XVERSE-MoE, with experts in every layer; and Klear, whose tokens weigh routed and shared experts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..architecture.blocks import Projection
from ..architecture.masks import CAUSAL
from ..architecture.mixers.mlp import MLP
from ..architecture.mixers.moe import Router
from ..architecture.norm import Norm
from ._read.blocks import DENSE, decoder_stack, dense_first, prenorm
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, rms
from ._read.layers import depth
from ._read.llama import llama_like
from ._read.moe import routed, shared_experts
from ._read.published import like, published, under
from ._read.rotary import rotary
from ._read.sparse_steps import sparse_steps
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.mixers.moe import MoE
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("xverse", "Klear")

SIZES: dict[str, Any] = {
    "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": None,
    "hidden_act": "silu", "max_position_embeddings": 2048, "rms_norm_eps": 1e-6, "tie_word_embeddings": False, "attention_bias": False,
}  # fmt: skip
XVERSE = published(
    "xverse",
    "XverseConfig",
    "configuration_xverse.py of xverse/XVERSE-7B",
    defaults={**SIZES, "vocab_size": 100278, "num_experts": None, "moe_top_k": 1, "num_shared_experts": None, "norm_topk_prob": False},
    aliases={"num_experts_per_tok": "moe_top_k"},
    models={"XverseForCausalLM": "causal"},
)
KLEAR = published(
    "Klear",
    "KlearConfig",
    "configuration_klear.py of Kwai-Klear/Klear-46B-A2.5B-Base",
    defaults={
        **SIZES, "vocab_size": 151936, "num_experts": None, "num_experts_per_tok": 8, "n_shared_experts": 1, "norm_topk_prob": True,
        "moe_intermediate_size": None, "mlp_only_layers": None, "decoder_sparse_step": 1,
    },
    models={"KlearMoeForCausalLM": "causal"},
)  # fmt: skip

NAMES = LLAMA.but({"moe.router": "mlp.router"}, {})
KLEAR_NAMES = LLAMA.but({"moe.correction": "mlp.expert_bias!", "feed_forward.coefficient": "mlp.coefficient"}, {})


def architecture(c: Settings) -> Architecture:
    """`num_experts` makes every layer of XVERSE that many experts of `intermediate_size`, shared ones as wide each."""
    kind = str(c.data.get("model_type"))
    like(c, "read from the published class: no total that is known confirms it")
    c = under(c, XVERSE if kind == "xverse" else KLEAR)
    if kind == "xverse" and not c.optional_int("num_experts"):
        return llama_like(c, biases=QKVO if c.flag("attention_bias") else [], mlp_bias=False)
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    width = head_dim(c, hidden, c.int("num_attention_heads"))
    make = _xverse if kind == "xverse" else _klear
    head_norm = Norm(eps=norm.eps) if kind == "Klear" else None
    biases, position = QKVO if c.flag("attention_bias") else [], rotary(c, width)

    def sublayers(feed: str) -> list[Sublayer]:
        heads = attention(c, hidden, mask=CAUSAL, width=width, position=position, biases=biases, query_norm=head_norm, key_norm=head_norm)
        if feed == DENSE:
            return prenorm(heads, gated(c), norm)
        experts, beside = make(c, hidden)
        first, second = prenorm(heads, experts, norm)
        return [first, second.model_copy(update={"projections": beside})]

    feeds = {(feed,): held for feed, held in (sparse_steps(c, layers) if kind == "Klear" else dense_first(0, layers)).items()}
    return causal_model(c, decoder_stack(hidden, feeds, sublayers, norm)).model_copy(update={"naming": kind})


def _xverse(c: Settings, hidden: int) -> tuple[MoE, list[Projection]]:
    del hidden
    count = c.optional_int("num_shared_experts") or 0
    shared = MLP(intermediate_size=c.int("intermediate_size") * count, gated=True) if count else None
    router = Router(normalise=c.flag("norm_topk_prob"))
    made = routed(
        c, experts="num_experts", width="intermediate_size", per_token="moe_top_k", router=router, shared=shared, shared_experts=count
    )
    return made, []


def _klear(c: Settings, hidden: int) -> tuple[MoE, list[Projection]]:
    """A bias for the choice, and two numbers a token that weigh routed and shared experts."""
    count = c.optional_int("n_shared_experts") or 0
    shared = shared_experts(c, c.int("moe_intermediate_size") * count) if count else None
    router = Router(scoring="sigmoid", normalise=c.flag("norm_topk_prob"), correction="buffer")
    made = routed(c, experts="num_experts", width="moe_intermediate_size", router=router, shared=shared, shared_experts=count)
    return made, [Projection(name="coefficient", shape=[2, hidden], bias=True, component="router")]


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, {"xverse": NAMES, "Klear": KLEAR_NAMES}.get(a.naming or "", LLAMA))
