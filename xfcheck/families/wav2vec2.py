"""wav2vec 2.0 (arXiv 2006.11477), its Conformer, HuBERT (arXiv 2106.07447), UniSpeech (arXiv 2101.07597) and UniSpeech-SAT (2110.05752)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Projection
from ..architecture.model import Architecture
from ..architecture.vocabulary import Head
from ._read.conformer import PARTS, conformer_layers
from ._read.decoder import dtype
from ._read.head import architecture_name, labels, named_kind
from ._read.wave_encoder import feature_names, plain_layers, sized, wave_encoder
from ._rows.model import model
from ._rows.names import Names

if TYPE_CHECKING:
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("wav2vec2", "wav2vec2-conformer", "hubert", "unispeech", "unispeech-sat")

LAYER = {
    "attention.query": "attention.q_proj",
    "attention.key": "attention.k_proj",
    "attention.value": "attention.v_proj",
    "attention.output": "attention.out_proj",
    "attention.norm": "layer_norm",
    "attention.norm_residual": "layer_norm",
    "feed_forward.norm": "final_layer_norm",
    "feed_forward.norm_residual": "final_layer_norm",
    "mlp.up": "feed_forward.intermediate_dense",
    "mlp.down": "feed_forward.output_dense",
    "adapter.norm": "adapter_layer.norm",
    "adapter.up": "adapter_layer.linear_1",
    "adapter.down": "adapter_layer.linear_2",
}

INSIDE = {
    "masked": "masked_spec_embed!",
    "layer": "encoder.layers.{layer}.",
    "embedding_norm": "encoder.layer_norm",
    "final_norm": "encoder.layer_norm",
    "features_norm": "feature_projection.layer_norm",
    "features_map": "feature_projection.projection",
    "positions": "encoder.pos_conv_embed.conv.parametrizations.weight.original1!",
    "positions_length": "encoder.pos_conv_embed.conv.parametrizations.weight.original0!",
    "positions_bias": "encoder.pos_conv_embed.conv.bias!",
    "positions_norm": "encoder.pos_conv_embed.batch_norm",
    "positions_norm_mean": "encoder.pos_conv_embed.batch_norm.running_mean!",
    "positions_norm_variance": "encoder.pos_conv_embed.batch_norm.running_var!",
    "positions_norm_batches": "encoder.pos_conv_embed.batch_norm.num_batches_tracked!",
    "narrowing": "adapter.proj",
    "narrowing_norm": "adapter.proj_layer_norm",
}
"""Names in the bare model."""

HEADS = {
    "codes": "quantizer.codevectors!",
    "code_scores": "quantizer.weight_proj",
    "hidden_map": "project_hid",
    "code_map": "project_q",
    "phone_scores": "ctc_proj",
    "speaker_map": "speaker_proj",
    "clusters": "label_embeddings_concat!",
    "extract_norm": "layer_norm_for_extract",
    "words": "lm_head",
    "layer_weights": "layer_weights!",
    "class_map": "projector",
    "classifier": "classifier",
    "statistics_map": "feature_extractor",
    "speakers": "objective.weight!",
}


def architecture(c: Settings) -> Architecture:
    """`do_stable_layer_norm` puts the norms before the steps and the stack's last; the vector of what is masked is there if anything is."""
    kind = "" if c.table is None else c.table.model_type
    stable, hubert = kind != "wav2vec2-conformer" and c.flag("do_stable_layer_norm"), kind == "hubert"
    steps = conformer_layers(c) if kind == "wav2vec2-conformer" else plain_layers(c, before=stable)
    stack = wave_encoder(
        c, steps, last_norm=stable or kind == "wav2vec2-conformer", normed_features=not hubert or c.flag("feat_proj_layer_norm"),
        batch_norm=hubert and c.flag("conv_pos_batch_norm"),
    )  # fmt: skip
    beside = [*stack.projections, *adapter(c, stack.hidden_size)]
    if (c.number("mask_time_prob") or 0) > 0 or (c.number("mask_feature_prob") or 0) > 0:
        beside.append(Projection(name="masked", shape=[stack.hidden_size], multiplies=False))
    return Architecture(
        embedding=None,
        stacks=[stack.model_copy(update={"projections": beside})],
        head=Head(kind="none" if named_kind(c) == "base" else "other", stream="encoder"),
        projections=head(c, kind, stack.hidden_size),
        dtype=dtype(c),
        naming=kind,
    )


def adapter(c: Settings, hidden: int) -> list[Projection]:
    """Convolutions behind the layers, each with twice the width for its gate."""
    if not c.flag("add_adapter") or c.table is None or not c.table.declares("add_adapter"):
        return []
    out = c.optional_int("output_hidden_size") or hidden
    maps = [] if out == hidden else [
        Projection(name="narrowing", shape=[out, hidden], bias=True),
        Projection(name="narrowing_norm", shape=[out], multiplies=False, bias=True, component="norm"),
    ]  # fmt: skip
    shape = [2 * out, out, c.int("adapter_kernel_size")]
    count = c.int("num_adapter_layers", minimum=0, maximum=1000)
    return [*maps, *(Projection(name=f"shortening{n}", shape=shape, bias=True, component="convolution") for n in range(count))]


