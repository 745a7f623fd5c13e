"""A second embedding of every token, one part a layer (Gemma 3n and 4)."""

from __future__ import annotations

from ...architecture.blocks import Projection


def layer_projections(hidden: int, width: int) -> list[Projection]:
    """A layer's gate to its part, the map back, and the norm of what is added."""
    return [
        Projection(name="per_layer_gate", shape=[width, hidden]),
        Projection(name="per_layer_projection", shape=[hidden, width]),
        Projection(name="per_layer_norm", shape=[hidden], multiplies=False, component="norm"),
    ]


def table_projections(rows: int, layers: int, hidden: int, width: int) -> list[Projection]:
    """The table `[rows, layers * width]`, the map of the token's vector to all layers' parts, and the norm of a part."""
    return [
        Projection(name="per_layer_embedding", shape=[rows, layers * width], multiplies=False, component="token_embedding"),
        Projection(name="per_layer_model_projection", shape=[layers * width, hidden]),
        Projection(name="per_layer_projection_norm", shape=[width], multiplies=False, component="norm"),
    ]
