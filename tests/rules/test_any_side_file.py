"""No rule raises, whatever JSON value lies in the files beside a config, and whatever bytes in a checkpoint."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xfcheck.documents.folder import open_model
from xfcheck.rules._engine import lint
from xfcheck.rules._selection import Selection

CONFIG = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1,
    "intermediate_size": 16, "vocab_size": 8, "pad_token_id": 2,
}  # fmt: skip
KEYS = {
    "generation_config.json": ("eos_token_id", "pad_token_id", "do_sample", "temperature", "num_beams", "num_return_sequences", "top_k"),
    "tokenizer_config.json": (
        "eos_token",
        "pad_token",
        "bos_token",
        "added_tokens_decoder",
        "chat_template",
        "add_bos_token",
        "model_max_length",
    ),
    "tokenizer.json": ("model", "vocab", "added_tokens", "post_processor", "processors", "single", "id", "content"),
    "special_tokens_map.json": ("eos_token", "pad_token", "content"),
    "added_tokens.json": ("<a>", "b/c~"),
    "chat_template.json": ("chat_template", "name", "template"),
    "adapter_config.json": ("target_modules", "layers_to_transform"),
    "hf_quant_config.json": ("quantization", "exclude_modules", "quant_algo"),
    "preprocessor_config.json": ("size", "patch_size", "feature_size", "merge_size"),
    "model.safetensors.index.json": ("weight_map", "metadata", "total_size", "lm_head.weight"),
    "model.safetensors": ("model.embed_tokens.weight", "dtype", "shape", "data_offsets", "lm_head.weight"),
}
ODD = st.sampled_from([10**15, "", "{{ m", "re:[", "*.a", "</s>", "{% generation %}"])
leaf = st.one_of(st.none(), st.booleans(), st.integers(-3, 10), st.floats(), ODD, st.text(max_size=4))


def values(keys: tuple[str, ...]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaf, lambda v: st.one_of(st.lists(v, max_size=3), st.dictionaries(st.sampled_from(keys), v, max_size=4)), max_leaves=8
    )


def file(keys: tuple[str, ...]) -> st.SearchStrategy[Any]:
    return st.one_of(values(keys), st.dictionaries(st.sampled_from(keys), values(keys)))


def of_file(keys: tuple[str, ...]) -> st.SearchStrategy[Any]:
    return st.one_of(values(keys), st.dictionaries(st.sampled_from(keys), values(keys)))


FILES = st.fixed_dictionaries({}, optional={name: of_file(keys) for name, keys in KEYS.items()})


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(FILES)
def test_nothing_crashes(files: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "config.json").write_text(json.dumps(CONFIG))
        for name_, value in files.items():
            text = json.dumps(value).encode()
            (folder / name_).write_bytes(len(text).to_bytes(8, "little") + text if name_.endswith(".safetensors") else text)
        report = lint(open_model(name), Selection(extend=("ALL",)))
        assert not report.crashed, [f for f in report.findings if f.code == "XF900"]
