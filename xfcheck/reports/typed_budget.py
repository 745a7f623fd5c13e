"""The JSON of `budget` as types, from which its schema is made. Imported for that alone."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from pydantic import ConfigDict
from typing_extensions import TypedDict  # that of typing is not read by Pydantic before Python 3.12

CLOSED = ConfigDict(extra="forbid")
Fidelity = Literal["exact", "estimated"]
Bytes = int | None


class AssumptionObject(TypedDict):
    """A class default or a guess that moved a number: `field` is a pointer into the config, or a dotted key of this report."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    field: str
    value: Any
    why: str


class FidelityObject(TypedDict):
    """What each part is held to."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    parameters: Fidelity
    active: Fidelity
    flops: Fidelity
    cache: Fidelity


class ActiveObject(TypedDict):
    """Parameters that a token meets."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    total: int
    without_input_embedding: int
    without_embeddings: int


class ParametersObject(TypedDict):
    """Unique parameters, tied ones once; `by_component` sums to `total`."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    total: int
    persistent_buffers: int
    not_loaded: int
    active: ActiveObject
    embedding: int
    non_embedding: int
    by_component: dict[str, int]


class PassObject(TypedDict):
    """FLOPs of a pass, 2 a multiply-add; `absorbed_total` where latents can be multiplied without being expanded."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    batch: int
    matmul: int
    attention_full: int
    attention_visible: int
    scan: int
    total_full: int
    total_visible: int
    absorbed_total: NotRequired[int]


class PrefillObject(PassObject):
    """A pass over `tokens` of each sequence."""

    tokens: int


class DecodeObject(PassObject):
    """A pass of one token after `context` others."""

    context: int


class LogitsObject(TypedDict):
    """FLOPs of the head."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    all_positions: int
    last_position: int


class StepObject(TypedDict):
    """FLOPs of a training step a token."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    forward_per_token: int
    backward_per_token: int
    recomputation: Literal["none", "selective", "full"]
    recomputation_per_token: int
    total_per_token: int


class ConventionObject(TypedDict):
    """FLOPs as a publication counts them."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    forward_per_sequence: int
    training_per_sequence: int
    forward_per_token: int
    training_per_token: int
    formula: str
    source: str


class FlopsObject(TypedDict):
    """`decode` null: nothing is kept between passes."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    multiply_add: Literal[2]
    prefill: PrefillObject
    decode: DecodeObject | None
    training_per_token: int | None
    prefill_by_component: dict[str, int]
    logits: LogitsObject
    training: StepObject
    conventions: NotRequired[dict[str, ConventionObject]]


class CacheLayersObject(TypedDict):
    """Layers that keep alike."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    kind: str
    count: int
    tokens: int
    bytes: int


class RankObject(TypedDict):
    """What one rank of several keeps."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    tensor_parallel: int
    bytes: Bytes
    bytes_per_token: Bytes
    constant_bytes: Bytes
    unknown_layout: NotRequired[str]


class CacheObject(TypedDict):
    """`bytes` = constant_bytes + bytes_per_token * context, of the whole batch; null where the engine's layout is not known."""

    engine: Literal["logical", "transformers", "vllm", "llama.cpp"]
    batch: int
    context: int
    dtype: str
    bytes: Bytes
    bytes_per_token: Bytes
    constant_bytes: Bytes
    full_reservation_bytes: Bytes
    layers: list[CacheLayersObject]
    unknown_layout: NotRequired[str]
    per_rank: NotRequired[RankObject]


class StorageObject(TypedDict):
    """The checkpoint on a disk."""

    method: str
    bytes: Bytes
    stored_elements: int | None
    logical_elements: int
    high_precision: list[str]
    head_untied: NotRequired[bool]
    with_draft_layers: NotRequired[bool]
    layout_checked: NotRequired[bool]
    index_bytes: NotRequired[int]
    index_difference: NotRequired[int | None]


