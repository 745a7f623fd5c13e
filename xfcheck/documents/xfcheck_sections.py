"""The sections of `xfcheck.yaml`: one strict model each, and the names known of its open keys.

Every key is optional and None where it is not given. Sizes are tokens, sequences or ranks, whole numbers.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

ENGINES: tuple[str, ...] = (
    "vllm", "vllm-ascend", "vllm-metal", "sglang", "transformers", "llama.cpp", "tensorrt-llm", "tgi", "lmdeploy", "mlx", "ollama",
    "exllamav2", "ktransformers", "megatron", "torchtitan", "logical",
)  # fmt: skip
ATTENTIONS: tuple[str, ...] = (
    "flash", "flash_attention_2", "flash_attention_3", "flash_attention_4", "flashinfer", "flashmla", "sdpa", "eager", "flex",
    "flex_attention", "xformers", "triton", "paged", "aiter", "fa3", "cutlass_mla", "math", "efficient", "cudnn",
)  # fmt: skip
FRAMEWORKS: tuple[str, ...] = (
    "transformers", "trl", "megatron", "torchtitan", "neox", "axolotl", "llama-factory", "torchtune", "ms-swift", "unsloth", "nemo",
    "deepspeed", "fsdp", "nanotron", "litgpt", "maxtext", "verl", "lightning",
)  # fmt: skip

OPEN_NAMES: dict[tuple[str, str], tuple[str, ...]] = {
    ("deploy", "engine"): ENGINES,
    ("deploy", "attention"): ATTENTIONS,
    ("train", "attention"): ATTENTIONS,
    ("train", "framework"): FRAMEWORKS,
}
"""Names known of the open keys; another name is a warning, as there are more tools than any list holds."""

_LONG_DTYPES = {"bfloat16": "bf16", "float16": "fp16", "half": "fp16", "f16": "fp16", "float32": "fp32", "float": "fp32", "f32": "fp32"}


def _short_dtype(value: Any) -> Any:
    return _LONG_DTYPES.get(value, value) if isinstance(value, str) else value


Count = Annotated[int, Field(ge=1)]
Dtype = Annotated[Literal["bf16", "fp16", "fp32", "fp8"], BeforeValidator(_short_dtype)]
CacheDtype = Annotated[
    Literal[
        "auto", "bf16", "fp16", "fp32", "fp8", "fp8_e4m3", "fp8_e5m2", "int8", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl", "nvfp4"
    ],
    BeforeValidator(_short_dtype),
]


class Section(BaseModel):
    """Strict: no key beyond the declared ones, no text for a number, no true for 1."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True, allow_inf_nan=False)

    def __bool__(self) -> bool:
        """Whether any key is given."""
        return bool(self.model_fields_set)


class LossMask(Section):
    """Which positions the loss leaves out: those marked by `by`, with the label `ignore_index`."""

    by: Literal["attention_mask", "pad_id", "labels"] | None = None
    ignore_index: int | None = None
    prompt: Literal["masked", "trained"] | None = None
    template: str | None = None


class AuxLoss(Section):
    """The load-balancing loss of a mixture of experts."""

    coefficient: Annotated[float, Field(ge=0)] | None = None


class Train(Section):
    """How the model is trained. Lengths are tokens, `batch` is sequences a step and rank."""

    sequence_length: Count | None = None
    batch: Count | None = None
    precision: Dtype | None = None
    packing: bool | None = None
    attention: str | None = None
    loss: Literal["causal", "masked", "seq2seq"] | None = None
    loss_mask: LossMask | None = None
    max_prompt_length: Count | None = None
    longest_prompt: Count | None = None
    padding_side: Literal["left", "right"] | None = None
    add_eos: bool | None = None
    optimizer: str | None = None
    gradient_accumulation: Count | None = None
    capacity_factor: Annotated[float, Field(gt=0)] | None = None
    dispatcher: Literal["alltoall", "allgather", "flex"] | None = None
    aux_loss: AuxLoss | None = None
    framework: str | None = None
    transformers: str | None = None


class Deploy(Section):
    """How the model is served. `context_length` is tokens, `batch` sequences (true: batched, size not known), parallel sizes are ranks."""

    context_length: Count | None = None
    batch: Count | bool | None = None
    engine: str | None = None
    attention: str | None = None
    readers: list[str] | None = None
    world_size: Count | None = None
    tensor_parallel: Count | None = None
    expert_parallel: Count | None = None
    pipeline_parallel: Count | None = None
    data_parallel: Count | None = None
    context_parallel: Count | None = None
    cache_dtype: CacheDtype | None = None
    device: str | None = None


class Kernel(Section):
    """One attention call to be judged. Lengths are tokens."""

    backend: str | None = None
    dtype: Dtype | None = None
    is_causal: bool | None = None
    explicit_mask: bool | None = None
    enable_gqa: bool | None = None
    query_length: Count | None = None
    key_length: Count | None = None
    query_heads: Count | None = None
    kv_heads: Count | None = None
    head_dim: Count | None = None


class Settings(Section):
    """A whole `xfcheck.yaml`. A section that is not there is an empty one."""

    train: Train = Train.model_construct()
    deploy: Deploy = Deploy.model_construct()
    kernel: Kernel = Kernel.model_construct()


SECTIONS: dict[tuple[str, ...], type[Section]] = {
    (): Settings,
    ("train",): Train,
    ("deploy",): Deploy,
    ("kernel",): Kernel,
    ("train", "loss_mask"): LossMask,
    ("train", "aux_loss"): AuxLoss,
}
"""The model of each section by its path of keys."""
