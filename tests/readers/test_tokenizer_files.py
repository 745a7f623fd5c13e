"""Tokenizer files and chat templates, read without a library for either."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from xfcheck.documents.folder import open_model
from xfcheck.readers.chat_template import end_of_answer, marks_generation, pieces, template_of, writes
from xfcheck.readers.tokenizer import Tokenizer, tokenizer_of

if TYPE_CHECKING:
    from pathlib import Path


def read(folder: Path, **files: Any) -> Tokenizer:
    (folder / "config.json").write_text("{}")
    for name, value in files.items():
        (folder / f"{name}.json").write_text(json.dumps(value))
    return tokenizer_of(open_model(str(folder)))


def test_ids_lengths_and_roles(tmp_path: Path) -> None:
    whole = {"model": {"vocab": {"a": 0, "b": 1}}, "added_tokens": [{"id": 2, "content": "<s>", "special": True}]}
    config = {"eos_token": {"content": "<e>"}, "pad_token": "b", "added_tokens_decoder": {"3": {"content": "<e>", "special": True}}}
    found = read(tmp_path, tokenizer=whole, tokenizer_config=config, special_tokens_map={"bos_token": "<s>", "eos_token": "x"})
    assert (found.base, found.length, found.highest) == (2, 4, 3)
    assert {role: found.role_id(role) for role in ("bos", "eos", "pad", "unk")} == {"bos": 2, "eos": 3, "pad": 1, "unk": None}
    assert (found.name(1), found.name(3), found.name(9)) == ("b", "<e>", None)
    assert found.special_ids == {2, 3}


def test_added_tokens_alone_give_no_length(tmp_path: Path) -> None:
    found = read(tmp_path, added_tokens={"<x>": 7})
    assert (found.length, found.highest) == (None, 7)


def test_a_tokenizer_of_fifty_megabytes_is_read(tmp_path: Path) -> None:
    size = 260_000
    merges = [f"tok{i:09d} {'x' * 150}" for i in range(size)]
    whole = {"model": {"type": "BPE", "vocab": {f"tok{i:09d}": i for i in range(size)}, "merges": merges}}
    (tmp_path / "tokenizer.json").write_text(json.dumps(whole))
    assert 45_000_000 < (tmp_path / "tokenizer.json").stat().st_size < 64_000_000
    (tmp_path / "config.json").write_text("{}")
    started = time.process_time()
    assert tokenizer_of(open_model(str(tmp_path))).length == size
    assert time.process_time() - started < 15


CHATML = "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>' + '\\n' }}{% endfor %}"
LLAMA2 = (
    "{% for message in messages %}{% if message['role'] == 'user' %}{{ bos_token + '[INST] ' + message['content'] + ' [/INST]' }}"
    "{% elif message['role'] == 'assistant' %}{{ ' ' + message['content'] + ' ' + eos_token }}{% endif %}{% endfor %}"
)
TOOLS = (
    "{%- for message in messages %}{%- if message.role == 'user' %}<u>{{ message.content }}</u>"
    "{%- elif message.role == 'assistant' %}{{- content }}{%- if message.tool_calls %}{{ '<call>' }}{%- endif %}<a_end>"
    "{%- endif %}{%- endfor %}"
)


@pytest.mark.parametrize(
    ("template", "variables", "specials", "token"),
    [
        (CHATML, {}, frozenset(), "<|im_end|>"),
        (CHATML, {}, frozenset(("<|im_end|>", "<|im_start|>")), "<|im_end|>"),
        (LLAMA2, {"eos_token": "</s>"}, frozenset(("<s>", "</s>")), "</s>"),
        (LLAMA2, {}, frozenset(("<s>", "</s>")), None),
        (TOOLS, {}, frozenset(("<a_end>", "</u>")), "<a_end>"),
        ("{{ messages }}", {}, frozenset(), None),
        ("", {}, frozenset(), None),
        ("{% for m in messages %}{{ m.content", {}, frozenset(), None),
    ],
)
def test_the_token_after_an_answer(template: str, variables: dict[str, str], specials: frozenset[str], token: str | None) -> None:
    assert end_of_answer(template, variables, specials) == token


def test_pieces_are_text_values_and_statements() -> None:
    assert [tuple(p) for p in pieces("a{# c #}{%- if x -%}{{ 'q\\n' ~ m['content'] }}b")] == [
        ("text", "a"), ("do", "if x"), ("text", "q\n"), ("value", "m['content']"), ("text", "b"),
    ]  # fmt: skip


def test_marks_and_first_tokens() -> None:
    assert marks_generation("{%- generation -%}x{%- endgeneration %}")
    assert not marks_generation("{% if add_generation_prompt %}{{ 'generation' }}{% endif %}")
    assert writes("{{ bos_token }}x", None, "bos_token")
    assert writes("<s>x", "<s>", "bos_token")
    assert not writes("{# bos_token #}x", "<s>", "bos_token")


def test_the_template_that_applies(tmp_path: Path) -> None:
    def found() -> tuple[str, str, str] | None:
        template = template_of(open_model(str(tmp_path)))
        return None if template is None else tuple(template)  # type: ignore[return-value]

    (tmp_path / "config.json").write_text("{}")
    assert found() is None
    several = [{"name": "rag", "template": "r"}, {"name": "default", "template": "d"}]
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": several}))
    assert found() == ("d", "tokenizer_config.json", "/chat_template/1/template")
    (tmp_path / "chat_template.json").write_text(json.dumps({"chat_template": "j"}))
    assert found() == ("j", "chat_template.json", "/chat_template")
    (tmp_path / "chat_template.jinja").write_text("x")
    assert found() == ("x", "chat_template.jinja", "")


def test_no_template_takes_long() -> None:
    started = time.process_time()
    for text in (
        "{{" * 20_000,
        "{%" * 20_000 + "%}",
        "{{ '" + "\\" * 20_000,
        "{{ a" + "['b" * 20_000,
        "{#" * 20_000,
        "{{ m.content }}" * 3_000,
    ):
        end_of_answer(text, {})
    assert time.process_time() - started < 10
