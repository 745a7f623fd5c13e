"""Nemotron-H (arXiv 2504.03624) and Nemotron 3: one mixer a layer, Mamba-2, attention, an MLP or experts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.masks import CAUSAL
from ..architecture.mixers.mamba2 import Mamba2
from ..architecture.mixers.mlp import MLP
from ..architecture.mixers.moe import MoE, Router
from ._read.decoder import attention, causal_model, rms
from ._read.hybrid import FULL, LINEAR
from ._read.layers import grouped, listed
from ._rows.model import model
from ._rows.names import Names
from ._rows.state_space_names import mamba2 as mamba2_names

if TYPE_CHECKING:
    from ..architecture.layers import LayerSet
    from ..architecture.model import Architecture
    from ..architecture.norm import Norm
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("nemotron_h",)

LETTERS = {"M": LINEAR, "E": "moe", "*": FULL, "-": "mlp"}
"""Letters of `hybrid_override_pattern`."""

NAMES = Names(
    {
        "embedding": "backbone.embeddings",
        "layer": "backbone.layers.{layer}.",
        "final_norm": "backbone.norm_f",
        "head": "lm_head",
        "mixer.norm": "norm",
        **mamba2_names("mixer"),
        "attention.query": "mixer.q_proj",
        "attention.key": "mixer.k_proj",
        "attention.value": "mixer.v_proj",
        "attention.output": "mixer.o_proj",
        "mlp.up": "mixer.up_proj",
        "mlp.down": "mixer.down_proj",
        "moe.router": "mixer.gate",
        "moe.correction": "mixer.gate.e_score_correction_bias!",
        "moe.expert.up": "mixer.experts.{expert}.up_proj",
        "moe.expert.down": "mixer.experts.{expert}.down_proj",
        "moe.shared.up": "mixer.shared_experts.up_proj",
        "moe.shared.down": "mixer.shared_experts.down_proj",
        "mixer.latent_in": "mixer.fc1_latent_proj",
        "mixer.latent_out": "mixer.fc2_latent_proj",
    },
    {
        "embedding": "model.embeddings",
        "layer": "model.layers.{layer}.",
        "final_norm": "model.norm_f",
        "moe.expert.up": "mixer.experts.up_proj!",
        "moe.expert.down": "mixer.experts.down_proj!",
    },
    base_prefix="backbone.",
    module_prefix="model.",
)


def architecture(c: Settings) -> Architecture:
    """One mixer and one norm a layer; the list of layers decides the depth, whatever `num_hidden_layers` says; no positions, no tying."""
    hidden, norm = c.int("hidden_size"), rms(c, "layer_norm_epsilon")
    blocks = [Block(name=kind, layers=held, sublayers=[sublayer(c, kind, hidden, norm)]) for kind, held in kinds(c).items()]
    return causal_model(c, Stack(hidden_size=hidden, blocks=blocks, final_norm=norm), tied=False)


def kinds(c: Settings) -> dict[str, LayerSet]:
    """Layers by their own list, else by the letters of `hybrid_override_pattern`, else the class's four."""
    given = c.list("layers_block_type")
    if given:
        return listed(c, len(given), "layers_block_type", known=tuple(LETTERS.values())) or {}
    pattern = c.text("hybrid_override_pattern")
    if pattern is None:
        c.assume("layers_block_type", "ME*-", "what the class of transformers 5.24.0 takes where the file gives no layers")
        pattern = "ME*-"
    unknown = set(pattern) - set(LETTERS)
    if unknown:
        raise c.refuse(
            "hybrid_override_pattern",
            f"hybrid_override_pattern holds {min(unknown)!r}",
            code="XF114",
            help=f"one of {' '.join(LETTERS)} a layer",
        )
    return grouped(LETTERS[letter] for letter in pattern)


def sublayer(c: Settings, kind: str, hidden: int, norm: Norm) -> Sublayer:
    """The one residual step of a layer of that kind."""
    if kind == LINEAR:
        return Sublayer(name="mixer", mixers=[mamba2(c, norm)], norm=norm)
    if kind == FULL:
        return Sublayer(name="mixer", mixers=[attention(c, hidden, mask=CAUSAL, position=None)], norm=norm)
    if kind == "mlp":
        return Sublayer(name="mixer", mixers=[feed(c, c.int("intermediate_size"))], norm=norm)
    latent, bias = c.optional_int("moe_latent_size"), c.flag("mlp_bias")
    around = [] if latent is None else [
        Projection(name="latent_in", shape=[latent, hidden], bias=bias, component="experts"),
        Projection(name="latent_out", shape=[hidden, latent], bias=bias, component="experts"),
    ]  # fmt: skip
    return Sublayer(name="mixer", mixers=[experts(c, latent)], norm=norm, projections=around)


def mamba2(c: Settings, norm: Norm) -> Mamba2:
    """Mamba-2; where a file gives an older spelling of a key, that one wins, as the class takes it last."""

    def key(name: str, older: str) -> str:
        return older if c.has(older) else name

    return Mamba2(
        heads=c.int("mamba_num_heads"),
        head_dim=c.int("mamba_head_dim"),
        state_size=c.int("ssm_state_size"),
        groups=c.int(key("n_groups", "mamba_n_groups")),
        kernel=c.int(key("conv_kernel", "mamba_d_conv")),
        chunk=c.int(key("chunk_size", "mamba_chunk_size")),
        conv_bias=c.flag(key("use_conv_bias", "mamba_conv_bias"), True),
        bias=c.flag("use_bias"),
        gated_norm=norm,
        activation=c.text("mamba_hidden_act") or "silu",
    )


def feed(c: Settings, width: int, *, bias: bool | None = None, latent: int | None = None) -> MLP:
    """An MLP without a gate; `latent` is the width it reads and writes instead of the residual stream's."""
    biased = c.flag("mlp_bias") if bias is None else bias
    return MLP(
        intermediate_size=width,
        activation=c.text("mlp_hidden_act") or "relu2",
        gated=False,
        bias=biased,
        output_bias=biased,
        input_size=latent,
        output_size=latent,
    )


def experts(c: Settings, latent: int | None) -> MoE:
    """Routed experts, between two shared projections where `moe_latent_size` is given, and one shared expert of its own width."""
    shared = c.int("moe_shared_expert_intermediate_size", minimum=0) or c.int("intermediate_size")
    return MoE(
        experts=c.int("n_routed_experts"), experts_per_token=c.int("num_experts_per_tok"), shared=feed(c, shared), shared_experts=1,
        expert=feed(c, c.int("moe_intermediate_size"), bias=False, latent=latent),
        router=Router(
            scoring="sigmoid", normalise=c.flag("norm_topk_prob"), scale=c.number("routed_scaling_factor") or 1.0, correction="buffer",
            groups=c.optional_int("n_group"), groups_per_token=c.optional_int("topk_group"), group_score_experts=2,
        ),
    )  # fmt: skip


def ledger(a: Architecture) -> list[Row]:
    """The rows of a Nemotron-H checkpoint, whose base is called `backbone` (`model` in transformers)."""
    return model(a, NAMES)
