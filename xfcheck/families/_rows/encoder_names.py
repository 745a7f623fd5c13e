"""The names of BERT's parts, which most encoders after it kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .names import Names

if TYPE_CHECKING:
    from collections.abc import Mapping

LAYER = {
    "attention.query": "attention.self.query",
    "attention.key": "attention.self.key",
    "attention.value": "attention.self.value",
    "attention.output": "attention.output.dense",
    "attention.norm_residual": "attention.output.LayerNorm",
    "cross_attention.query": "crossattention.self.query",
    "cross_attention.key": "crossattention.self.key",
    "cross_attention.value": "crossattention.self.value",
    "cross_attention.output": "crossattention.output.dense",
    "cross_attention.norm_residual": "crossattention.output.LayerNorm",
    "mlp.up": "intermediate.dense",
    "mlp.down": "output.dense",
    "feed_forward.norm_residual": "output.LayerNorm",
}
"""Inside a layer."""

CLS = {
    "transform": "cls.predictions.transform.dense",
    "transform_norm": "cls.predictions.transform.LayerNorm",
    "head": "cls.predictions.decoder",
    "head_bias": "cls.predictions",
}
"""BERT's head over the vocabulary; its bias stands apart."""

LM_HEAD = {"transform": "lm_head.dense", "transform_norm": "lm_head.layer_norm", "head": "lm_head.decoder", "head_bias": "lm_head"}
"""RoBERTa's."""

CLASSIFIER = {"next_sentence": "cls.seq_relationship", "classifier": "classifier", "question_answering:classifier": "qa_outputs"}
"""Classifiers of one matrix."""

DENSE = {"classifier_dense": "classifier.dense", "sequence_classification:classifier": "classifier.out_proj"}
"""A classifier of two matrices for whole sequences (RoBERTa's)."""


def bert_names(base: str, *more: Mapping[str, str], head: Mapping[str, str] = CLS) -> Names:
    """The names of a model whose base is called `base`; those of `more` win."""
    names: dict[str, str] = {
        "embedding": f"{base}.embeddings.word_embeddings",
        "positions": f"{base}.embeddings.position_embeddings",
        "types": f"{base}.embeddings.token_type_embeddings",
        "embedding_norm": f"{base}.embeddings.LayerNorm",
        "layer": f"{base}.encoder.layer.{{layer}}.",
        "pooler": f"{base}.pooler.dense",
        **LAYER,
        **head,
        **CLASSIFIER,
    }
    for mapping in more:
        names.update(mapping)
    return Names(names, base_prefix=f"{base}.")


def span_names(prefix: str = "") -> dict[str, str]:
    """The names of a head that scores starts, ends and answerability."""
    return {
        "start": f"{prefix}start_logits.dense",
        "end_in": f"{prefix}end_logits.dense_0",
        "end_norm": f"{prefix}end_logits.LayerNorm",
        "end_out": f"{prefix}end_logits.dense_1",
        "answer_in": f"{prefix}answer_class.dense_0",
        "answer_out": f"{prefix}answer_class.dense_1",
    }
