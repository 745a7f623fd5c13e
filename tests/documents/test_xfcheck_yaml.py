"""xfcheck.yaml: what is read, what is refused, and overrides."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as run
from hypothesis import strategies as st

from xfcheck.documents.document import Document
from xfcheck.documents.read import read_document
from xfcheck.documents.xfcheck_sections import SECTIONS
from xfcheck.documents.xfcheck_yaml import Settings, load, override

if TYPE_CHECKING:
    from xfcheck.documents.document import Problem

NAMES = sorted({name for model in SECTIONS.values() for name in model.model_fields})
KEYS = st.sampled_from(NAMES) | st.text(max_size=5)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["flash", "labels", "bf16"])
ANYTHING = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12)

EVERYTHING = """\
train: {sequence_length: 4096, batch: 8, precision: bfloat16, packing: false, attention: flash, loss: causal,
        loss_mask: {by: attention_mask, ignore_index: -100, prompt: masked, template: "x"}, max_prompt_length: 2048, longest_prompt: 1800,
        padding_side: right, add_eos: true, optimizer: adamw, gradient_accumulation: 1, capacity_factor: null, dispatcher: alltoall,
        aux_loss: {coefficient: 0.001}, framework: megatron,
        transformers: "5.24"}
deploy: {context_length: 32768, batch: 16, engine: vllm, attention: flashinfer, readers: ["transformers>=4.43"],
         world_size: 8, tensor_parallel: 8, expert_parallel: 1, pipeline_parallel: 1, data_parallel: 1, context_parallel: 1,
         cache_dtype: fp8, device: h100-sxm}
