"""Ling and Ring (arXiv 2503.05139, 2510.22115, 2510.19338) and LLaDA 2 (2512.15745): experts behind dense layers, lightning attention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..architecture.blocks import Projection, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL, Mask
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.lightning_attention import LightningAttention
from ..architecture.mixers.mlp import MLP
from ..architecture.mixers.moe import Router
from ..architecture.norm import Norm
from ._read.blocks import DENSE, decoder_stack, dense_first, prenorm
from ._read.decoder import causal_model, gated, head_dim, kv_heads, rms
from ._read.hybrid import FULL, LINEAR
from ._read.layers import crossed, depth
from ._read.moe import routed
from ._read.published import published, under
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.mixers.moe import MoE
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._classes import ClassTable
    from ._read.decoder import Biased
    from ._read.settings import Settings

MODEL_TYPES = ("bailing_moe", "bailing_moe_v2", "bailing_moe_linear", "llada2_moe")
CONFIRMED = dict.fromkeys(
    ("bailing_moe", "bailing_moe_v2"),
    "safetensors total of inclusionAI/Ling-mini-2.0: 16,255,643,392 elements, of which 19 x 256 are biases for the choice",
)

SECOND = {"bailing_moe_v2", "bailing_moe_linear", "llada2_moe"}
SECOND_CLASSES = {"BailingMoeV2ForCausalLM", "BailingMoeLinearV2ForCausalLM", "LLaDA2MoeModelLM"}
"""A file of the second generation says the first's type as often as its own."""

DECAYS = ("slope", "query_decay", "key_decay", "pair_decay")
"""What the published code makes anew and no checkpoint holds."""

SIZES: dict[str, Any] = {
    "vocab_size": None, "hidden_size": None, "intermediate_size": None, "num_hidden_layers": None, "num_attention_heads": None,
    "num_key_value_heads": None, "head_dim": None, "hidden_act": "silu", "use_qkv_bias": False, "use_bias": False, "rms_norm_eps": 1e-6,
    "tie_word_embeddings": False, "max_position_embeddings": 16384, "moe_intermediate_size": None, "num_experts": None,
    "num_shared_experts": 0, "num_experts_per_tok": None, "first_k_dense_replace": 0, "norm_topk_prob": True,
    "moe_shared_expert_intermediate_size": None, "moe_router_enable_shared_expert": True, "partial_rotary_factor": None,
}  # fmt: skip


def _table(class_name: str, source: str, **own: Any) -> ClassTable:
    models = dict.fromkeys({"BailingMoeForCausalLM", *SECOND_CLASSES}, "causal")
    return published("bailing_moe", class_name, source, defaults=SIZES | own, models=models)


FIRST_TABLE = _table(
    "BailingMoeConfig",
    "configuration_bailing_moe.py of inclusionAI/Ling-lite",
    use_qk_norm=False,
    moe_router_enable_expert_bias=False,
    score_function="softmax",
    routed_scaling_factor=1.0,
    n_group=None,
    topk_group=None,
)
SECOND_TABLE = _table(
    "BailingMoeV2Config",
    "configuration_bailing_moe_v2.py of inclusionAI/Ling-mini-2.0",
    use_qk_norm=True,
    moe_router_enable_expert_bias=True,
    score_function="sigmoid",
    routed_scaling_factor=2.5,
    n_group=8,
    topk_group=4,
    layer_group_size=1,
    group_norm_size=1,
)

LIGHTNING = {"qkv": "query_key_value", "inner_norm": "g_norm", "gate": "g_proj", "out": "dense"} | dict.fromkeys(DECAYS, "decay!")
NAMES = LLAMA.but(
    {
        "embedding": "model.word_embeddings",
        "attention.qkv": "attention.query_key_value",
        "attention.output": "attention.dense",
        "attention.query_norm": "attention.query_layernorm",
        "attention.key_norm": "attention.key_layernorm",
        "moe.correction": "mlp.gate.expert_bias!",
        "linear.norm": "input_layernorm",
        "linear.query_norm": "attention.query_layernorm",
        "linear.key_norm": "attention.key_layernorm",
        **{f"lightning_attention.{part}": f"attention.{name}" for part, name in LIGHTNING.items()},
    },
    {},
)


