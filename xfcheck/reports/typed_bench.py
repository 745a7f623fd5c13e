"""The JSON of `bench` as types, from which its schema is made. Imported for that alone."""

from __future__ import annotations

from typing import Literal, NotRequired

from pydantic import ConfigDict
from typing_extensions import TypedDict  # that of typing is not read by Pydantic before Python 3.12

CLOSED = ConfigDict(extra="forbid")


class CaseObject(TypedDict):
    """Which case a row is of; `window` and `prefix` in tokens, null where the mask has none. `layers` of the config are alike."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    backend: str
    direction: Literal["forward", "backward"]
    phase: str
    mixer: str
    variant: str
    dtype: Literal["float64", "float32", "float16", "bfloat16"]
    batch: int
    query_length: int
    key_length: int
    query_heads: int
    kv_heads: int
    head_dim: int
    value_dim: int
    causal: bool
    mask: str
    window: int | None
    prefix: int | None
    layers: int


class RefusedObject(CaseObject):
    """A case without a figure, and why."""

    max_abs_error: float | None
    why: str


class RowObject(CaseObject):
    """A measurement.

    `spread`: from the 20th to the 80th percentile as a share of the median. `roofline_ms` is what the ceilings predict and
    `roofline_fraction` its share of the median, null where a kernel was faster than ceilings that were measured. `operators`: what torch
    dispatched. `timer`: wall clock, device events or graph replay, and why a small kernel was `not_captured`. `cold`: how inputs were
    kept out of the last cache. `clock_mhz`: before and after, null where unknown.
    """

    median_ms: float
    spread: float
    rounds: int
    flops: int
    bytes: int
    tflops_per_s: float
    gb_per_s: float
    roofline_ms: float
    roofline_fraction: float | None
    binds: Literal["compute", "memory"]
    max_abs_error: float
    operators: list[str]
    timer: Literal["wall clock", "device events", "graph replay"]
    not_captured: str | None
    cold: str
    clock_mhz: list[int | None]


class ClockObject(TypedDict):
    """What told the clocks of rows, or why nothing did."""

    source: str
    why: str | None


class DeviceObject(TypedDict):
    """What measured: a CPU has threads and cores, a GPU a compute capability and a version of CUDA."""

    type: Literal["cpu", "cuda"]
    name: str
    torch: str
    clock: ClockObject
    instructions: NotRequired[str]
    threads: NotRequired[int]
    cores: NotRequired[list[int]]
    compute_capability: NotRequired[str]
    cuda: NotRequired[str | None]


class CeilingsObject(TypedDict):
    """The roofline, and where it is from: the devices table, or measured."""

    flops_per_s: int
    bytes_per_s: int
    source: str


class BackendObject(TypedDict):
    """A kernel that may be there; `compute_capability` that it needs."""

    backend: str
    computes: Literal["attention", "recurrence"]
    available: bool
    why_not: str | None
    compute_capability: str | None


class SupportObject(TypedDict):
    """A feature that a kernel was tried on."""

    backend: str
    feature: str
    works: bool
    max_abs_error: float | None
    why: str | None


class LeftObject(TypedDict):
    """Layers that no kernel here computes."""

    kind: str
    layers: int
    why: str


class BenchObject(TypedDict):
    """What was measured of one config; `support` with `--support` alone."""

    path: str
    model_type: str
    device: DeviceObject
    ceilings: CeilingsObject
    counted: str
    backends: list[BackendObject]
    support: NotRequired[list[SupportObject]]
    rows: list[RowObject]
    refused: list[RefusedObject]
    not_measured: list[LeftObject]
    explained: list[str]
    stopped: Literal["budget", "interrupted"] | None


class ErrorObject(TypedDict):
    """Why a config was not measured."""

    code: str
    message: str
    pointer: str
    help: str | None


class FailedObject(TypedDict):
    """A path that could not be read."""

    path: str
    error: ErrorObject


class BenchDocument(TypedDict):
    """The whole document."""

    schema_version: int
    tool_version: str
    results: list[BenchObject | FailedObject]
