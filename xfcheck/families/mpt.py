"""MPT (MosaicML 2023): ALiBi, no biases, norms without bias."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.masks import CAUSAL
from ..architecture.positions.biases import Alibi
from ._read.decoder import causal_model, layer_norm
from ._read.dense import alike
from ._read.head import head_kind
from ._read.plain import multi_head, plain, sequential
from ._rows.gpt_names import TRANSFORMER
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.blocks import Sublayer
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("mpt",)

NAMES = TRANSFORMER.but(
    {
        "layer": "transformer.blocks.{layer}.",
        "final_norm": "transformer.norm_f",
        "attention.norm": "norm_1",
        "attention.qkv": "attn.Wqkv",
        "attention.output": "attn.out_proj",
        "feed_forward.norm": "norm_2",
        "mlp.up": "ffn.up_proj",
        "mlp.down": "ffn.down_proj",
    }
)


def architecture(c: Settings) -> Architecture:
    """The class builds no biases whatever `no_bias` says, and always ALiBi; the class for answers keeps no cache."""
    hidden, norm = c.int("hidden_size"), layer_norm(c, "layer_norm_epsilon", bias=False)
    forward = plain(c.int("expansion_ratio") * hidden, "gelu", bias=False)

    keeps = {"cached": False} if head_kind(c) == "question_answering" else {}

    def layer(kept: int | None) -> list[Sublayer]:
        mixer = multi_head(c, hidden, mask=CAUSAL, position=Alibi(), packed=True, kept_tokens=kept)
        return sequential(mixer.model_copy(update=keeps), forward, norm)

    made = causal_model(c, alike(c, hidden, layer, norm))
    return made.model_copy(update={"maximum_positions": c.optional_int("max_seq_len", minimum=1)})


def ledger(a: Architecture) -> list[Row]:
    """The rows of an MPT checkpoint."""
    return model(a, NAMES)
