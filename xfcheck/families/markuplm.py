"""MarkupLM (Li et al. 2021, arXiv 2110.08518): BERT that also reads each token's path through the markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.layers import LayerSet
from ._read.encoder import Tasks, bert_stack, encoder_model, learned, pad_offset
from ._rows.encoder_names import bert_names
from ._rows.model import model

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("markuplm",)

PATHS = "markuplm.embeddings.xpath_embeddings"
NAMES = bert_names(
    "markuplm",
    {
        "tags": f"{PATHS}.xpath_tag_sub_embeddings.{{number}}",
        "subscripts": f"{PATHS}.xpath_subs_sub_embeddings.{{number}}",
        "path_idle": f"{PATHS}.xpath_unitseq2_embeddings",
        "path_in": f"{PATHS}.xpath_unitseq2_inner",
        "path_out": f"{PATHS}.inner2emb",
    },
)


def architecture(c: Settings) -> Architecture:
    """`max_depth` steps of a path, a table of tags and one of subscripts each; a matrix that the class makes and no pass uses."""
    stack = bert_stack(c)
    hidden, steps, width, component = stack.hidden_size, c.int("max_depth"), c.int("xpath_unit_hidden_size"), "position_embedding"
    depths = LayerSet.first(steps)
    tables = [
        Projection(name=name, shape=[c.int(key), width], multiplies=False, component=component, numbers=depths)
        for name, key in (("tags", "max_xpath_tag_unit_embeddings"), ("subscripts", "max_xpath_subs_unit_embeddings"))
    ]
    maps = [
        Projection(name="path_idle", shape=[hidden, width * steps], multiplies=False, bias=True, component=component),
        Projection(name="path_in", shape=[4 * hidden, width * steps], bias=True, component=component),
        Projection(name="path_out", shape=[hidden, 4 * hidden], bias=True, component=component),
    ]
    tasks = Tasks(pooled=("none", "sequence_classification"), default="none")
    return encoder_model(c, stack, tasks, position=learned(c, offset=pad_offset(c)), projections=[*tables, *maps])


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint."""
    return model(a, NAMES)
