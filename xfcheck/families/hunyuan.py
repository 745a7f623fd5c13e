"""Hunyuan-Large and Hunyuan-7B in their first form (arXiv 2411.02265): keys and values of one layer serve the next, a shared expert."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..architecture.blocks import Projection
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL
from ..architecture.mixers.moe import Router
from ..architecture.norm import Norm
from ._read.blocks import decoder_stack, prenorm
from ._read.decoder import QKVO, attention, causal_model, gated, head_dim, rms
from ._read.layers import depth
from ._read.moe import routed, shared_experts
from ._read.published import like, published, under
from ._read.rotary import rotary
from ._read.settings import Settings
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..architecture.part import Mixer
    from ..ledger import Row

MODEL_TYPES = ("hunyuan",)

TABLE = published(
    "hunyuan",
    "HunYuanConfig",
    "configuration_hunyuan.py of tencent/Tencent-Hunyuan-Large",
    defaults={
        "vocab_size": 290943, "hidden_size": 4096, "intermediate_size": 11008, "num_hidden_layers": 32, "num_attention_heads": 32,
        "num_key_value_heads": None, "hidden_act": "silu", "max_position_embeddings": 2048, "rms_norm_eps": 1e-5,
        "tie_word_embeddings": False, "attention_bias": False, "mlp_bias": False, "num_experts": 1, "moe_topk": 1,
        "num_shared_expert": 1, "use_mixed_mlp_moe": False, "use_qk_norm": False, "use_cla": False, "cla_share_factor": 1,
        "moe_intermediate_size": None,
    },
    aliases={"num_experts_per_tok": "moe_topk"},
    models={"HunYuanForCausalLM": "causal", "HunYuanForSequenceClassification": "sequence_classification"},
)  # fmt: skip

NAMES = LLAMA.but(
    {
        "attention.query_norm": "self_attn.query_layernorm",
        "attention.key_norm": "self_attn.key_layernorm",
        "moe.router": "mlp.gate.wg",
        **{f"moe.shared.{part}": f"mlp.shared_mlp.{part}_proj" for part in ("gate", "up", "down")},
    },
    {},
)
OWN, LENT = "own", "lent"


def architecture(c: Settings) -> Architecture:
    """`use_cla`: of every `cla_share_factor` layers the first has keys and values, which the others read; all have a norm for keys."""
    like(c, "read from the published class: the report's 389B parameters, 52B of them active, are rounded")
    c = under(c, TABLE)
    for key in ("moe_topk", "num_shared_expert", "moe_intermediate_size"):
        c = _one(c, key)
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    width = head_dim(c, hidden, c.int("num_attention_heads"))
    head_norm = Norm(eps=norm.eps) if c.flag("use_qk_norm") else None
    position, biases, forward = rotary(c, width), QKVO if c.flag("attention_bias") else [], _forward(c)

    def sublayers(kind: str) -> list[Sublayer]:
        heads = attention(c, hidden, mask=CAUSAL, width=width, position=position, biases=biases, query_norm=head_norm, key_norm=head_norm)
        first, second = prenorm(heads.model_copy(update={"shares_cache": kind == LENT}), forward, norm)
        idle = [Projection(name="key_norm", shape=[width], multiplies=False, component="norm")] if kind == LENT and head_norm else []
        return [first.model_copy(update={"projections": idle}), second]

    every = c.int("cla_share_factor") if c.flag("use_cla") else 1
    held = {(OWN,): LayerSet.spaced(0, layers, every), (LENT,): LayerSet.of(i for i in range(layers) if i % every)}
    return causal_model(c, decoder_stack(hidden, held, sublayers, norm))


def _one(c: Settings, key: str) -> Settings:
    """A list of one number a layer as that number. Raises Refused XF114 where they differ."""
    given = c.data.get(key)
    if not isinstance(given, list):
        return c
    if not given or any(value != given[0] for value in given):
        raise c.refuse(key, f"{key} differs from layer to layer, which is not read", code="XF114", help="one number for all layers")
    data: dict[str, Any] = {**c.data, key: given[0]}
    return Settings(data, c.table, pointer=c.pointer, reading=c.reading)


def _forward(c: Settings) -> Mixer:
    if c.int("num_experts") < 2:
        return gated(c, bias=c.flag("mlp_bias"))
    inner = "intermediate_size" if c.raw("moe_intermediate_size") is None else "moe_intermediate_size"
    count = c.int("num_shared_expert") if c.flag("use_mixed_mlp_moe") else 0
    shared = shared_experts(c, c.int("intermediate_size") * count) if count else None
    router = Router(normalise=True)
    return routed(c, experts="num_experts", width=inner, per_token="moe_topk", router=router, shared=shared, shared_experts=count)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES)
