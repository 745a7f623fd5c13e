"""The architecture: one description from which every number is derived."""

from typing import Any

from .blocks import Projection, Stack
from .draft import Draft
from .part import Part
from .vocabulary import Embedding, Head


class Member(Part):
    """A model inside another one, read by the family of its own type.

    `checkpoint`: beginnings of its tensors' own names -> what stands there in the whole's checkpoint (the first that fits; none: the name
    stays); `module` the same in the reference's modules, null where they agree. `streams`: what its streams are called in the whole (`text`
    of an encoder is `encoder`).
    """

    model_type: str
    checkpoint: dict[str, str]
    module: dict[str, str] | None = None
    architecture: "Architecture"
    streams: dict[str, str] = {}


class Architecture(Part):
    """A whole model: embeddings, stacks and head, in the chapter's words and free of any framework's key names.

    `maximum_positions`: the length in tokens the file declares; `dtype`: the dtype the file declares; `quantization`: the file's
    quantisation block, as read. `draft`: layers that published checkpoints hold and the reference does not build.
    `members`: models that it is made of; their stacks are among `stacks` under the whole's streams, their tensors come from their families.
    `naming`: which of its family's sets of tensor names the checkpoint uses, where the family has several; it moves no number.
    """

    embedding: Embedding | None
    stacks: list[Stack]
    head: Head
    maximum_positions: int | None = None
    dtype: str | None = None
    projections: list[Projection] = []
    quantization: dict[str, Any] | None = None
    draft: Draft | None = None
    naming: str | None = None
    members: list[Member] = []

    @property
    def main(self) -> Stack:
        """The stack the head reads."""
        return next((s for s in self.stacks if s.stream == self.head.stream), self.stacks[-1])


Member.model_rebuild()