def architecture(c: Settings) -> Architecture:
    """The second generation normalises queries and keys and chooses experts under a bias; LLaDA 2 sees both ways."""
    kind, named = c.data.get("model_type"), c.data.get("architectures")
    later = kind in SECOND or (isinstance(named, list) and bool(named) and named[0] in SECOND_CLASSES)
    if kind not in CONFIRMED:
        c.assume("model_type", kind, "read as Ling 2.0, with what its class has otherwise; no published total confirms it", estimated=True)
    c = under(c, SECOND_TABLE if later else FIRST_TABLE, use_bias=False, use_qkv_bias=False)
    if c.data.get("num_nextn_predict_layers"):
        count = c.data["num_nextn_predict_layers"]
        c.assume("num_nextn_predict_layers", count, "layers that draft tokens are not counted", estimated=False)
    hidden, norm, layers, heads = c.int("hidden_size"), rms(c), depth(c), c.int("num_attention_heads")
    width, partial = head_dim(c, hidden, heads), c.number("partial_rotary_factor")
    position = rotary(c, width, partial=1.0 if partial is None else partial)
    head_norm = Norm(eps=norm.eps) if c.flag("use_qk_norm") else None
    biases: list[Biased] = [*(["query", "key", "value"] if c.flag("use_qkv_bias") else []), *(["output"] if c.flag("use_bias") else [])]  # type: ignore[list-item]

    def sublayers(mixing: str, feed: str) -> list[Sublayer]:
        network = gated(c, bias=c.flag("use_bias")) if feed == DENSE else _experts(c)
        if mixing == LINEAR:
            return [_lightning(c, hidden, norm), prenorm(network, network, norm)[1]]
        mixer = Attention(
            query_heads=heads,
            kv_heads=kv_heads(c, heads),
            head_dim=width,
            packing="qkv",
            biases=biases,
            query_norm=head_norm,
            key_norm=head_norm,
            mask=Mask(kind="bidirectional") if kind == "llada2_moe" else CAUSAL,
            position=position,
        )
        return prenorm(mixer, network, norm)

    feeds = dense_first(c.optional_int("first_k_dense_replace") or 0, layers)
    return causal_model(c, decoder_stack(hidden, crossed(_mixing(c, layers, later=later), feeds), sublayers, norm))


def _mixing(c: Settings, layers: int, *, later: bool) -> dict[str, LayerSet]:
    """The last of every `layer_group_size` layers attends, and those behind the last whole group; the others are linear."""
    size = c.int("layer_group_size") if later and c.data.get("model_type") == "bailing_moe_linear" else 1
    full = {i for i in range(layers) if (i + 1) % size == 0 or i >= layers // size * size}
    held = {FULL: LayerSet.of(full), LINEAR: LayerSet.of(i for i in range(layers) if i not in full)}
    return {kind: of for kind, of in held.items() if len(of)}


def _lightning(c: Settings, hidden: int, norm: Norm) -> Sublayer:
    """As many key as query heads under fixed decays, a gate of the whole width; heads of queries and keys normalised each."""
    heads = c.int("num_attention_heads")
    width = head_dim(c, hidden, heads)
    normed = [f"{part}_norm" for part in ("query", "key")] if c.flag("use_qk_norm") else []
    norms = [Projection(name=name, shape=[width], multiplies=False, component="norm") for name in normed]
    mixer = LightningAttention(heads=heads, head_dim=width, norm=Norm(eps=norm.eps, size=heads * width, groups=c.int("group_norm_size")))
    return Sublayer(name="linear", mixers=[mixer], norm=norm, projections=norms)


def _experts(c: Settings) -> MoE:
    shared = c.optional_int("num_shared_experts") or 0
    wide = c.optional_int("moe_shared_expert_intermediate_size") or c.int("moe_intermediate_size")
    bias = c.flag("use_bias")
    router = Router(
        scoring="sigmoid" if c.text("score_function") == "sigmoid" else "softmax",
        normalise=c.flag("norm_topk_prob"),
        scale=c.number("routed_scaling_factor") or 1.0,
        correction="buffer" if c.flag("moe_router_enable_expert_bias") else "none",
        groups=c.optional_int("n_group") or None,
        groups_per_token=c.optional_int("topk_group") or None,
    )
    beside = MLP(intermediate_size=wide * shared, gated=True, bias=bias, output_bias=bias) if shared else None
    return routed(c, experts="num_experts", width="moe_intermediate_size", router=router, shared=beside, shared_experts=shared, bias=bias)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint, without decays."""
    return [row for row in model(a, NAMES) if row.role.part not in DECAYS]
