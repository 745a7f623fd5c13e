"""I-BERT (Kim et al. 2021, arXiv 2101.01321): RoBERTa whose modules carry buffers for arithmetic in whole numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ledger import Row, role
from ._read.encoder import ROBERTA_TASKS, bert_stack, encoder_model, learned, pad_offset
from ._rows.encoder_names import DENSE, LM_HEAD, bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..architecture.layers import LayerSet
    from ..architecture.model import Architecture
    from ._read.settings import Settings

MODEL_TYPES = ("ibert",)

NAMES = bert_names("ibert", DENSE, head=LM_HEAD)
OBSERVERS = (
    "attention.self.query_activation", "attention.self.key_activation", "attention.self.value_activation",
    "attention.self.output_activation", "attention.self.softmax.act",
    "attention.output.ln_input_act", "attention.output.output_activation", "intermediate.output_activation",
    "output.ln_input_act", "output.output_activation", "pre_intermediate_act", "pre_output_act",
)  # fmt: skip
"""Modules of a layer that watch the range of what passes."""

TABLE_OBSERVERS = ("embeddings_act1", "embeddings_act2", "output_activation")
TABLES = ("embedding", "types", "positions")
BUFFER = role("other", "quantization")


def architecture(c: Settings) -> Architecture:
    """The buffers are there whether `quant_mode` is on or off."""
    return encoder_model(c, bert_stack(c), ROBERTA_TASKS, position=learned(c, offset=pad_offset(c)))


def ledger(a: Architecture) -> list[Row]:
    """The rows of an I-BERT checkpoint: RoBERTa's, and the buffers of tables, matrices, norms and observers."""
    base = "" if a.head.kind == "none" else NAMES.base_prefix
    rows = []
    for row in model(a, NAMES):
        rows += [row, *_buffers(row)]
    for name in TABLE_OBSERVERS:
        rows += _ranges(f"{base}embeddings.{name}", None)
    for block in a.main.blocks:
        for name in OBSERVERS:
            rows += _ranges(f"{base}{NAMES.find('layer', 'text').removeprefix(NAMES.base_prefix)}{name}", block.layers)
    return rows


def _buffers(row: Row) -> Iterator[Row]:
    """The whole numbers and scales beside a tensor of the encoder; poolers and heads have none."""
    stem = row.name.rpartition(".")[0]
    if row.role.part in TABLES and row.layers is None:
        yield row._replace(name=f"{stem}.weight_scaling_factor", shape=(1,), role=BUFFER, kind="buffer")
        yield row._replace(name=f"{stem}.weight_integer", role=BUFFER, kind="buffer")
    elif row.role.component == "norm":
        if row.role.part.endswith("_bias"):
            return
        yield row._replace(name=f"{stem}.shift", shape=(1,), role=BUFFER, kind="buffer")
        yield from _ranges(f"{stem}.activation", row.layers)
    elif row.role.multiplies and row.layers is not None:
        yield row._replace(name=f"{stem}.weight_integer", role=BUFFER, kind="buffer")
        yield row._replace(name=f"{stem}.fc_scaling_factor", shape=row.shape[:1], role=BUFFER, kind="buffer")
    elif row.layers is not None:
        yield row._replace(name=f"{stem}.bias_integer", role=BUFFER, kind="buffer")


def _ranges(stem: str, layers: LayerSet | None) -> Iterator[Row]:
    for name in ("x_min", "x_max", "act_scaling_factor"):
        yield Row(name=f"{stem}.{name}", shape=(1,), role=BUFFER, layers=layers, kind="buffer")
