"""Hymba (arXiv 2411.13676): attention and Mamba heads side by side behind one map, keys and values lent to the next layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection, Sublayer
from ..architecture.layers import LayerSet
from ..architecture.masks import CAUSAL, Mask
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mamba import Mamba
from ._read.blocks import decoder_stack
from ._read.decoder import causal_model, gated, quotient, rms
from ._read.layers import depth
from ._read.published import like, published, under
from ._read.rotary import rotary
from ._rows.model import model
from ._rows.names import LLAMA
from ._rows.state_space_names import mamba

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("hymba",)
CONFIRMED = {"hymba": "model card of nvidia/Hymba-1.5B-Base: 1,522,797,824 parameters"}
FULL, SLIDING, LENT = "full", "sliding", "lent"

TABLE = published(
    "hymba",
    "HymbaConfig",
    "configuration_hymba.py of nvidia/Hymba-1.5B-Base",
    defaults={
        "vocab_size": 65536, "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
        "num_key_value_heads": 8, "hidden_act": "silu", "max_position_embeddings": 262144, "rms_norm_eps": 1e-6,
        "tie_word_embeddings": False, "mamba_d_state": 16, "mamba_d_conv": 4, "mamba_expand": 2, "mamba_dt_rank": 256,
        "mamba_conv_bias": True, "mamba_proj_bias": False, "mamba_inner_layernorms": True, "num_memory_tokens": 0, "sliding_window": None,
        "global_attn_idx": None, "kv_reuse_group": None, "num_experts": 1, "mlp_hidden_act": "silu", "rope": True,
    },
    models={"HymbaForCausalLM": "causal"},
)  # fmt: skip

NAMES = LLAMA.but(
    {
        "final_norm": "model.final_layernorm",
        "memory": "model.memory_tokens!",
        "attention.norm": "input_layernorm",
        "attention.qkv": "mamba.in_proj",
        "attention.query": "mamba.in_proj",
        **mamba("mamba"),
        "mamba.x": "mamba.x_proj.0",
        "mamba.dt": "mamba.dt_proj.0",
        "mamba.decay": "mamba.A_log.0!",
        "mamba.skip": "mamba.D.0!",
        "mamba.dt_norm": "mamba.dt_layernorm",
        "mamba.b_norm": "mamba.B_layernorm",
        "mamba.c_norm": "mamba.C_layernorm",
        "attention.heads_norm": "mamba.pre_avg_layernorm1",
        "attention.states_norm": "mamba.pre_avg_layernorm2",
        "feed_forward.norm": "pre_moe_layernorm",
        **{f"mlp.{part}": f"moe.experts.0.{part}_proj" for part in ("gate", "up", "down")},
    }
)


def architecture(c: Settings) -> Architecture:
    """Values are as wide as the state space. Of each group of `kv_reuse_group` the first layer has keys and values, which the rest read."""
    c = under(c, TABLE, num_experts=1, mlp_hidden_act="silu", mamba_inner_layernorms=True, mamba_proj_bias=False)
    if c.raw("kv_reuse_group", noted=False) is None and c.data.get("kv_reuse_every_i_layer", -1) != -1:
        like(c, "keys and values that layers share by a period are not read")
    hidden, norm, layers = c.int("hidden_size"), rms(c), depth(c)
    heads, groups = c.int("num_attention_heads"), c.int("num_key_value_heads")
    width, inner = quotient(c, hidden, heads), c.int("mamba_expand") * hidden
    states = Mamba(
        inner_size=inner,
        state_size=c.int("mamba_d_state"),
        kernel=c.int("mamba_d_conv"),
        rank=c.int("mamba_dt_rank"),
        conv_bias=c.flag("mamba_conv_bias"),
        bias=c.flag("mamba_proj_bias"),
        inner_norms=norm if c.flag("mamba_inner_layernorms") else None,
    )
    window = c.optional_int("sliding_window", minimum=1)
    norms = [Projection(name=f"{part}_norm", shape=[inner], multiplies=False, component="norm") for part in ("heads", "states")]

    def sublayers(kind: str) -> list[Sublayer]:
        mixer = Attention(
            query_heads=heads,
            kv_heads=groups,
            head_dim=width,
            value_dim=inner // heads,
            packing="separate" if kind == LENT else "qkv",
            shares_cache=kind == LENT,
            output_matrix=False,
            mask=CAUSAL if kind == FULL or window is None else Mask(kind="sliding", window=window),
            position=rotary(c, width) if c.flag("rope") else None,
        )
        return [
            Sublayer(name="attention", mixers=[states, mixer], norm=norm, projections=norms),
            Sublayer(name="feed_forward", mixers=[gated(c, activation="mlp_hidden_act")], norm=norm),
        ]

    made = causal_model(c, decoder_stack(hidden, _kinds(c, layers), sublayers, norm))
    memory = c.optional_int("num_memory_tokens")
    tokens = [Projection(name="memory", shape=[memory, hidden], multiplies=False, component="token_embedding")] if memory else []
    return made.model_copy(update={"projections": tokens})


def _kinds(c: Settings, layers: int) -> dict[tuple[str], LayerSet]:
    among = {i for i in c.list("global_attn_idx") or [] if isinstance(i, int)}
    groups = [group for group in c.list("kv_reuse_group") or [] if isinstance(group, list)]
    lent = {i for group in groups for i in group[1:] if isinstance(i, int)}
    of = [FULL if i in among else LENT if i in lent else SLIDING for i in range(layers)]
    held = {(kind,): LayerSet.of(i for i in range(layers) if of[i] == kind) for kind in (FULL, SLIDING, LENT)}
    return {kind: holding for kind, holding in held.items() if len(holding)}


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint: what queries, keys, values and the state space read comes from one matrix."""
    rows = model(a, NAMES)
    state_maps = [row for row in rows if row.role.part == "in"]
    if not state_maps:
        return rows
    first, maps = state_maps[0], [row for row in rows if row.role.part in ("qkv", "query")]
    joined = [row._replace(shape=(row.shape[0] + first.shape[0], row.shape[1]), role=first.role) for row in maps]
    rest = [row for row in rows if row.role.part not in ("in", "qkv", "query")]
    return [*rest, *joined]
