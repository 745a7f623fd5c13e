"""Mixture of experts: chapter question 5."""

from typing import ClassVar, Literal

from ..norm import Norm
from ..part import Mixer, Part
from .mlp import MLP


class Router(Part):
    """How a token finds its experts.

    `scoring`: what turns logits into weights; `normalise` (norm_topk_prob): the chosen weights are made to sum to one; `order`: whether the
    score is taken before the top-k or after it; `scale` multiplies the weights. `bias`: the linear map has a bias; `correction`: a bias
    added for the choice alone, not for the weight, a buffer or a parameter (`buffer` balances without a loss); it is a vector, or
    `correction_rows` of them. `groups` and `groups_per_token`: the choice is limited to the best groups. `group_score_experts`: how many of
    a group's scores sum to the group's (2 in DeepSeek-V3, 1 is the maximum). `zero_experts` are identities without weights. `table_rows`:
    the choice is looked up by token id in a fixed table of that many rows (hash routing), a buffer; the map then only weighs the chosen.
    `input_size`: the width that the map reads, where a network of the router's own comes before it; `extra_scores`: scores that stand for
    no expert. `product_keys`: two maps to the square root of the experts each; an expert is a pair (PEER, arXiv 2407.04153).
    """

    scoring: Literal["softmax", "sigmoid", "sinkhorn", "sqrtsoftplus"] = "softmax"
    normalise: bool = False
    order: Literal["score_then_topk", "topk_then_score"] = "score_then_topk"
    scale: float = 1.0
    bias: bool = False
    correction: Literal["none", "buffer", "parameter"] = "none"
    correction_rows: int | None = None
    groups: int | None = None
    groups_per_token: int | None = None
    group_score_experts: int | None = None
    zero_experts: int = 0
    softcap: float | None = None
    product_keys: bool = False
    norm: Norm | None = None
    table_rows: int | None = None
    input_size: int | None = None
    extra_scores: int = 0


class Balance(Part):
    """What keeps the load even: coefficients of the losses and the step of the bias, null where absent."""

    auxiliary_loss: float | None = None
    z_loss: float | None = None
    bias_update: float | None = None
    sequence_loss: float | None = None


class MoE(Mixer):
    """`experts` MLPs of which `experts_per_token` serve a token, and `shared` ones that serve all.

    `expert` describes one routed expert, `shared` all shared ones as one MLP, `shared_gate` a scalar gate on it. `storage`: one matrix an
    expert in the checkpoint (`separate`) or all of them in one tensor (`stacked`, `transposed` for [experts, in, out], `flattened` for
    gate, up and down apart as [experts * intermediate, hidden], `apart` for the three as [experts, out, in]). `multiplied`: whether the
    reference passes a token through its chosen experts or through all of them. `capacity_factor` null is dropless; `overflow` says what
    becomes of tokens above the capacity.
    """

    component: ClassVar[str] = "experts"
    kind: Literal["moe"] = "moe"
    experts: int
    experts_per_token: int
    expert: MLP
    shared: MLP | None = None
    shared_experts: int = 0
    shared_gate: bool = False
    router: Router = Router()
    balance: Balance = Balance()
    capacity_factor: float | None = None
    overflow: Literal["drop", "reroute", "buffer"] | None = None
    storage: Literal["separate", "stacked", "transposed", "flattened", "apart"] = "separate"
    multiplied: Literal["chosen", "all"] = "chosen"
