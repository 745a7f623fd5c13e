"""Small configs: the same model but for its sizes, and one that transformers builds with as many parameters."""

from __future__ import annotations

import json
import time
import zlib
from pathlib import Path

import pytest
from reference.built import built
from reference.tiny import heads

from xfcheck.documents.folder import open_model
from xfcheck.families._classes import known_types
from xfcheck.ledger import total
from xfcheck.model import load, understand
from xfcheck.problems import Refused
from xfcheck.shrink import shrink, signature

SAMPLES = Path(__file__).parents[1] / "sample_configs"
NAMES = [
    "llama-3-8b",
    "gemma-2-2b",
    "qwen2.5-7b",
    "deepseek-v3",
    "jamba-v0.1",
    "mamba2-130m",
    "mixtral-8x7b-v0.1",
    "t5-base",
    "bert-base-uncased",
    "gpt2",
]


@pytest.mark.parametrize("name", NAMES)
def test_transformers_builds_what_was_shrunk(name: str) -> None:
    model = load(open_model(str(SAMPLES / name)))
    small = shrink(model)
    assert small.parameters < 250_000 < total(model.rows)
    assert signature(small.model) == signature(model)
    data = json.loads(json.dumps(small.data))
    assert data["architectures"] == model.settings.data["architectures"]
    assert built(data).unique == small.parameters


def test_every_kind_of_layer_stays() -> None:
    small = shrink(load(open_model(str(SAMPLES / "jamba-v0.1")))).model.architecture
    kinds = {mixer.kind for block in small.main.blocks for sub in block.sublayers for mixer in sub.mixers}
    assert kinds == {"attention", "mamba", "mlp", "moe"}
    assert small.main.depth == 5  # the first attention layer of a period of 8 is the fifth


def test_a_description_shrinks_too() -> None:
    model = load(open_model(str(SAMPLES / "designs" / "hybrid.yaml")))
    small = shrink(model).model.architecture
    assert [len(b.layers) for b in small.main.blocks] == [1, 1]
    attention = small.main.blocks[1].sublayers[0].mixers[0]
    assert attention.query_heads == 4 * attention.kv_heads  # type: ignore[attr-defined]


def test_groups_shrink_with_their_heads() -> None:
    """24 heads in 8 groups: three heads share what a group reads, in the small model too."""
    config = {"model_type": "mamba2", "architectures": ["Mamba2ForCausalLM"], "hidden_size": 768, "num_heads": 24, "n_groups": 8}
    small = shrink(understand(config, None)).data  # type: ignore[arg-type]
    assert small["num_heads"] == 3 * small["n_groups"] < 24


def test_more_groups_than_heads_are_told_apart() -> None:
    """No model runs so; the small config says the same of itself, and nothing divides by a group of no head."""
    config = {
        "model_type": "mamba2",
        "architectures": ["Mamba2ForCausalLM"],
        "hidden_size": 64,
        "num_heads": 4,
        "head_dim": 32,
        "n_groups": 8,
    }
    small = shrink(understand(config, None)).data  # type: ignore[arg-type]
    assert small["n_groups"] > small["num_heads"]


@pytest.mark.parametrize("model_type", ["dots3_note", "fsmt"])
def test_a_class_without_a_file_shrinks(model_type: str) -> None:
    """Two vocabularies and no one width (FSMT); windows inside an object a layer (dots.note)."""
    model = understand({"model_type": model_type}, None)  # type: ignore[arg-type]
    assert shrink(model).parameters < total(model.rows)


def test_a_pattern_alone_says_the_layers() -> None:
    """Nemotron-H's letters are its layers; the smallest pattern has one of each."""
    config = {"model_type": "nemotron_h", "architectures": ["NemotronHForCausalLM"], "hybrid_override_pattern": "MEMEM*EMEMEM*E"}
    small = shrink(understand(config, None)).data["hybrid_override_pattern"]  # type: ignore[arg-type]
    assert sorted(small) == ["*", "E", "M"]


def test_ids_stay_below_the_vocabulary_beside_them() -> None:
    """Nemotron 3.5 Transcribe times 23,863 word pieces, the last of which is the blank, beside a vocabulary of 131,072."""
    config = {"model_type": "nemo_speechlm", "architectures": ["Nemotron3_5TranscribeForConditionalGeneration"]}
    words = shrink(understand(config, None)).data["word_timestamp_config"]  # type: ignore[arg-type]
    assert 0 <= words["blank_token_id"] < words["vocab_size"] < 23863


