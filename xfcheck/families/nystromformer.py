"""BERT with cheaper attention: Nyströmformer (arXiv 2102.03902), YOSO (arXiv 2111.09714), multi-resolution analysis (arXiv 2207.10284)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.masks import BIDIRECTIONAL
from ..architecture.mixers.landmark_attention import LandmarkAttention
from ..architecture.positions.tables import Learned
from ._read.decoder import QKVO, layer_norm, quotient
from ._read.encoder import Tasks, column, encoder_model, residual_steps
from ._rows.encoder_names import DENSE, bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings
    from ._rows.names import Names

MODEL_TYPES = ("nystromformer", "yoso", "mra")

TASKS = Tasks(pooled=(), dense=("sequence_classification", "multiple_choice"))


def _names(base: str, dense: str) -> Names:
    """The dense layer before the classifier is named by what it classifies."""
    return bert_names(
        base,
        DENSE,
        {f"landmark_attention.{part}": f"attention.self.{part}" for part in ("query", "key", "value")},
        {
            "landmark_attention.output": "attention.output.dense",
            "landmark_attention.convolution": "attention.self.conv",
            "position_ids": f"{base}.embeddings.position_ids!",
            "classifier_dense": dense,
        },
    )


NAMES = {
    (base, choice): _names(base, "pre_classifier" if choice else "classifier.dense") for base in MODEL_TYPES for choice in (False, True)
}


def architecture(c: Settings) -> Architecture:
    """Post-norm encoders; two rows of the table of positions are never used."""
    naming = "nystromformer" if c.table is None else c.table.model_type
    hidden, norm = c.int("hidden_size"), layer_norm(c)
    stack = column(c, hidden, residual_steps(c, hidden, norm, mixer=_attention(c, hidden, naming), cross=False), embedding_norm=norm)
    rows = c.int("max_position_embeddings")
    pieces = []
    if naming == "mra":
        pieces.append(
            Projection(name="position_ids", shape=[1, rows], multiplies=False, buffer=True, dtype="int64", component="position_embedding")
        )
    return encoder_model(c, stack, TASKS, naming=naming, position=Learned(rows=rows + 2, offset=2), projections=pieces)


def _attention(c: Settings, hidden: int, naming: str) -> LandmarkAttention:
    """Nyströmformer is plain where a segment is one token long; YOSO's hashing and MRA's blocks run in kernels of their own."""
    heads = c.int("num_attention_heads")
    landmarks, kernel, unseen = None, None, naming == "mra"
    if naming == "nystromformer":
        kernel = c.optional_int("conv_kernel_size") or None
        count, segments = c.int("num_landmarks"), c.int("segment_means_seq_len")
        landmarks = None if count == segments else count
    elif naming == "yoso":
        kernel = c.optional_int("conv_window") or None
        if not c.flag("use_expectation", True):
            unseen = True
            c.assume("use_expectation", False, "hashing runs in a kernel that the reference's torch path does not have", estimated=True)
    if kernel is not None and kernel % 2 == 0:
        c.assume("kernel", kernel, "an even kernel lengthens what it convolves: the reference does not run", estimated=True)
    return LandmarkAttention(
        query_heads=heads,
        kv_heads=heads,
        head_dim=quotient(c, hidden, heads),
        biases=QKVO,
        mask=BIDIRECTIONAL,
        landmarks=landmarks,
        kernel=kernel,
        uncounted=unseen,
        dropout=c.number("attention_probs_dropout_prob") or 0.0,
    )


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES[a.naming or "nystromformer", a.head.kind == "multiple_choice"])