def head(c: Settings, kind: str, hidden: int) -> list[Projection]:
    """What the class of `architectures` has behind the encoder; without one, that of pretraining (HuBERT: none)."""
    named = named_kind(c) or ("base" if kind == "hubert" else "pretraining")
    if architecture_name(c) is not None and named_kind(c) is None:
        c.assume("architectures", architecture_name(c), f"no class of {kind}: counted as it is pretrained", estimated=True)
    if named == "pretraining":
        return pretraining(c, kind, hidden)
    if named == "ctc":
        wide = (c.optional_int("output_hidden_size") or hidden) if c.flag("add_adapter") else hidden
        return [scores("words", c.int("vocab_size"), wide)]
    if named == "base":
        return []
    layers = c.int("num_hidden_layers") + 1
    weights = [Projection(name="layer_weights", shape=[layers], multiplies=False)] if c.flag("use_weighted_layer_sum") else []
    if named == "audio_frame_classification":
        return [*weights, scores("classifier", labels(c), hidden)]
    if named == "audio_classification":
        narrow = c.int("classifier_proj_size")
        return [*weights, scores("class_map", narrow, hidden), scores("classifier", labels(c), narrow, once=True)]
    return [*weights, *x_vector(c, hidden)]


def scores(name: str, rows: int, columns: int, *, once: bool = False) -> Projection:
    """A map of a head, over each vector or once a sequence."""
    return Projection(name=name, shape=[rows, columns], bias=True, component="head", stream="pooled" if once else "encoder")


def pretraining(c: Settings, kind: str, hidden: int) -> list[Projection]:
    """Codes to be told apart, and maps of codes and vectors to one width; UniSpeech also scores phones, UniSpeech-SAT speakers."""
    groups, codes, width = c.int("num_codevector_groups"), c.int("codevector_dim"), c.int("proj_codevector_dim")
    count = groups * c.int("num_codevectors_per_group")
    if codes % groups:
        raise c.refuse("codevector_dim", f"codevector_dim {codes} is not divisible by {groups} groups", code="XF117")
    out = [
        Projection(name="codes", shape=[1, count, codes // groups], multiplies=False, component="head"),
        scores("code_scores", count, hidden if kind == "unispeech-sat" else sized(c, "conv_dim")[-1]),
        scores("code_map", width, codes),
        scores("hidden_map", *((hidden, width) if kind == "unispeech" else (width, hidden))),
    ]
    if kind == "unispeech":
        out.append(scores("phone_scores", c.int("num_ctc_classes"), hidden))
    if kind == "unispeech-sat":
        out.append(scores("speaker_map", codes, hidden))
        out.append(Projection(name="clusters", shape=[c.int("num_clusters"), codes], multiplies=False, component="head"))
        out.append(Projection(name="extract_norm", shape=[hidden], multiplies=False, bias=True, component="norm"))
    return out


def x_vector(c: Settings, hidden: int) -> list[Projection]:
    """Maps over neighbouring vectors, mean and deviation of the last, two maps, a vector for each speaker (Snyder et al. 2018)."""
    sizes, kernels, out = sized(c, "tdnn_dim"), sized(c, "tdnn_kernel"), c.int("xvector_output_dim")
    if len(kernels) < len(sizes):
        raise c.refuse("tdnn_kernel", f"tdnn_kernel has {len(kernels)} entries for {len(sizes)} of tdnn_dim", code="XF114")
    before = [sizes[0], *sizes]
    return [
        scores("class_map", sizes[0], hidden),
        *(scores(f"delays{n}", size, before[n] * kernels[n]) for n, size in enumerate(sizes)),
        scores("statistics_map", out, 2 * sizes[-1], once=True),
        scores("classifier", out, out, once=True),
        Projection(name="speakers", shape=[out, labels(c)], multiplies=False, component="head"),
    ]


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint: the bare model under its type's name."""
    kind = a.naming or "wav2vec2"
    front = kind.replace("-", "_") + "."
    stack = a.stacks[0]
    if any(p.name == "positions_norm" for p in stack.projections):
        inside = {**INSIDE, "positions": "encoder.pos_conv_embed.conv"}
    else:
        inside = dict(INSIDE)
    inside |= feature_names(stack.projections, "feature_extractor.conv_layers")
    inside |= {p.name: f"adapter.layers.{p.name.removeprefix('shortening')}.conv" for p in stack.projections if "shortening" in p.name}
    heads = HEADS | {p.name: f"tdnn.{p.name.removeprefix('delays')}.kernel" for p in a.projections if p.name.startswith("delays")}
    layer = PARTS if kind == "wav2vec2-conformer" else LAYER
    return model(a, Names({**layer, **heads, **{key: front + name for key, name in inside.items()}}, base_prefix=front))
