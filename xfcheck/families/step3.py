"""The language models of Step-3 (arXiv 2507.19427), queries through a rank, and Step-3.5-Flash (2602.10604), more sliding heads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL, Mask
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ..architecture.mixers.moe import Router
from ..architecture.norm import Norm
from ._read.blocks import DENSE, SPARSE, decoder_stack, prenorm
from ._read.decoder import causal_model, gated, head_dim, rms
from ._read.layers import crossed, depth, listed
from ._read.moe import routed
from ._read.published import like, published, under
from ._read.rotary import rotary
from ._read.settings import Settings
from ._rows.model import model
from ._rows.names import LLAMA

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.mixers.moe import MoE
    from ..architecture.model import Architecture
    from ..ledger import Row

MODEL_TYPES = ("step3_text", "step3p5")
FULL, SLIDING = "full_attention", "sliding_attention"
CONFIRMED = {
    "step3p5": "the text model of transformers' Step-3.7 under the file of Step-3.5-Flash, and its head: 196,956,118,272 parameters"
}
MODELS = {"Step3TextForCausalLM": "causal", "Step3p5ForCausalLM": "causal"}

THIRD = published(
    "step3_text",
    "Step3TextConfig",
    "configuration_step3.py of stepfun-ai/step3",
    defaults={
        "hidden_size": 7168, "intermediate_size": 18432, "num_attention_heads": 64, "num_attention_groups": 1, "num_hidden_layers": 61,
        "max_position_embeddings": 65536, "vocab_size": 128815, "rms_norm_eps": 1e-5, "moe_intermediate_size": 5120,
        "moe_num_experts": 48, "moe_top_k": 3, "share_expert_dim": 5120, "share_q_dim": 2048, "head_dim": 256,
        "norm_expert_weight": False, "moe_layers_enum": None, "tie_word_embeddings": False, "hidden_act": "silu",
    },
    aliases={"num_key_value_heads": "num_attention_groups", "max_seq_len": "max_position_embeddings"},
    models=MODELS,
)  # fmt: skip
FLASH = published(
    "step3p5",
    "Step3p5Config",
    "configuration_step3p5.py of stepfun-ai/Step-3.5-Flash",
    defaults={
        "hidden_size": 4096, "intermediate_size": 11264, "num_attention_heads": 64, "num_attention_groups": 8, "num_hidden_layers": 45,
        "max_position_embeddings": 128000, "vocab_size": 128815, "rms_norm_eps": 1e-5, "moe_intermediate_size": 1280,
        "moe_num_experts": 288, "moe_top_k": 8, "share_expert_dim": 1280, "head_dim": 128, "norm_expert_weight": True,
        "moe_layers_enum": None, "tie_word_embeddings": False, "hidden_act": "silu", "layer_types": None, "sliding_window": None,
        "attention_other_setting": None, "use_head_wise_attn_gate": True, "use_moe_router_bias": False, "moe_router_scaling_factor": 1.0,
        "moe_router_activation": "softmax",
    },
    aliases={"num_key_value_heads": "num_attention_groups", "max_seq_len": "max_position_embeddings"},
    models=MODELS,
)  # fmt: skip

STACKED = {f"moe.expert.{part}": f"moe.{part}_proj.weight!" for part in ("gate", "up", "down")}
THIRD_NAMES = LLAMA.but(
    {
        "attention.rank_norm": "self_attn.inter_norm",
        "attention.query_a": "self_attn.q_proj",
        "attention.query": "self_attn.wq",
        "moe.router": "moe.gate",
        **STACKED,
        **{f"moe.shared.{part}": f"share_expert.{part}_proj" for part in ("gate", "up", "down")},
    },
    {},
)
FLASH_NAMES = THIRD_NAMES.but(
    {"attention.gate": "self_attn.g_proj", "attention.query": "self_attn.q_proj", "moe.correction": "moe.router_bias!"}
)


def architecture(c: Settings) -> Architecture:
    """`moe_layers_enum` names the layers with experts (absent: all but the first). The layers that draft tokens are not counted."""
    flash = c.data.get("model_type") == "step3p5"
    if not flash:
        like(c, "the language model alone, read from the published class: the report's 316B parameters are rounded")
    c = under(c, FLASH if flash else THIRD)
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    if flash:
        norm = norm.model_copy(update={"unit_offset": True})
    feeds, kinds = _feeds(c, layers), (listed(c, layers, known=(FULL, SLIDING)) if flash else None) or {FULL: LayerSet.first(layers)}

    def sublayers(kind: str, feed: str) -> list[Sublayer]:
        mixer, beside = _flash(c, kind, norm) if flash else _third(c, hidden)
        steps = prenorm(mixer, gated(c) if feed == DENSE else _experts(c, flash=flash), norm)
        return [steps[0].model_copy(update={"projections": beside}), steps[1]]

    made = causal_model(c, decoder_stack(hidden, crossed(kinds, feeds), sublayers, norm))
    return made.model_copy(update={"naming": "flash" if flash else "third"})


def _feeds(c: Settings, layers: int) -> dict[str, LayerSet]:
    given = c.raw("moe_layers_enum")
    if isinstance(given, str):
        pieces = [piece.strip() for piece in given.split(",") if piece.strip()]
        if not all(piece.isdecimal() for piece in pieces):
            raise c.refuse("moe_layers_enum", "moe_layers_enum lists layers: whole numbers between commas are needed", code="XF114")
        sparse = {int(piece) for piece in pieces}
    else:
        sparse = set(range(1, layers))
    held = {SPARSE: LayerSet.of(i for i in range(layers) if i in sparse), DENSE: LayerSet.of(i for i in range(layers) if i not in sparse)}
    return {kind: of for kind, of in held.items() if len(of)}


def _third(c: Settings, hidden: int) -> tuple[Attention, list[Projection]]:
    """Queries from a rank: read by `wq` behind a norm."""
    heads, rank = c.int("num_attention_heads"), c.int("share_q_dim")
    width = head_dim(c, hidden, heads)
    mixer = Attention(
        query_heads=heads,
        kv_heads=c.int("num_attention_groups"),
        head_dim=width,
        query_input_size=rank,
        mask=CAUSAL,
        position=rotary(c, width),
    )
    down = Projection(name="query_a", shape=[rank, hidden], component="attention")
    return mixer, [down, Projection(name="rank_norm", shape=[rank], multiplies=False, component="norm")]


def _flash(c: Settings, kind: str, norm: Norm) -> tuple[Attention, list[Projection]]:
    """Heads normalised each, a gate a head; sliding layers by `attention_other_setting`."""
    other = c.mapping("attention_other_setting") if kind == SLIDING else None
    own = Settings(other, None, pointer=c.at("attention_other_setting"), reading=c.reading) if other else c
    width = c.int("head_dim")
    head_norm = Norm(eps=norm.eps, unit_offset=True)
    rope = Settings({**c.data, "rope_theta": _first(c.data.get("rope_theta"))}, c.table, pointer=c.pointer, reading=c.reading)
    mixer = Attention(
        query_heads=own.int("num_attention_heads"),
        kv_heads=own.int("num_attention_groups"),
        head_dim=width,
        query_norm=head_norm,
        key_norm=head_norm,
        gate="headwise" if c.flag("use_head_wise_attn_gate") else "none",
        mask=Mask(kind="sliding", window=c.int("sliding_window")) if kind == SLIDING else CAUSAL,
        position=rotary(rope, width),
    )
    return mixer, []


def _first(given: object) -> object:
    """The first of a list of one value a layer, or the value."""
    return given[0] if isinstance(given, list) and given else given


def _experts(c: Settings, *, flash: bool) -> MoE:
    beside = c.optional_int("share_expert_dim")
    corrected = flash and c.flag("use_moe_router_bias")
    router = Router(
        scoring="sigmoid" if flash and c.text("moe_router_activation") == "sigmoid" else "softmax",
        normalise=c.flag("norm_expert_weight"),
        scale=(c.number("moe_router_scaling_factor") or 1.0) if flash else 1.0,
        correction="buffer" if corrected else "none",
    )
    shared = MLP(intermediate_size=beside, gated=True) if beside else None
    return routed(
        c,
        experts="moe_num_experts",
        width="moe_intermediate_size",
        per_token="moe_top_k",
        router=router,
        shared=shared,
        shared_experts=1 if shared else 0,
        storage="apart",
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of the language model."""
    return model(a, FLASH_NAMES if a.naming == "flash" else THIRD_NAMES)
