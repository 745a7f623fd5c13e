"""Training recipes in every dialect, as files.

`cases/TOOL/XFnnn_SEVERITY_words` says that rule at that severity, `clean_words` nothing above info. Comments at the top of the first kind:
`finds:` the pointer of the finding, `write: A => B` what corrects it: with B in A's place the rule says nothing. Every rule has such a
recipe in every dialect, or `cannot_express.json` says why the dialect has no words for the fault.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xfcheck.documents.folder import open_model
from xfcheck.recipes import TOOLS, as_recipe
from xfcheck.rules._engine import lint
from xfcheck.rules._registry import index
from xfcheck.rules._selection import Selection

if TYPE_CHECKING:
    from xfcheck.recipes.recipe import Recipe
    from xfcheck.rules._finding import Finding

CASES = Path(__file__).with_name("cases")
FILES = sorted(CASES.glob("*/*"))
REAL = sorted(Path(__file__).with_name("real").iterdir())
OTHER = sorted(Path(__file__).with_name("other").iterdir())
CLEAN = [f for f in FILES if f.name.startswith("clean_")]
SCRIPTS = [f for f in CLEAN + REAL + OTHER if f.suffix in (".sh", ".py")]
NAMES = {
    "axolotl": "axolotl", "llama_factory": "LLaMA-Factory", "trl": "TRL", "torchtune": "torchtune",
    "ms_swift": "ms-swift", "unsloth": "unsloth",
    "megatron": "Megatron-LM", "megatron_bridge": "Megatron-Bridge", "nemo_aligner": "NeMo-Aligner", "nemo_rl": "NeMo-RL",
}  # fmt: skip
ALL = Selection(extend=("ALL",))
FAULTY = [f for f in FILES if f.name.startswith("XF")]
TABLE = json.loads(Path(__file__).with_name("cannot_express.json").read_text())
NO_TWIN = TABLE["without_twin"]
HEADER = re.compile(r"^# (finds|write):(?: (.*))?\n", re.MULTILINE)


def read(path: Path) -> Recipe:
    recipe: Recipe = as_recipe(open_model(str(path))).recipe  # type: ignore[attr-defined]
    return recipe


def said(path: Path) -> list[Finding]:
    report = lint(open_model(str(path)), ALL)
    assert not report.crashed
    return report.findings


@pytest.mark.parametrize("case", FILES, ids=lambda f: f"{f.parent.name}/{f.name}")
def test_case(case: Path) -> None:
    found = said(case)
    assert read(case).tool == NAMES[case.parent.name]
    assert all(f.line is not None and not f.message.endswith(".") for f in found)
    if case.name.startswith("clean_"):
        assert [(f.code, f.severity, f.message) for f in found if f.severity != "info"] == []
    else:
        code, severity = case.name.split("_")[:2]
        assert (code, severity) in {(f.code, f.severity) for f in found}, [(f.code, f.severity, f.message) for f in found]


def test_every_tool_has_cases_and_a_clean_recipe() -> None:
    assert {f.parent.name for f in FILES} == set(TOOLS)
    assert {f.parent.name for f in FILES if f.name.startswith("clean_")} == set(TOOLS)


def header(case: Path) -> tuple[str, list[tuple[str, str]], str]:
    """(pointer of the finding, [(text, what corrects it)], the recipe below the header)."""
    text = case.read_text()
    found = HEADER.findall(text)
    writes = [tuple(re.split(r" =>(?: |$)", value, maxsplit=1)) for key, value in found if key == "write"]
    return next(value for key, value in found if key == "finds"), writes, HEADER.sub("", text)  # type: ignore[return-value]


def without_twin(case: Path) -> bool:
    code = case.name[:5]
    return code in NO_TWIN or f"{code} {case.parent.name}" in NO_TWIN


@pytest.mark.parametrize("case", FAULTY, ids=lambda f: f"{f.parent.name}/{f.name}")
def test_the_fault_is_found_at_its_key(case: Path) -> None:
    code, severity = case.name.split("_")[:2]
    pointer, _, _ = header(case)
    (found, *_) = [f for f in said(case) if (f.code, f.severity, f.pointer) == (code, severity, pointer)]
    assert found.line is not None
    last = pointer.rpartition("/")[2]
    if last and not last.isdigit():
        text = "\n".join(case.read_text().splitlines()[max(0, found.line - 2) : found.line])
        assert last in text, (last, found.line, text)


@pytest.mark.parametrize("case", [f for f in FAULTY if not without_twin(f)], ids=lambda f: f"{f.parent.name}/{f.name}")
def test_the_corrected_recipe_is_not_said(case: Path, tmp_path: Path) -> None:
    code = case.name[:5]
    _, writes, text = header(case)
    assert writes
    for old, new in writes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    twin = tmp_path / case.name
    twin.write_text(text)
    assert read(twin).tool == NAMES[case.parent.name]
    assert [f.message for f in said(twin) if f.code == code] == []


def test_every_rule_of_recipes_has_a_recipe_in_every_dialect() -> None:
    codes = {code for code, rule in index().items() if "recipe" in rule.needs}
    cases = {(f.name[:5], f.parent.name) for f in FAULTY}
    excused = {(code, tool) for code, tools in TABLE["cannot_express"].items() for tool in tools}
    assert cases | excused == {(code, tool) for code in codes for tool in TOOLS}
    assert cases & excused == set()
    assert all(len(reason) > 20 for tools in TABLE["cannot_express"].values() for reason in tools.values())


@pytest.mark.parametrize("case", REAL, ids=lambda f: f.name)
def test_recipes_as_their_users_write_them(case: Path) -> None:
    """`# warns:` at the top lists the rules above info."""
    tool = next(t for t in sorted(NAMES, key=len, reverse=True) if case.name.startswith(t))
    assert read(case).tool == NAMES[tool]
    assert sorted({f.code for f in said(case) if f.severity != "info"}) == case.read_text().split("\n")[0].split()[2:]
    assert all(f.line is not None for f in said(case))


@pytest.mark.parametrize("case", OTHER, ids=lambda f: f.name)
def test_files_of_other_tools_are_no_recipes(case: Path) -> None:
    assert not hasattr(as_recipe(open_model(str(case))), "recipe")
    if case.suffix in (".py", ".sh"):
        (found,) = said(case)
        assert (found.code, found.message) == ("XF901", "no training recipe is recognised in this script")


# what a recipe is read into: keys and the tool's own defaults
READ: list[tuple[str, dict[str, Any]]] = [
    ("axolotl/clean_flash.yaml", {"sequence_length": 4096, "batch": 1, "gradient_accumulation": 8, "attention": "flash_attention_2"}),
    ("axolotl/XF217_info_default.yaml", {"sequence_length": 512}),
    ("llama_factory/clean_neat.yaml", {"sequence_length": 4096, "packing": True, "attention": "flash_attention_2"}),
    ("llama_factory/XF217_info_default.yaml", {"sequence_length": 2048}),
    ("trl/clean_script.py", {"sequence_length": 4096, "packing": True, "attention": "flash_attention_2", "batch": 2}),
    ("trl/XF217_info_default.yaml", {"sequence_length": 1024}),
    ("torchtune/clean_packed.yaml", {"sequence_length": 4096, "packing": True, "batch": 2}),
    ("ms_swift/clean_lines.sh", {"sequence_length": 8192, "packing": True, "attention": "flash_attention_2"}),
    ("ms_swift/XF224_info_variable.sh", {"sequence_length": 4097}),
    ("unsloth/clean_variable.py", {"sequence_length": 4096}),
    ("megatron/clean_array.sh", {"sequence_length": 4096, "batch": 1}),
    ("megatron/clean_experts.sh", {"aux_loss": {"coefficient": 0.01}, "precision": "bf16"}),
    ("megatron_bridge/clean_packed.yaml", {"sequence_length": 4096, "packing": True, "batch": 1}),
    ("nemo_aligner/clean_packed.yaml", {"sequence_length": 4096, "packing": True, "add_eos": True}),
    ("nemo_rl/clean_packed.yaml", {"sequence_length": 4096, "packing": True, "batch": 1}),
    ("../real/megatron_bridge_override.sh", {"sequence_length": 4096, "packing": True, "batch": 4}),
    ("../real/nemo_aligner_packed.sh", {"sequence_length": 4096, "packing": True, "batch": 2}),
    ("../real/nemo_aligner_run.sh", {"sequence_length": None, "packing": None, "batch": 1}),
    ("../real/nemo_rl_run_packed.sh", {"sequence_length": 8192, "packing": True}),
    ("../real/torchtune_run.sh", {"sequence_length": 8192, "packing": True, "batch": 1, "gradient_accumulation": 4}),
    ("../real/torchtune_concat.yaml", {"sequence_length": 4096, "packing": True, "batch": 2}),
    ("../real/trl_argparse.py", {"sequence_length": None, "packing": True, "batch": 4}),
    ("../real/trl_dataclass.py", {"sequence_length": None, "packing": None}),
    ("../real/trl_parser.py", {"sequence_length": None, "packing": None}),
    ("../real/megatron_llama.sh", {"sequence_length": 8192, "batch": 1, "precision": "bf16"}),
    ("../real/megatron_deepseek.sh", {"sequence_length": 4096, "aux_loss": {"coefficient": 1e-4}}),
    ("../real/unsloth_notebook.py", {"sequence_length": 2048, "packing": False, "batch": 2}),
    ("../real/unsloth_chat.py", {"sequence_length": 2048}),
    ("../real/ms_swift_megatron.sh", {"sequence_length": 8192, "packing": True, "batch": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "wanted"), READ, ids=lambda v: v if isinstance(v, str) else "")
def test_keys_and_defaults(name: str, wanted: dict[str, Any]) -> None:
    train = read(CASES / name).train
    assert {key: train.get(key) for key in wanted} == wanted


def test_a_finding_stands_at_the_recipes_own_key(tmp_path: Path) -> None:
    path = tmp_path / "sft.yaml"
    path.write_text("policy: {model_name: a/b, max_total_sequence_length: 64}\ndata:\n  add_eos: false\n")
    (found,) = [f for f in said(path) if f.code == "XF213"]
    assert (found.file, found.pointer, found.line, found.column) == ("sft.yaml", "/data/add_eos", 3, 12)


def test_flags_of_the_command_line_override_a_recipe(tmp_path: Path) -> None:
    path = tmp_path / "sft.yaml"
    path.write_text("model_name_or_path: a/b\ndataset_name: d\nmax_length: 64\ngradient_accumulation_steps: 4\n")
    folder = open_model(str(path))
    folder.override("train.transformers=4.45")
    assert ("XF209", "warning") in {(f.code, f.severity) for f in lint(folder, ALL).findings}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("config.yaml", "hidden_size: 64\nmodel_type: llama\n"), ("x.yaml", "a: 1\n"), ("x.py", "print('a')\n"), ("x.py", "def broken(:\n"),
        ("x.sh", "ls --all\n"), ("x.json", '{"hidden_size": 64}'), ("x.yaml", "- 1\n- 2\n"), ("x.sh", ""),
    ],
)  # fmt: skip
def test_other_files_are_no_recipes(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert not hasattr(as_recipe(open_model(str(path))), "recipe")


@pytest.mark.parametrize("odd", ["[]", "{}", "null", "-1", "1e400", "'x'", "[null, {a: 1}]", "true", "''", "{true: {a: b}}"])
@pytest.mark.parametrize("case", [f for f in CLEAN + REAL if f.suffix in (".yaml", ".yml")], ids=lambda f: f"{f.parent.name}/{f.name}")
def test_odd_values_raise_nothing(case: Path, odd: str, tmp_path: Path) -> None:
    lines = case.read_text().splitlines()
    for at, line in enumerate(lines):
        key, colon, value = line.rpartition(": ")
        if colon and value:
            path = tmp_path / case.name
            path.write_text("\n".join([*lines[:at], f"{key}: {odd}", *lines[at + 1 :]]) + "\n")
            assert not lint(open_model(str(path)), ALL).crashed


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(data=st.data())
@pytest.mark.parametrize("case", SCRIPTS, ids=lambda f: f"{f.parent.name}/{f.name}")
def test_mangled_scripts_raise_nothing(case: Path, data: st.DataObject, tmp_path: Path) -> None:
    text = case.read_text()
    at = data.draw(st.integers(0, len(text)))
    piece = data.draw(st.sampled_from(["", "'", '"', "(", "--", "$X", "\\\n", "=", " -1 ", "é", "#", "\x00", "None", "[1]"]))
    path = tmp_path / case.name
    path.write_text(text[:at] + piece + text[data.draw(st.integers(at, min(len(text), at + 12))) :])
    assert not lint(open_model(str(path)), ALL).crashed
