"""The base of every piece of an architecture, and the dispatch of pieces by their `kind`.

The modules of this package do not postpone their annotations (`from __future__ import annotations`): Pydantic would evaluate each from its
text, which is a quarter of what defining the models costs, and start-up counts.
"""

from importlib import import_module
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """A piece of an architecture: strict (no "4096" for 4096), closed (no unknown key) and immutable."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, protected_namespaces=())


Placement = Literal["before", "after"]


class Mixer(Part):
    """What a sublayer applies to its input: an attention, a recurrence, an MLP, experts.

    `kind` names the class and is what native YAML dispatches on; `name` is the slot its tensors are named under where a block
    holds two of one kind (default: the kind). `input_size` and `output_size` are the widths read from and written to the residual
    stream, where they differ from the stack's hidden size. `component` is the bucket that its weights are counted in.
    """

    component: ClassVar[str] = "other"
    kind: str
    name: str | None = None
    input_size: int | None = None
    output_size: int | None = None

    @property
    def slot(self) -> str:
        """The first part of the key under which a family names this mixer's tensors."""
        return self.name or self.kind


MIXERS: dict[str, tuple[str, str]] = {
    "attention": ("attention", "Attention"),
    "convolved_attention": ("convolved_attention", "ConvolvedAttention"),
    "depth_attention": ("depth_attention", "DepthAttention"),
    "cross_attention": ("cross_attention", "CrossAttention"),
    "blocked_attention": ("blocked_attention", "BlockedAttention"),
    "longformer_attention": ("longformer_attention", "LongformerAttention"),
    "global_local_attention": ("global_local_attention", "GlobalLocalAttention"),
    "bigbird_attention": ("bigbird_attention", "BigBirdAttention"),
    "ngram_attention": ("ngram_attention", "NgramAttention"),
    "merged_attention": ("merged_attention", "MergedAttention"),
    "disentangled_attention": ("disentangled_attention", "DisentangledAttention"),
    "bucketed_attention": ("bucketed_attention", "BucketedAttention"),
    "fourier": ("fourier", "Fourier"),
    "gated_delta": ("gated_delta", "GatedDelta"),
    "grouped_attention": ("grouped", "GroupedAttention"),
    "grouped_mlp": ("grouped", "GroupedMLP"),
    "indexed_attention": ("indexed_attention", "IndexedAttention"),
    "ngram_embedding": ("ngram_embedding", "NgramEmbedding"),
    "kimi_delta": ("kimi_delta", "KimiDelta"),
    "landmark_attention": ("landmark_attention", "LandmarkAttention"),
    "pooling_attention": ("pooling_attention", "PoolingAttention"),
    "stream_attention": ("stream_attention", "StreamAttention"),
    "latent_attention": ("latent_attention", "LatentAttention"),
    "lightning_attention": ("lightning_attention", "LightningAttention"),
    "linear_attention": ("linear_attention", "LinearAttention"),
    "mamba": ("mamba", "Mamba"),
    "mamba2": ("mamba2", "Mamba2"),
    "mlp": ("mlp", "MLP"),
    "rg_lru": ("rg_lru", "RgLru"),
    "time_mix": ("rwkv", "TimeMix"),
    "channel_mix": ("rwkv", "ChannelMix"),
    "token_filter": ("token_filter", "TokenFilter"),
    "short_convolution": ("short_convolution", "ShortConvolution"),
    "expert_attention": ("expert_attention", "ExpertAttention"),
    "block_indexed_attention": ("block_indexed_attention", "BlockIndexedAttention"),
    "mlstm": ("mlstm", "MLstm"),
    "memory_attention": ("memory_attention", "MemoryAttention"),
    "mixed_convolution": ("mixed_convolution", "MixedConvolution"),
    "moe": ("moe", "MoE"),
    "compressed_attention": ("compressed_attention", "CompressedAttention"),
    "residual_streams": ("residual_streams", "ResidualStreams"),
}
"""kind -> (module of `architecture.mixers`, class): a new kind is a module there and a line here."""

POSITIONS: dict[str, tuple[str, str]] = {
    "rotary": ("rotary", "Rotary"),
    "learned": ("tables", "Learned"),
    "sinusoidal": ("tables", "Sinusoidal"),
    "alibi": ("biases", "Alibi"),
    "relative_bias": ("biases", "RelativeBias"),
}
"""kind -> (module of `architecture.positions`, class)."""


def component_class(table: dict[str, tuple[str, str]], package: str, kind: str) -> type[Part]:
    """The Pydantic class of a kind, its module imported on first use. Raises ValueError with the nearest kind for an unknown one."""
    if kind not in table:
        from difflib import get_close_matches

        near = get_close_matches(kind, table, 1)
        raise ValueError(f"unknown kind {kind!r}" + (f"; did you mean {near[0]!r}?" if near else f"; one of {', '.join(table)}"))
    module, name = table[kind]
    found: type[Part] = getattr(import_module(f"{__package__}.{package}.{module}"), name)
    return found


def dispatch(value: Any, table: dict[str, tuple[str, str]], package: str) -> Any:
    """A piece given as a mapping becomes an instance of the class its `kind` names; an instance passes."""
    if isinstance(value, Part):
        return value
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str):
        raise ValueError(f"a mapping with a `kind`, one of {', '.join(table)}, is needed")
    return component_class(table, package, value["kind"]).model_validate(value)
