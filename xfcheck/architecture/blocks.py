"""Blocks: what a layer consists of, and which layers are alike. Residual order and norm places: chapter question 4."""

from typing import Annotated

from pydantic import BeforeValidator, SerializeAsAny, model_validator

from .layers import LayerSet
from .norm import Norm
from .part import MIXERS, Mixer, Part, dispatch
from .vocabulary import Embedding

AnyMixer = Annotated[SerializeAsAny[Mixer], BeforeValidator(lambda value: dispatch(value, MIXERS, "mixers"))]


class Projection(Part):
    """A weight that is no mixer, MLP or norm: an alternating update, a low-rank residual, a per-layer embedding gate, a hyper-connection.

    `name` is the key under which a family names it. `shape` as stored; `multiplies`: tokens are multiplied by it (else looked up or added).
    `component` is the bucket it is counted in. `uses`: how often one token meets it. `kept`, of the stream `latent`: the most tokens that
    the cache holds between passes. `numbers`: a list of such weights inside one layer, of which `active` is (k, E): a token meets k of
    every E (null: all). `tied`: it is the tensor of another part, which the family names.
    """

    name: str
    shape: list[int]
    multiplies: bool = True
    bias: bool = False
    component: str = "other"
    buffer: bool = False
    dtype: str | None = None
    stream: str | None = None
    experts: bool = False
    uses: int = 1
    kept: int | None = None
    numbers: LayerSet | None = None
    active: tuple[int, int] | None = None
    tied: bool = False


class Sublayer(Part):
    """One residual step: `x + after(mixers(before(x)))`.

    Several mixers read the same input and their outputs are summed (parallel residuals, hybrid heads). `norm` comes before, `norm_after`
    after the mixers and before the sum, `norm_residual` after the sum (post-norm as in BERT); `mixer_norms` gives each of several mixers
    its own norm before. `multiplier` scales what is added. `name` keys the names of its norms. `shared`: the layers of the block apply one
    set of weights, which the first of them holds; each has a cache of its own.
    """

    name: str
    mixers: list[AnyMixer]
    norm: Norm | None = None
    norm_after: Norm | None = None
    norm_residual: Norm | None = None
    mixer_norms: dict[str, Norm] = {}
    multiplier: float = 1.0
    layer_scale: bool = False
    projections: list[Projection] = []
    residual: bool = True
    shared: bool = False


class Block(Part):
    """A kind of layer: its sublayers in order, and the layers that are of this kind.

    `uses` above 1 is one set of weights applied that many times (ALBERT's shared groups). `caches`: how many of these have a cache of their
    own (default: all of them). `stream`: whose tokens pass where they are not the stack's (`absent`: a block that is left out without
    its memory, as Llama 3.2 Vision's cross attention layers are).
    """

    name: str
    layers: LayerSet
    stream: str | None = None
    sublayers: list[Sublayer]
    projections: list[Projection] = []
    uses: int = 1
    caches: int | None = None


class Padding(Part):
    """What a stack computes beside the tokens it is given, as a reference executes it.

    A sequence of more than `above` tokens is filled up to a multiple of `multiple`; `extra` trained vectors stand beside every sequence and
    pass through the same weights. `copies`: so many vectors pass for each token (ProphetNet's streams, one a predicted token and the own).
    `halvings`: neighbours were pooled so often (Funnel); `first_apart`: the first token was not pooled with any, `truncated`: for that the
    last one was left out. `fixed`: this many vectors whatever the length of the sequence (Perceiver's latents). `prompts`: so many trained
    vectors stand before every sequence; they pass in the first pass alone, and layers keep theirs like any token's (CPM-Ant).
    `every`: so many neighbours are one vector, and those that are no whole group are left out (CANINE).
    """

    multiple: int = 1
    above: int = 0
    extra: int = 0
    copies: int = 1
    halvings: int = 0
    first_apart: bool = False
    truncated: bool = False
    fixed: int | None = None
    prompts: int = 0
    every: int = 1

    def filled(self, tokens: int) -> int:
        """Vectors of one sequence after it was filled up or pooled; the extra ones are not among them."""
        if self.fixed is not None:
            return self.fixed
        tokens //= self.every
        for _ in range(self.halvings):
            if tokens > (2 if self.first_apart else 1):
                tokens = (tokens + (self.first_apart and not self.truncated) + 1) // 2
        return self.copies * (-(-tokens // self.multiple) * self.multiple if tokens > self.above else tokens)


class Stack(Part):
    """A column of layers over one stream of tokens.

    `name` begins the keys of its tensors' names where two stacks share a stream (default: the stream). `stream`: `text` (decoder-only and
    encoder-only models), `encoder`, `decoder`, `image`, `audio`. `embedding`: tables that this stack has for itself beside the model's (its
    name of a shared table, a second vocabulary, positions); null where it has none. `fixed_length`: every input is filled up to this many
    tokens (Whisper's 30 seconds). `padding`: more tokens than the sequence has. `embedding_norm` follows the embedding, `final_norm` the
    last layer. The blocks' layers must be 0 to depth - 1, each once. `component`: the bucket of everything in it, for a tower (`vision`,
    `audio`); null: each weight has its own.
    """

    name: str | None = None
    stream: str = "text"
    hidden_size: int
    blocks: list[Block]
    embedding: Embedding | None = None
    fixed_length: int | None = None
    padding: Padding | None = None
    embedding_norm: Norm | None = None
    final_norm: Norm | None = None
    projections: list[Projection] = []
    component: str | None = None

    @property
    def depth(self) -> int:
        """Number of layers applied to a token."""
        return sum(len(b.layers) * b.uses for b in self.blocks)

    @model_validator(mode="after")
    def _layers_once(self) -> "Stack":
        held = sum(len(b.layers) for b in self.blocks)
        if held and len(whole := LayerSet.union(b.layers for b in self.blocks)) != held:
            raise ValueError("two blocks claim the same layer")
        if held and whole.ranges != (range(held),) and max(whole) != held - 1:
            raise ValueError(f"the blocks leave out layers below {max(whole)}")
        return self
