"""Model folders: side files, settings, checkpoints, and the search for configs."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING

import pytest

from xfcheck.documents.folder import find_configs, open_model
from xfcheck.problems import Usage

if TYPE_CHECKING:
    from pathlib import Path


def test_directory_and_file_see_the_same(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    (tmp_path / "generation_config.json").write_text('{"eos_token_id": 2}')
    (tmp_path / "chat_template.jinja").write_text("{{ messages }}")
    (tmp_path / "xfcheck.yaml").write_text("deploy: {tensor_parallel: 4}\n")
    for path in (tmp_path, f"{tmp_path}/", tmp_path / "config.json"):
        model = open_model(path)
        assert model.config is not None
        assert model.config.data == {"model_type": "llama"}
        assert model.config.path == f"{tmp_path}/config.json"
        side = model.side("generation_config.json")
        assert side is not None
        assert side.data == {"eos_token_id": 2}
        assert model.side("generation_config.json") is side
        template = model.side("chat_template.jinja")
        assert template is not None
        assert (template.format, template.data) == ("text", "{{ messages }}")
        assert model.side("tokenizer.json") is None
        assert model.xfcheck.deploy.tensor_parallel == 4
        assert model.xfcheck_problems == []


def test_relative_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "llama"}')
    (tmp_path / "added_tokens.json").write_text('{"<x>": 5}')
    (tmp_path / "a.safetensors").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    for path in ("config.json", "./config.json", "."):
        model = open_model(path)
        side = model.side("added_tokens.json")
        assert side is not None
        assert side.data == {"<x>": 5}
        assert [name.rpartition("/")[2] for name in model.shards] == ["a.safetensors"]


def test_settings_that_are_absent() -> None:
    model = open_model("/nowhere/config.json")
    assert model.config is not None
    assert model.config.problems[0].message == "no such file"
    assert model.xfcheck.train.loss_mask is None
    assert model.xfcheck.deploy.engine is None
    assert (model.xfcheck_problems, model.shards, model.index) == ([], [], None)


def test_override_and_beside(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "tokenizer_config.json").write_text("{}")
    model = open_model(tmp_path)
    assert model.beside() == ["config.json", "tokenizer_config.json"]
    assert not model.xfcheck.deploy
    model.override("deploy.tensor_parallel=8")
    assert model.beside() == ["config.json", "tokenizer_config.json", "xfcheck.yaml"]
    assert model.xfcheck.deploy
    assert model.xfcheck.deploy.tensor_parallel == 8
    assert not model.xfcheck.train
    (tmp_path / "xfcheck.yaml").write_text("deploy: {batch: 2, tp: 1}")
    model = open_model(tmp_path)
    model.override("deploy.world_size=4")
    assert (model.xfcheck.deploy.batch, model.xfcheck.deploy.world_size) == (2, 4)
    assert [problem.pointer for problem in model.xfcheck_problems] == ["/deploy/tp"]
    with pytest.raises(Usage, match="unknown key"):
        model.override("deploy.tensor_paralel=8")


def test_folder_without_config(tmp_path: Path) -> None:
    assert open_model(tmp_path).config is None


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"model_type": "llama"}')))
    model = open_model("-")
    assert model.config is not None
    assert model.config.data == {"model_type": "llama"}
    assert model.side("tokenizer.json") is None
    assert model.shards == []


@pytest.mark.parametrize(("text", "message"), [("[1]", "this is an array"), ("12", "this is a single value"), ("null", "holds no value")])
def test_a_config_is_an_object(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(text)
    config = open_model(tmp_path).config
    assert config is not None
    assert config.data is None
    assert [message in problem.message for problem in config.problems] == [True]


@pytest.mark.parametrize("name", ["../config.json", "", "a/b", "a\\b"])
def test_side_takes_plain_names_only(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="plain file name"):
        open_model(tmp_path).side(name)


def test_checkpoint_files(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    for name in ("model-00002-of-00002.safetensors", "model-00001-of-00002.safetensors"):
        (tmp_path / name).write_bytes((2).to_bytes(8, "little") + b"{}")
    (tmp_path / "model.safetensors.index.json").write_text('{"weight_map": {"a": "model-00001-of-00002.safetensors"}}')
    (tmp_path / "a.safetensors.index.json").write_text("{}")
    model = open_model(tmp_path)
    assert model.shards == [f"{tmp_path}/model-0000{i}-of-00002.safetensors" for i in (1, 2)]
    assert model.index is not None
    assert model.index.weight_map == {"a": "model-00001-of-00002.safetensors"}
    assert [header.problems for header in model.headers()] == [[], []]


def test_find_configs(tmp_path: Path) -> None:
    llama, stacks = json.dumps({"model_type": "llama"}), "embedding: {}\nstacks: []\nhead: {}\n"
    files = {
        "b/config.json": llama, "a/small.json": llama,
        "a/deep/er/config.json": '{"architectures": ["LlamaForCausalLM"]}', "a/own.yaml": stacks,
        "a/broken/config.json": '{"model_type": "llama",',
        "a/other/config.json": '{"port": 80}', "a/list.json": "[]", "a/notes.txt": llama,
        "a/tokenizer.json": llama, "a/model.safetensors.index.json": llama, "a/words.json": '{"text": "model_type"}',
        "a/xfcheck.yaml": "train: {}",
        ".git/config.json": llama, "node_modules/x/config.json": llama, "venv/config.json": llama,
    }  # fmt: skip
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    found = [path.removeprefix(f"{tmp_path}/") for path in find_configs(tmp_path)]
    assert found == ["a/own.yaml", "a/small.json", "a/broken/config.json", "a/deep/er/config.json", "b/config.json"]


def test_find_configs_nowhere(tmp_path: Path) -> None:
    assert list(find_configs(tmp_path / "none")) == []