kernel: {backend: sdpa, dtype: bf16, is_causal: true, explicit_mask: false, enable_gqa: true, query_length: 2, key_length: 5}
"""


def read(text: str) -> tuple[Settings, list[Problem]]:
    return load(read_document("xfcheck.yaml", text=text))


def test_everything_of_the_documentation_is_read() -> None:
    settings, problems = read(EVERYTHING)
    assert problems == []
    assert settings.train.sequence_length == 4096
    assert settings.train.precision == "bf16"
    assert settings.train.loss_mask is not None
    assert settings.train.loss_mask.ignore_index == -100
    assert settings.train.capacity_factor is None
    assert settings.train.aux_loss is not None
    assert settings.train.aux_loss.coefficient == 0.001
    assert settings.deploy.readers == ["transformers>=4.43"]
    assert settings.deploy.cache_dtype == "fp8"
    assert settings.kernel.key_length == 5


@pytest.mark.parametrize("text", ["", "# nothing\n", "train:\n", "{}", "deploy: {}\ntrain: null\n"])
def test_nothing_is_all_right(text: str) -> None:
    settings, problems = read(text)
    assert problems == []
    assert settings.train.batch is None
    assert settings.deploy.engine is None


BAD = {
    "unknown key": (
        "deploy:\n  tensor_paralel: 8\n  batch: 4\n",
        "unknown key deploy.tensor_paralel",
        "did you mean deploy.tensor_parallel?",
        (2, 3),
        "error",
    ),
    "unknown section": ("deplyo: {}\n", "unknown key deplyo", "did you mean deploy?", (1, 1), "error"),
    "key of another section": ("deploy: {packing: true}\n", "unknown key deploy.packing", "it belongs to train", (1, 10), "error"),
    "nested key": (
        "train: {loss_mask: {bye: labels}}\n",
        "unknown key train.loss_mask.bye",
        "did you mean train.loss_mask.by?",
        (1, 21),
        "error",
    ),
    "text for a number": (
        'deploy: {context_length: "32k"}\n',
        "deploy.context_length: input should be a valid integer",
        None,
        (1, 26),
        "error",
    ),
    "true for a number": (
        "train: {sequence_length: true}\n",
        "train.sequence_length: input should be a valid integer",
        None,
        (1, 26),
        "error",
    ),
    "zero": ("deploy: {world_size: 0}\n", "deploy.world_size: input should be greater than or equal to 1", None, (1, 22), "error"),
    "wrong name": (
        "train: {loss: causl}\n",
        'train.loss: "causl" is none of its values',
        "one of 'causal', 'masked' or 'seq2seq'",
        (1, 15),
        "error",
    ),
    "version as a number": (
        "train: {transformers: 5.24}\n",
        "train.transformers: input should be a valid string",
        "put it in quotes",
        (1, 23),
        "error",
    ),
    "section as a value": ("train: 5\n", "train is a section, not a value", None, (1, 8), "error"),
    "element of a list": ("deploy: {readers: [1]}\n", "deploy.readers", None, (1, 20), "error"),
    "union": ("deploy: {batch: many}\n", "deploy.batch: input should be a valid integer", None, (1, 17), "error"),
    "unknown engine": (
        "deploy: {engine: vlm}\n",
        "deploy.engine: 'vlm' is no name known here; the nearest known one is vllm",
        None,
        (1, 18),
        "warning",
    ),
    "unknown attention": ("train: {attention: my-own}\n", "train.attention: 'my-own' is no name known here", None, (1, 20), "warning"),
    "a list": ("- 1\n", "holds sections", None, (1, 1), "error"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_keys_are_placed_and_the_rest_counts(name: str) -> None:
    text, message, advice, place, severity = BAD[name]
    settings, problems = read(text)
    assert len(problems) == 1, problems
    problem = problems[0]
    assert message in problem.message
    assert (problem.line, problem.column) == place
    assert (problem.severity, problem.code) == (severity, "XF905")
    assert (problem.help is None) if advice is None else (problem.help is not None and advice in problem.help)
    assert settings.deploy.batch == (4 if "batch: 4" in text else None)


def test_several_faults_at_once() -> None:
    settings, problems = read("train:\n  bach: 1\n  packing: maybe\ndeploy:\n  engine: vllm\n  tp: 4\n")
    assert [problem.pointer for problem in problems] == ["/train/bach", "/train/packing", "/deploy/tp"]
    assert settings.deploy.engine == "vllm"
    assert settings.train.packing is None


def test_override() -> None:
    settings = override(Settings(), "deploy.tensor_parallel=8")
    settings = override(settings, "train.transformers=5.24")
    settings = override(settings, 'deploy.readers=["vllm"]')
    settings = override(settings, "train.loss_mask.by=labels")
    settings = override(settings, "train.packing = true")
    assert settings.deploy.tensor_parallel == 8
    assert settings.train.transformers == "5.24"
    assert settings.deploy.readers == ["vllm"]
    assert settings.train.loss_mask is not None
    assert settings.train.loss_mask.by == "labels"
    assert settings.train.packing is True
    assert override(settings, "deploy.tensor_parallel=null").deploy.tensor_parallel is None


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("deploy.tensor_parallel", "section.key=value"), ("batch=4", "section.key=value"), ("deploy.tp=x", "unknown key deploy.tp"),
        ("deploy.world_size=many", "valid integer"), ("deploy.readers=[1", "no JSON"), ("deploy.world_size=" + "9" * 500, "500"),
        ("deploy.batch.x=1", "deploy.batch"),
    ],
)  # fmt: skip
def test_override_refuses(assignment: str, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace(".", r"\.")):
        override(Settings(), assignment)


def test_override_of_absent_settings() -> None:
    from xfcheck.documents.folder import open_model

    assert override(open_model("/nowhere/config.json").xfcheck, "deploy.batch=2").deploy.batch == 2


def test_schema_can_be_generated() -> None:
    schema = Settings.model_json_schema()
    assert schema["additionalProperties"] is False
    assert "tensor_parallel" in schema["$defs"]["Deploy"]["properties"]


@run(suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(["train", "deploy", "kernel", "x"]), st.dictionaries(KEYS, ANYTHING, max_size=5) | ANYTHING))
def test_any_value_gives_settings_and_the_good_part_stays_good(data: dict[str, object]) -> None:
    settings, problems = load(Document("xfcheck.yaml", "yaml", "", data))
    assert all(problem.code == "XF905" for problem in problems)
    again, problems = load(Document("xfcheck.yaml", "yaml", "", settings.model_dump(exclude_unset=True)))
    assert again == settings
    assert all(problem.severity == "warning" for problem in problems)


def test_many_unknown_keys_end_soon() -> None:
    start = time.process_time()
    _, problems = load(Document("xfcheck.yaml", "yaml", "", {"train": {f"key{i}": i for i in range(50_000)}}))
    assert len(problems) == 100
    assert time.process_time() - start < 2
