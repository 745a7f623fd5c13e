"""Chat templates of the forms that published models have, written anew: the scan against transformers, which renders them.

Each file begins with a comment that gives the beginning and end tokens and the special tokens of its tokenizer.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from transformers.utils.chat_template_utils import render_jinja_template

from xfcheck.documents.folder import open_model
from xfcheck.readers.chat_template import end_of_answer, marks_generation, writes
from xfcheck.rules._engine import lint

FILES = sorted(Path(__file__).with_name("templates").glob("*.jinja"))
HEAD = re.compile(r"\{#- bos (?P<bos>\S+) eos (?P<eos>\S+) special (?P<special>.*?) -#\}")
QUESTION, ANSWER = "QUESTION", "ANSWER"
NOT_SEEN = frozenset({"macro_of_a_turn"})
"""Whose end stands behind a macro or a choice that the scan does not follow: null, never a wrong token."""
MARKED = frozenset({"chatml_with_marks", "headers_with_marks"})


def facts(file: Path) -> tuple[str, str, str, frozenset[str]]:
    """(template, beginning, end, special tokens)."""
    text = file.read_text(encoding="utf-8")
    head = HEAD.match(text)
    assert head is not None
    return text, head["bos"], head["eos"], frozenset(head["special"].split())


def rendered(file: Path, **more: Any) -> tuple[str, Any]:
    text, bos, eos, _ = facts(file)
    talk = [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": ANSWER}]
    given = {"add_generation_prompt": False, "bos_token": bos, "eos_token": eos, **more}
    out, marks = render_jinja_template([talk], chat_template=text, **given)
    return out[0], marks


def end_by_rendering(file: Path) -> str | None:
    """The first special token after the answer in the rendered conversation."""
    _, _, _, specials = facts(file)
    after = rendered(file)[0].rpartition(ANSWER)[2]
    seen = [(after.find(token), token) for token in specials if token in after]
    return min(seen)[1] if seen else None


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_the_end_of_an_answer(file: Path) -> None:
    text, bos, eos, specials = facts(file)
    known = {"bos_token": bos, "eos_token": eos}
    wanted = None if file.stem in NOT_SEEN else end_by_rendering(file)
    assert end_of_answer(text, known, specials) == wanted
    assert end_of_answer(text, known) in (wanted, None)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_the_beginning_token_is_seen(file: Path) -> None:
    text, bos, _, _ = facts(file)
    started = rendered(file)[0].lstrip().startswith(bos)
    assert not started or writes(text, bos, "bos_token")


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_marks_of_answers(file: Path) -> None:
    text = facts(file)[0]
    assert marks_generation(text) is (file.stem in MARKED)
    if file.stem in MARKED:
        out, marks = rendered(file, return_assistant_tokens_mask=True)
        ((start, end),) = marks[0]
        assert ANSWER in out[start:end]
        assert QUESTION not in out[start:end]


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_no_alarm_where_the_files_agree(file: Path, tmp_path: Path) -> None:
    text, bos, eos, specials = facts(file)
    names = sorted(specials)
    added = {str(100 + i): {"content": token, "special": True} for i, token in enumerate(names)}
    config = {
        "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 160, "max_position_embeddings": 64, "rms_norm_eps": 1e-05,
        "torch_dtype": "bfloat16", "bos_token_id": 100 + names.index(bos), "eos_token_id": 100 + names.index(eos),
        "tie_word_embeddings": False,
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))
    tokenizer = {"bos_token": bos, "eos_token": eos, "added_tokens_decoder": added, "model_max_length": 64}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(tokenizer))
    (tmp_path / "chat_template.jinja").write_text(text, encoding="utf-8")
    (tmp_path / "xfcheck.yaml").write_text("train: {framework: llama-factory, sequence_length: 64, loss_mask: {prompt: masked}}\n")
    report = lint(open_model(str(tmp_path)))
    assert not report.crashed
    assert [(f.code, f.message) for f in report.findings if f.severity != "info"] == []
    # the same files, and an end that stops nothing
    ends = end_by_rendering(file)
    if ends is None or file.stem in NOT_SEEN:
        return
    (tmp_path / "config.json").write_text(json.dumps({**config, "eos_token_id": 3}))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({**tokenizer, "eos_token": "<|other|>"}))
    if "eos_token" not in text:
        assert "XF607" in {f.code for f in lint(open_model(str(tmp_path))).findings}


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
@pytest.mark.parametrize("step", [7, 31, 101])
def test_a_template_cut_anywhere_raises_nothing(file: Path, step: int) -> None:
    text, bos, eos, specials = facts(file)
    for at in range(0, len(text), step):
        for cut in (text[:at], text[at:], text[:at] + "{%" + text[at:], text[:at] + "'" + text[at:]):
            end_of_answer(cut, {"bos_token": bos, "eos_token": eos}, specials)
            marks_generation(cut)


@pytest.mark.parametrize(
    "text",
    [
        "{% set a = a + a + b %}" * 9000 + "{{ a }}" * 9000,
        "{{ m.content }}" + "{% if role == 'user' %}" * 9000,
        "{{ " + "m.content(" * 20000,
        "{% set a = " + "b + " * 40000 + "b %}{{ " + "a + " * 20000 + "a }}",
        "{{ m.get('content' }}" * 5000,
    ],
)
def test_no_form_takes_long(text: str) -> None:
    started = time.process_time()
    end_of_answer(text, {"eos_token": "</s>"}, frozenset({"</s>"}))
    assert time.process_time() - started < 2.0


@pytest.mark.parametrize(
    ("name", "mark", "found"),
    [
        ("headers_with_marks", "<|start_header_id|>assistant<|end_header_id|>", True),
        ("chatml", "<|im_start|>assistant\n", True),
        ("turns", "<start_of_turn>model\n", True),
        ("turns", "<|im_start|>assistant\n", False),
        ("words_of_roles", "ASSISTANT:", True),
        ("words_of_roles", "### Response:", False),
    ],
)
def test_a_mark_that_is_searched_for(name: str, mark: str, found: bool, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "llama", "architectures": ["LlamaForCausalLM"]}))
    text = facts(next(f for f in FILES if f.stem == name))[0]
    (tmp_path / "chat_template.jinja").write_text(text, encoding="utf-8")
    (tmp_path / "xfcheck.yaml").write_text(f"train: {{loss_mask: {{prompt: masked, template: {json.dumps(mark)}}}}}\n")
    assert ("XF206" not in {f.code for f in lint(open_model(str(tmp_path))).findings}) is found
