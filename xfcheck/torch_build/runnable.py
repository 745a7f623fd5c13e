"""What of an architecture the generic modules cannot build or cannot run, by name.

Those parts are `not_verified`, never passed over in silence.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import nn

    from ..architecture.blocks import Projection, Stack
    from ..architecture.model import Architecture, Member
    from ..architecture.part import Mixer

KINDS: dict[str, tuple[str, str]] = {
    "attention": ("attention", "AttentionLayer"),
    "cross_attention": ("attention", "AttentionLayer"),
    "latent_attention": ("latent_attention", "LatentAttentionLayer"),
    "mlp": ("mlp", "MLPLayer"),
    "moe": ("moe", "MoELayer"),
    "mamba": ("mamba", "MambaLayer"),
    "mamba2": ("mamba2", "Mamba2Layer"),
    "gated_delta": ("gated_delta", "GatedDeltaLayer"),
    "lightning_attention": ("lightning_attention", "LightningAttentionLayer"),
    "short_convolution": ("short_convolution", "ShortConvolutionLayer"),
    "kimi_delta": ("kimi_delta", "KimiDeltaLayer"),
    "linear_attention": ("linear_attention", "LinearAttentionLayer"),
    "rg_lru": ("rg_lru", "RgLruLayer"),
    "time_mix": ("rwkv", "TimeMixLayer"),
    "channel_mix": ("rwkv", "ChannelMixLayer"),
    "mlstm": ("mlstm", "MLstmLayer"),
    "fourier": ("fourier", "FourierLayer"),
    "grouped_attention": ("grouped", "GroupedAttentionLayer"),
    "grouped_mlp": ("grouped", "GroupedMLPLayer"),
    "landmark_attention": ("landmark_attention", "LandmarkAttentionLayer"),
    "expert_attention": ("expert_attention", "ExpertAttentionLayer"),
    "indexed_attention": ("indexed_attention", "IndexedAttentionLayer"),
    "block_indexed_attention": ("block_indexed_attention", "BlockIndexedAttentionLayer"),
    "merged_attention": ("merged_attention", "MergedAttentionLayer"),
    "convolved_attention": ("convolved_attention", "ConvolvedAttentionLayer"),
    "memory_attention": ("memory_attention", "MemoryAttentionLayer"),
    "disentangled_attention": ("disentangled_attention", "DisentangledAttentionLayer"),
    "mixed_convolution": ("mixed_convolution", "MixedConvolutionLayer"),
    "longformer_attention": ("sparse", "LongformerAttentionLayer"),
    "bigbird_attention": ("sparse", "BigBirdAttentionLayer"),
    "global_local_attention": ("sparse", "GlobalLocalAttentionLayer"),
    "token_filter": ("beside", "TokenFilterLayer"),
    "depth_attention": ("beside", "DepthAttentionLayer"),
    "residual_streams": ("beside", "ResidualStreamsLayer"),
    "ngram_embedding": ("beside", "NgramEmbeddingLayer"),
}
"""Kind of mixer -> (module of `torch_build.mixers`, class). Other kinds are single designs that have no modules here."""

BESIDE = frozenset({"token_filter", "depth_attention", "residual_streams", "ngram_embedding"})
"""Kinds that work on what another mixer computes inside: their products are counted, their result goes nowhere."""

SPARSE = frozenset({"longformer_attention", "bigbird_attention", "global_local_attention"})
"""Kinds whose products are known and not where each pair of them lies."""

STREAMS = ("text", "encoder", "decoder", "image", "audio")
MASKS = ("causal", "bidirectional", "prefix", "sliding", "local", "chunked", "indexed", "cross")


def layer_class(kind: str) -> type[nn.Module]:
    """The module class of a kind of mixer, imported on first use."""
    module, name = KINDS[kind]
    found: type[nn.Module] = getattr(import_module(f"{__package__}.mixers.{module}"), name)
    return found


def unbuilt(a: Architecture) -> list[str]:
    """Kinds of mixers that have no module here."""
    return sorted({mixer.kind for stack in a.stacks for mixer in _mixers(stack) if mixer.kind not in KINDS})


def uncounted(a: Architecture) -> list[str]:
    """What cannot be executed even on `meta`, where only the products count, beside the kinds of `unbuilt`."""
    return list(dict.fromkeys(_uncounted(a)))


def unrunnable(a: Architecture) -> list[str]:
    """Everything that has no forward with numbers: what the tensors are and multiply is known, how the products are used is not."""
    return list(dict.fromkeys([*_uncounted(a), *_unknown(a)]))


def _uncounted(a: Architecture) -> Iterator[str]:
    if a.members and not any(_spoken(m) for m in a.members):
        yield "models inside a model without one that takes tokens"
    for stack in a.stacks:
        if stack.padding is not None and (
            stack.padding.halvings or stack.padding.copies != 1 or stack.padding.every != 1 or stack.padding.fixed is not None
        ):
            yield "a stack that pools or copies its tokens"
        if stack.stream not in STREAMS:
            yield f"the stream {stack.stream!r}"
        for block in stack.blocks:
            if block.stream not in (None, "absent"):
                yield f"a block of the stream {block.stream!r}"
            if block.caches is not None and block.caches != block.uses:
                yield "caches that several uses of a block share"
        for mixer in _mixers(stack):
            mask = getattr(mixer, "mask", None)
            if mixer.kind not in KINDS:
                yield f"mixers of kind {mixer.kind!r}"
            elif mask is not None and mask.kind not in MASKS and mixer.kind not in SPARSE:
                yield f"a {mask.kind} mask"


def _spoken(member: Member) -> bool:
    stream = member.architecture.main.stream
    return member.streams.get(stream, stream) in ("text", "decoder")


def _unknown(a: Architecture) -> Iterator[str]:
    if a.members:
        yield "models inside a model"
    yield from (f"the projection {p.name!r}" for p in a.projections if _acts(p))
    if a.head.width is not None and a.head.width != _table_width(a) and not a.head.transform:
        yield "a head of another width than the hidden state"
    streams = [stack.stream for stack in a.stacks]
    if len(set(streams)) != len(streams):
        yield "several stacks over one stream"
    yield from (f"the stream {stream!r}" for stream in streams if stream in ("image", "audio"))
    for stack in a.stacks:
        yield from _of_stack(stack)


def _table_width(a: Architecture) -> int:
    return a.main.hidden_size if a.embedding is None or a.embedding.width is None else a.embedding.width


def _of_stack(stack: Stack) -> Iterator[str]:
    if stack.fixed_length is not None:
        yield "an encoder of a fixed length"
    if stack.padding is not None:
        yield "a stack that fills up its tokens"
    yield from (f"the projection {p.name!r}" for p in stack.projections if _acts(p))
    for block in stack.blocks:
        yield from (f"the projection {p.name!r}" for p in block.projections if _acts(p))
        for sublayer in block.sublayers:
            yield from (f"the projection {p.name!r}" for p in sublayer.projections if _acts(p))
    for mixer in _mixers(stack):
        if mixer.kind in KINDS:
            yield from _of_mixer(mixer, stack)


def _of_mixer(mixer: Mixer, stack: Stack) -> Iterator[str]:
    if mixer.kind == "disentangled_attention" or mixer.kind in SPARSE or getattr(mixer, "uncounted", False):
        yield f"mixers of kind {mixer.kind!r} with numbers"
    if mixer.kind in BESIDE:
        yield f"mixers of kind {mixer.kind!r}, whose place among the others is not described"
    if mixer.input_size not in (None, stack.hidden_size) or mixer.output_size not in (None, stack.hidden_size):
        yield f"a mixer of kind {mixer.kind!r} that reads or writes another width"
    if getattr(mixer, "passes", 1) != 1:
        yield "attention that computes its scores more than once"
    if getattr(mixer, "value_input_size", None) is not None:
        yield "values read from another width"
    if getattr(mixer, "query_input", None) is not None or getattr(mixer, "query_dim", None) is not None:
        yield "latent attention with queries of another width"
    if mixer.kind == "mamba" and getattr(mixer, "heads", None) is not None:
        yield "a Mamba-1 mixer in slices"
    memory = getattr(mixer, "memory", "encoder")
    if memory in ("image", "audio"):
        yield f"cross attention to the stream {memory!r}"
    router = getattr(mixer, "router", None)
    if router is not None:
        yield from _of_router(router)


def _of_router(router: object) -> Iterator[str]:
    for field, said in (
        ("product_keys", "product keys"),
        ("table_rows", "a table of choices"),
        ("input_size", "a network of its own"),
        ("extra_scores", "scores without experts"),
    ):
        if getattr(router, field):
            yield f"a router with {said}"
    if getattr(router, "norm", None) is not None:
        yield "a router with a norm"


def _acts(projection: Projection) -> bool:
    return projection.multiplies and projection.stream != "absent"


def _mixers(stack: Stack) -> Iterator[Mixer]:
    return (mixer for block in stack.blocks for sublayer in block.sublayers for mixer in sublayer.mixers)
