"""Nemotron 3.5 Transcribe (transformers 5.24, models/nemotron3_5_transcribe): Nemotron-H that hears who speaks and what is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..architecture.blocks import Block, Projection, Stack, Sublayer
from ..architecture.layers import LIMIT, LayerSet
from ..architecture.masks import BIDIRECTIONAL
from ..architecture.mixers.attention import Attention
from ..architecture.mixers.mlp import MLP
from ..architecture.norm import Norm
from ._classes import class_table
from ._read.decoder import quotient
from ._read.encoder_decoder import NORM
from ._read.towers import Layout, language, whole
from ._rows.towers import tower_rows

if TYPE_CHECKING:
    from ..architecture.model import Architecture
    from ..ledger import Row
    from ._read.settings import Settings

MODEL_TYPES = ("nemo_speechlm",)

LAYOUT = Layout(
    {
        "backbone.embeddings": "llm.model.embed_tokens",
        "backbone.norm_f": "llm.model.norm",
        "backbone.": "llm.model.",
        "lm_head": "llm.lm_head",
    },
    {"model.": "model.language_model."},
    "",
)

_APART = ("decay", "skip", "dt_bias")
"""Vectors of Mamba-2 that a checkpoint keeps in a module of their own."""

_ENCODER = {
    "attention.norm": ("norm1", "layer_norm1"),
    "attention.qkv": ("attn.w_qkv", "self_attn.q_proj|self_attn.k_proj|self_attn.v_proj"),
    "attention.output": ("attn.out_proj", "self_attn.o_proj"),
    "attention.query_norm": ("attn.q_norm", "self_attn.q_norm"),
    "attention.key_norm": ("attn.k_norm", "self_attn.k_norm"),
    "feed_forward.norm": ("norm2", "layer_norm2"),
    "mlp.up": ("ffn.net.0", "mlp.fc1"),
    "mlp.down": ("ffn.net.3", "mlp.fc2"),
}

_SPEAKERS = "perception.encoder.diarization_model"
_HEADS = f"{_SPEAKERS}.sortformer_modules"
_MODULE = "model.audio_tower.diarization_model"

_PLACES = {
    "speech": ("perception.encoder.asr_encoder", "model.audio_tower.asr_encoder"),
    "speakers": (f"{_SPEAKERS}.encoder", f"{_MODULE}.model.audio_tower"),
    "words": ("ctc_timestamp.decoder.transformer", "model.word_timestamp_encoder"),
}
"""Stack of the audio model -> its name in a checkpoint and among the modules."""

_PAIRS = {
    **_ENCODER,
    **{f"{stack}:layer": (f"{disk}.layers.{{layer}}.", f"{module}.layers.{{layer}}.") for stack, (disk, module) in _PLACES.items()},
    **{f"{stack}:embedding_norm": (f"{disk}.embed_norm", f"{module}.input_layer_norm") for stack, (disk, module) in _PLACES.items()},
    **{f"{stack}:final_norm": (f"{disk}.final_norm", f"{module}.layer_norm") for stack, (disk, module) in _PLACES.items()},
    **{f"{stack}:stacking": (f"{disk}.pre_encode.proj", f"{module}.embedder.projection") for stack, (disk, module) in _PLACES.items()},
    "speaker_map": (f"{_HEADS}.encoder_proj", f"{_MODULE}.model.proj"),
    "speaker_upsample": (f"{_HEADS}.subpixel_upsample", f"{_MODULE}.model.upsampler.conv"),
    "speaker_dense": (f"{_HEADS}.first_hidden_to_hidden", f"{_MODULE}.classifier.dense"),
    "speaker_scores": (f"{_HEADS}.single_hidden_to_spks", f"{_MODULE}.classifier.out_proj"),
    "silence": (f"{_HEADS}.learnable_sil_emb!", f"{_MODULE}.silence_embeds!"),
    "speech_norm": ("perception.encoder.asr_norm", "model.audio_tower.asr_norm"),
    "speaker_norm": ("perception.encoder.diar_norm", "model.audio_tower.speaker_norm"),
    "word_upsample": ("ctc_timestamp.decoder.upsample", "model.word_timestamp_encoder.upsampler"),
    "word_scores": ("ctc_timestamp.decoder.decoder_layers.0", "word_timestamp_head"),
    "projector": ("perception.proj", "model.multi_modal_projector"),
}


def architecture(c: Settings) -> Architecture:
    """An encoder of speech and one of speakers side by side, a map into the language model; a third encoder and head time the words."""
    text = language(c)
    audio = c.nested("audio_config", class_table("nemotron3_5_transcribe_audio"))
    speech = audio.nested("asr_config", class_table("nemotron3_5_transcribe_asr_audio"))
    speakers = audio.nested("diarization_config", class_table("nemotron3_diarization"))
    heard = speakers.nested("audio_config", class_table("nemotron3_diarization_audio"))
    head = speakers.nested("head_config", class_table("Nemotron3DiarizationHeadConfig"))
    words = c.nested("word_timestamp_config", class_table("nemotron3_5_transcribe_word_timestamp"))
    wide, narrow, count = speech.int("hidden_size"), head.int("hidden_size"), head.int("num_speakers")
    per_head = Norm(kind="layer", eps=1e-5, bias=True, size=quotient(speech, wide, speech.int("num_attention_heads")))
    of_words = words.int("hidden_size")
    timed = Norm(kind="layer", eps=1e-5, bias=True, size=quotient(words, of_words, words.int("num_attention_heads")))
    factor, timing = head.int("subsampling_factor"), words.int("upsampling_factor")
    beside = [
        _map("speaker_map", narrow, heard.int("hidden_size")),
        Projection(name="speaker_upsample", shape=[narrow * factor, narrow, 3], bias=True),
        _map("speaker_dense", narrow, narrow),
        _map("speaker_scores", count, narrow),
        Projection(name="silence", shape=[heard.int("hidden_size")], multiplies=False),
        _norm("speaker_norm", count),
    ]
    timing_maps = [
        Projection(name="word_upsample", shape=[of_words, of_words, timing], bias=True),
        Projection(name="word_scores", shape=[words.int("vocab_size"), of_words, 1], bias=True),
    ]
    towers = [
        encoder("speech", speech, [_stacked(speech), _norm("speech_norm", wide)], per_head),
        encoder("speakers", heard, [_stacked(heard), *beside], None),
        encoder("words", words, timing_maps, timed),
    ]
    into = Projection(name="projector", shape=[text.width, wide], bias=True, stream="audio", component="projector")
    return whole(c, LAYOUT, text, {}, [into], more=towers)


def encoder(name: str, c: Settings, projections: list[Projection], per_head: Norm | None) -> Stack:
    """A column of pre-norm layers between two norms; queries and keys of each head have `per_head` where it is given."""
    hidden, heads = c.int("hidden_size"), c.int("num_attention_heads")
    groups = c.optional_int("num_key_value_heads") or heads
    if groups != heads:
        c.assume("num_key_value_heads", groups, "a class of fewer keys than values cannot hear: counted with as many", estimated=True)
    own = Attention(
        query_heads=heads, kv_heads=heads, head_dim=quotient(c, hidden, heads), packing="qkv", biases=["output"], mask=BIDIRECTIONAL,
        query_norm=per_head, key_norm=per_head, dropout=c.number("attention_dropout") or 0.0,
    )  # fmt: skip
    forward = MLP(
        intermediate_size=c.int("intermediate_size"), activation=c.text("hidden_act") or "gelu", gated=False, bias=True, output_bias=True
    )
    steps = [Sublayer(name="attention", mixers=[own], norm=NORM), Sublayer(name="feed_forward", mixers=[forward], norm=NORM)]
    layers = LayerSet.first(c.int("num_hidden_layers", minimum=0, maximum=LIMIT))
    return Stack(
        name=name, stream="audio", hidden_size=hidden, blocks=[Block(name=name, layers=layers, sublayers=steps)], embedding_norm=NORM,
        final_norm=NORM, projections=projections, component="audio",
    )  # fmt: skip


def _stacked(c: Settings) -> Projection:
    """The map of `subsampling_factor` frames of a spectrogram to one vector."""
    return Projection(name="stacking", shape=[c.int("hidden_size"), c.int("subsampling_factor") * c.int("num_mel_bins")])


def _map(name: str, out: int, into: int) -> Projection:
    return Projection(name=name, shape=[out, into], bias=True)


def _norm(name: str, size: int) -> Projection:
    return Projection(name=name, shape=[size], multiplies=False, bias=True)


def ledger(a: Architecture) -> list[Row]:
    """The rows of a checkpoint as NeMo exports it."""
    rows = tower_rows(a, {key: pair[0] for key, pair in _PAIRS.items()}, module={key: pair[1] for key, pair in _PAIRS.items()}, inside="")
    return [_apart(row) for row in rows]


def _apart(row: Row) -> Row:
    """The same, a vector of Mamba-2 under the module that keeps it in 32 bits."""
    if row.role.component != "ssm" or row.role.part not in _APART:
        return row
    before, _, leaf = row.name.rpartition(".")
    return row._replace(name=f"{before}._fp32_params.{leaf}")
