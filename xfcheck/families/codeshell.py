"""CodeShell (arXiv 2403.15747), GPT-2's block under rotary positions and grouped heads, and Jais (2308.16149), with a gate and slopes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ..architecture.positions.biases import Alibi
from ..architecture.positions.tables import Learned
from ._read.decoder import QKVO, causal_model, layer_norm, quotient
from ._read.dense import alike
from ._read.frequencies import storing
from ._read.plain import sequential
from ._read.published import like, published, under
from ._read.rotary import rotary
from ._rows.gpt_names import TRANSFORMER
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("codeshell", "jais")

ALIASES = {
    "hidden_size": "n_embd",
    "num_hidden_layers": "n_layer",
    "num_attention_heads": "n_head",
    "intermediate_size": "n_inner",
    "max_position_embeddings": "n_positions",
}
CODESHELL = published(
    "codeshell",
    "CodeShellConfig",
    "configuration_codeshell.py of WisdomShell/CodeShell-7B",
    defaults={
        "vocab_size": 70144, "n_positions": 8192, "n_embd": 4096, "n_layer": 42, "n_head": 32, "n_inner": None,
        "activation_function": "gelu_pytorch_tanh", "layer_norm_epsilon": 1e-5, "group_query_attention": True, "num_query_groups": 1,
        "position_embedding_type": "learned_absolute", "tie_word_embeddings": True,
    },
    aliases=ALIASES,
    models={"CodeShellForCausalLM": "causal", "CodeShell4bitForCausalLM": "causal"},
)  # fmt: skip
JAIS = published(
    "jais",
    "JAISConfig",
    "configuration_jais.py of inceptionai/jais-13b",
    defaults={
        "vocab_size": 50257, "n_positions": 1024, "n_embd": 768, "n_layer": 12, "n_head": 12, "n_inner": None,
        "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5, "position_embedding_type": "learned", "tie_word_embeddings": True,
    },
    aliases=ALIASES,
    models={"JAISLMHeadModel": "causal"},
)  # fmt: skip

NAMES = TRANSFORMER.but(
    {
        "positions": "transformer.wpe",
        "attention.qkv": "attn.c_attn",
        "attention.output": "attn.c_proj",
        "attention.frequencies": "attn.rotary_emb.inv_freq!",
        "mlp.up": "mlp.c_fc",
        "mlp.down": "mlp.c_proj",
    }
)
GATED = NAMES.but({"mlp.up": "mlp.c_fc2", "mlp.gate": "mlp.c_fc"})
TRANSPOSED = ("attention", "mlp")
"""Jais's matrices are stored [in, out], as GPT-2's are."""


def architecture(c: Settings) -> Architecture:
    """`position_embedding_type`: rope, alibi, or a table; swiglu makes Jais's network gated. Biases everywhere but on the head."""
    kind = str(c.data.get("model_type"))
    like(c, "read from the published class: no total that is known confirms it")
    c = under(c, CODESHELL if kind == "codeshell" else JAIS)
    hidden, heads, norm = c.int("hidden_size"), c.int("num_attention_heads"), layer_norm(c, "layer_norm_epsilon")
    width, named, activation = quotient(c, hidden, heads), c.text("position_embedding_type"), c.text("activation_function") or "gelu"
    grouped = kind == "codeshell" and c.flag("group_query_attention")
    position = rotary(c, width) if named == "rope" else Alibi() if named == "alibi" else None
    inner = c.optional_int("intermediate_size", minimum=1) or 4 * hidden
    gated = activation == "swiglu"
    forward = MLP(intermediate_size=inner, activation="silu" if gated else activation, gated=gated, bias=True, output_bias=True)

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = Attention(
            query_heads=heads,
            kv_heads=c.int("num_query_groups") if grouped else heads,
            head_dim=width,
            packing="qkv",
            biases=QKVO,
            mask=CAUSAL,
            position=position,
            kept_tokens=kept,
        )
        return sequential(mixer, forward, norm)

    stack = alike(c, hidden, layer, norm)
    table = Learned(rows=c.int("max_position_embeddings")) if position is None else None
    made = causal_model(c, storing(stack) if kind == "codeshell" else stack, position=table)
    return made.model_copy(update={"naming": kind if not gated else f"{kind} gated"})


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    named = a.naming or ""
    rows = model(a, GATED if named.endswith("gated") else NAMES)
    if not named.startswith("jais"):
        return rows
    return [
        row._replace(shape=row.shape[::-1], transposed=True) if row.role.multiplies and row.role.component in TRANSPOSED else row
        for row in rows
    ]