class ScoresObject(TypedDict):
    """Scores of the largest layer."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    materialised: int
    tiled: int


class RecomputationObject(TypedDict):
    """Kept activations by what is computed again."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    none: Bytes
    selective: Bytes
    full: Bytes


class TrainingObject(TypedDict):
    """Memory of training on one device."""

    optimizer: str
    trained_parameters: int
    weights_bytes: int
    gradients_bytes: int
    optimizer_bytes: int
    recomputation: Literal["none", "selective", "full"]
    activations_bytes: Bytes
    activations_by_recomputation: RecomputationObject
    total_bytes: Bytes
    adapter: NotRequired[str]
    states_bytes_per_rank: NotRequired[dict[str, int]]


class MemoryObject(TypedDict):
    """Bytes on a device."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    weight_bytes: int
    cache_bytes: Bytes
    logits_bytes: int
    attention_scores_bytes: ScoresObject
    activation_bytes: Bytes
    training: TrainingObject | None


class LoadObject(TypedDict):
    """How a uniform router fills experts."""

    tokens: int
    mean: float
    expected_max_over_mean: float | None
    expected_drop_fraction: float | None
    distinct_experts_in_batch: float | None


class CommunicationObject(TypedDict):
    """Bytes a layer and rank between ranks of experts."""

    expert_parallel: int
    dispatch_bytes_per_rank: int
    combine_bytes_per_rank: int
    deduplicated_dispatch_bytes_per_rank: int


class MoEObject(TypedDict):
    """Experts of a model that has some."""

    experts: int
    experts_per_token: int
    shared_experts: int
    layers: int
    capacity_factor: float | None
    balancing: str | None
    group_limit: dict[str, int] | None
    load: LoadObject
    communication: CommunicationObject


class CrossoversObject(TypedDict):
    """Lengths in tokens at which one cost passes another; null: never."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    attention_passes_rest_tokens: int | None
    linear_attention_cheaper_tokens: int | None
    cache_passes_weights_tokens: int | None


class DeviceObject(TypedDict):
    """Whether it fits, and the bounds of time."""

    id: str
    name: str
    memory_bytes: int
    source: str
    needed_bytes: Bytes
    fits: bool | None
    free_bytes: Bytes
    counted: list[str]
    cache_pool_bytes: NotRequired[Bytes]
    concurrency: NotRequired[float | None]
    longest_context: NotRequired[int | None]
    largest_batch: NotRequired[int | None]
    bounds: NotRequired[dict[str, float | str | None]]


class UtilisationObject(TypedDict):
    """Shares of the peak at a measured rate."""

    tokens_per_second: float
    device: str
    devices: int
    peak_flops: int
    mfu: float
    hfu: float
    by_convention: dict[str, float]


class JudgedObject(TypedDict):
    """The outcome of an assertion."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    assertion: str
    value: Any
    holds: bool
    margin: float | None
    margin_share: float | None


class FormulaObject(TypedDict):
    """A number, how it comes about, its value."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    number: str
    formula: str
    value: str


class BudgetObject(TypedDict):
    """The budget of one path."""

    path: str
    model_type: str
    architecture: str | None
    family: str
    fidelity: Fidelity
    fidelity_by: FidelityObject
    verified_by: dict[str, str]
    assumptions: list[AssumptionObject]
    parameters: ParametersObject
    flops: FlopsObject
    cache: CacheObject
    storage: StorageObject
    memory: MemoryObject
    moe: MoEObject | None
    crossovers: CrossoversObject
    device: NotRequired[DeviceObject]
    utilisation: NotRequired[UtilisationObject]
    formulas: NotRequired[list[FormulaObject]]
    assertions: NotRequired[list[JudgedObject]]


class FaultObject(TypedDict):
    """Why there is no budget."""

    code: str
    message: str
    pointer: NotRequired[str | None]
    help: NotRequired[str | None]


class RefusedObject(TypedDict):
    """A path without a budget."""

    path: str
    error: FaultObject


class BudgetDocument(TypedDict):
    """The whole document."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    schema_version: Literal[1]
    tool_version: str
    results: list[BudgetObject | RefusedObject]
