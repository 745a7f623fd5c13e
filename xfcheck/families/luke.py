"""LUKE (Yamada et al. 2020, arXiv 2010.01057): RoBERTa with a vocabulary of entities, and queries between words and entities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ._read.decoder import layer_norm
from ._read.encoder import Tasks, column, encoder_head, encoder_model, learned, pad_offset, residual_steps, self_attention
from ._read.head import architecture_name, labels
from ._rows.encoder_names import LM_HEAD, bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..architecture.vocabulary import Head
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("luke",)

BASE = "luke.entity_embeddings."
NAMES = bert_names(
    "luke",
    {
        "entities": BASE + "entity_embeddings",
        "entities_dense": BASE + "entity_embedding_dense",
        "entities_positions": BASE + "position_embeddings",
        "entities_types": BASE + "token_type_embeddings",
        "entities_norm": BASE + "LayerNorm",
        "attention.word_to_entity": "attention.self.w2e_query",
        "attention.entity_to_word": "attention.self.e2w_query",
        "attention.entity_to_entity": "attention.self.e2e_query",
        "scores_bias": "lm_head.bias!",
        "entity_transform": "entity_predictions.transform.dense",
        "entity_transform_norm": "entity_predictions.transform.LayerNorm",
        "entity_head": "entity_predictions.decoder",
        "entity_bias": "entity_predictions.bias!",
    },
    head={key: name for key, name in LM_HEAD.items() if key != "head_bias"},
)
TASKS = Tasks(pooled=("none", "masked", "sequence_classification", "multiple_choice"), bias_apart=False)
ENTITY_CLASSES = {
    "LukeForEntityClassification": (1, True),
    "LukeForEntityPairClassification": (2, False),
    "LukeForEntitySpanClassification": (3, True),
}
"""Class -> (entities and span ends that the classifier reads, whether it has a bias)."""


def architecture(c: Settings) -> Architecture:
    """Counted for words alone: entities are input of their own, and without them their weights do no work."""
    hidden, norm = c.int("hidden_size"), layer_norm(c)
    steps = residual_steps(c, hidden, norm, mixer=self_attention(c, hidden, causal=False), cross=False)
    if c.flag("use_entity_aware_attention"):
        queries = [
            Projection(name=name, shape=[hidden, hidden], bias=True, component="attention", stream="absent")
            for name in ("word_to_entity", "entity_to_word", "entity_to_entity")
        ]
        steps[0] = steps[0].model_copy(update={"projections": queries})
    stack = column(c, hidden, steps, embedding_norm=norm)
    head, pieces = _head(c), _entities(c, hidden)
    named = architecture_name(c)
    if named in ENTITY_CLASSES:
        count, bias = ENTITY_CLASSES[named]
        shape = [labels(c), hidden * count]
        pieces.append(Projection(name="classifier", shape=shape, bias=bias, component="head", stream="absent"))
    elif head.kind == "masked":
        pieces += _entity_scores(c, hidden, tied=c.flag("tie_word_embeddings"))
    return encoder_model(c, stack, TASKS, position=learned(c, offset=pad_offset(c)), projections=pieces, head=head)


def _head(c: Settings) -> Head:
    """The words' scores have a matrix of their own, tied or not; the entity classes have no other head."""
    if architecture_name(c) in ENTITY_CLASSES:
        from ..architecture.vocabulary import Head

        return Head(kind="other", pooler=True)
    return encoder_head(c, TASKS, c.int("vocab_size")).model_copy(update={"tied": False})


def _entities(c: Settings, hidden: int) -> list[Projection]:
    rows, width = c.int("entity_vocab_size"), c.int("entity_emb_size")
    pieces = [Projection(name="entities", shape=[rows, width], multiplies=False, component="token_embedding")]
    if width != hidden:
        pieces.append(Projection(name="entities_dense", shape=[hidden, width], stream="absent"))
    positions, types = [c.int("max_position_embeddings"), hidden], [c.int("type_vocab_size", minimum=0), hidden]
    return [
        *pieces,
        Projection(name="entities_positions", shape=positions, multiplies=False, component="position_embedding"),
        Projection(name="entities_types", shape=types, multiplies=False, component="token_embedding"),
        Projection(name="entities_norm", shape=[hidden], multiplies=False, bias=True, component="norm"),
    ]


def _entity_scores(c: Settings, hidden: int, *, tied: bool) -> list[Projection]:
    """Scores of the entities; tied, their matrix is the entities' table. Untied, the words have a second bias that nothing reads."""
    rows, width = c.int("entity_vocab_size"), c.int("entity_emb_size")
    pieces = [
        Projection(name="entity_transform", shape=[width, hidden], bias=True, component="head", stream="absent"),
        Projection(name="entity_transform_norm", shape=[width], multiplies=False, bias=True, component="head"),
        Projection(name="entity_bias", shape=[rows], multiplies=False, component="head"),
    ]
    if not tied:
        pieces.append(Projection(name="entity_head", shape=[rows, width], component="head", stream="absent"))
        pieces.append(Projection(name="scores_bias", shape=[c.int("vocab_size")], multiplies=False, component="head"))
    return pieces


def ledger(a: Architecture) -> list[Row]:
    """The rows of a LUKE checkpoint."""
    return model(a, NAMES)