def test_a_rotation_keeps_two_channels() -> None:
    """GLM-4-MoE's class turns half of 4096 / 96 = 42 channels: 21, which can shrink, and not to one."""
    small = shrink(understand({"model_type": "glm4_moe", "architectures": ["Glm4MoeForCausalLM"]}, None)).model  # type: ignore[arg-type]
    positions = [getattr(m, "position", None) for b in small.architecture.main.blocks for s in b.sublayers for m in s.mixers]
    assert all(p.width > 1 for p in positions if p is not None)


@pytest.mark.parametrize(
    "sizes",
    [
        {"hidden_size": 10**12, "head_dim": 10**12},
        {"num_hidden_layers": 100_000, "layer_types": ["full_attention", "sliding_attention"] * 50_000, "sliding_window": 16},
    ],
)
def test_sizes_beyond_all_sense_take_no_time(tmp_path: Path, sizes: dict[str, object]) -> None:
    config = {
        "model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 8,
        "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 96, "use_sliding_window": True, **sizes,
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))
    model = load(open_model(str(tmp_path)))
    start = time.process_time()
    assert shrink(model).parameters < total(model.rows)
    assert time.process_time() - start < 5


INDEX = json.loads((Path(__file__).parents[1] / "xfcheck" / "families" / "_index.json").read_text())
TYPES = [t for t in sorted(INDEX) if t in known_types()]
WEAK = ["emu3", "zamba2", "falcon_h1", "roc_bert", "minimax_m3_vl_text", "llava", "qwen2_audio", "qwen3_next", "gemma3", "t5gemma", "luke"]
"""Had large results, or none that transformers builds."""
SAMPLE = sorted({*WEAK, *(t for t in TYPES if zlib.crc32(t.encode()) % 12 == 0)})
LARGEST = 8_000_000
LARGE = {
    "cohere2_vision": "heads of 96 beside heads of 128",
    "colqwen2": "heads of 80 beside heads of 128",
    "dots3_note": "sizes of windowed layers stand in the code of the class",
    "dots3_note_text": "sizes of windowed layers stand in the code of the class",
    "glm4v_moe": "21 channels of a head turn, half of 4096 / 96",
    "qwen2_vl": "heads of 80 beside heads of 128",
    "resnet": "channels of four stages stand in lists",
    "vibevoice_asr": "a tokenizer of 64 channels, and heads of 128 beside it",
}
OTHER = {
    "kosmos_2_text_model": "transformers does not export the class",
    "kosmos_2_5_text_model": "transformers does not export the class",
    "kimi_k25": "heads of 72 become 9 wide, and the writer of checkpoints halves a head",
    "hy_v4_vl": "the class holds the sections of the rotation to the head's width",
    "hy_v4_vl_text": "the class holds the sections of the rotation to the head's width",
    "paddleocr_vl_text": "the one class of this type is counted with a head, and has none",
    "qwen2_5_omni_text": "the one class of this type is counted with a head, and has none",
    "qwen3_omni_moe_text": "the one class of this type is counted with a head, and has none",
    "dots3_note": "the class itself gives layers beyond a depth below its own a config",
    "neomme": "the code of the class turns a quarter of each head, in two axes",
    "reformer": "the class's own defaults are no decoder",
    "step3p5": "transformers has another class under this name than the published one",
    "voxtral_realtime_text": "transformers does not export the class",
}
"""What transformers does not build as described, whatever the sizes."""


def shrunk_and_built(model_type: str) -> None:
    data = {"model_type": model_type, "architectures": [next(iter(heads(model_type)))]}
    try:
        model = understand(data, None)  # type: ignore[arg-type]
    except Refused:
        pytest.skip("the class gives no default for a size")
    small = shrink(model)
    assert signature(small.model, even=False) == signature(model, even=False)
    assert model_type in LARGE or small.parameters < LARGEST
    if model_type not in OTHER:
        assert built(json.loads(json.dumps(small.data))).unique == small.parameters


@pytest.mark.parametrize("model_type", SAMPLE)
def test_the_default_of_a_class_shrinks(model_type: str) -> None:
    shrunk_and_built(model_type)


@pytest.mark.full
@pytest.mark.parametrize("model_type", TYPES)
def test_the_default_of_every_class_shrinks(model_type: str) -> None:
    shrunk_and_built(model_type)
