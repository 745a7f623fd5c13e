"""Memory of training: weights, gradients, optimizer states, and how ZeRO and Megatron-LM divide them."""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ..ledger import modules
from .dtypes import WIDTHS, size
from .saved import kept
from .saved.assumptions import notes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..documents.folder import ModelFolder
    from ..ledger import Row
    from ..model import Model
    from .run import Run

OPTIMIZERS = ("adamw", "adamw8bit", "adafactor", "muon", "sgd", "sgd_momentum")
MASTER = 4
"""Bytes of the 32-bit master copy that 16-bit training keeps of a weight (Micikevicius et al. 2018, arXiv 1710.03740)."""
SMALLEST_8BIT = 4096
"""Tensors of fewer elements keep 32-bit states (bitsandbytes, `min_8bit_size`)."""
BLOCK_8BIT = 256
"""Elements that share a 32-bit scale in block-wise 8-bit states (Dettmers et al. 2022, arXiv 2110.02861; bitsandbytes)."""


class States(NamedTuple):
    """Bytes of what an optimizer works on."""

    weights: int
    gradients: int
    optimizer: int


def training(
    model: Model, run: Run, *, dtype: str, optimizer: str, recompute: str, weight_bytes: int
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The `memory.training` object and the assumptions of its activations.

    With an adapter beside the config its tensors alone are trained, and the base stays as it is stored.

    `activations_bytes` is of the chosen recomputation, `activations_by_recomputation` of all three; null where a kind of mixer is not
    known.
    """
    from .adapters import ALL, FILE, adapter, adapter_rows, fused

    found = adapter(model.folder)
    rows = trained = modules(model.rows)
    if found is not None:
        trained = adapter_rows(found, rows, model.rows)
        if any(fused(row) for row in model.rows) and (found.targets == ALL or any("{expert}" in row.name for row in trained)):
            which = "no expert" if found.targets == ALL else "one pair an expert, as with transformers 4"
            why = f"experts lie in one tensor, of which PEFT's releases make different things; counted: {which}"
            model.settings.assume(f"{FILE}/target_modules", found.targets if isinstance(found.targets, str) else list(found.targets), why)
    states = count(trained, dtype, optimizer)
    base = 0 if found is None else weight_bytes
    saved = kept(model.architecture, dtype, run)
    activations = saved.by()[recompute]
    out: dict[str, Any] = {
        "optimizer": optimizer, "trained_parameters": sum(row.elements for row in trained if row.counted),
        "weights_bytes": base + states.weights,
        "gradients_bytes": states.gradients, "optimizer_bytes": states.optimizer, "recomputation": recompute,
        "activations_bytes": activations,
        "activations_by_recomputation": saved.by(),
        "total_bytes": None if activations is None else base + sum(states) + activations,
    }  # fmt: skip
    if found is not None:
        out["adapter"] = found.name
    folder = cast("ModelFolder | None", model.folder)
    ranks = None if folder is None else folder.xfcheck.deploy.data_parallel
    if ranks and found is None:
        out["states_bytes_per_rank"] = {
            "ranks": ranks,
            **{name: int(value) for name, value in sharded(out["trained_parameters"], ranks).items()},
        }
    return out, list(notes(model, saved, dtype, recompute, adapter=found is not None))


def count(rows: Sequence[Row], dtype: str, optimizer: str) -> States:
    """Bytes of weights, gradients and states of every trained tensor.

    16-bit weights have 16-bit gradients and a 32-bit master copy, which is counted with the optimizer's states; 32-bit weights have no
    copy. `adamw`: two 32-bit moments. `adamw8bit`: two 8-bit ones with a 32-bit scale every 256. `adafactor`: a row and a column of second
    moments a matrix (Shazeer and Stern 2018, arXiv 1804.04235), whole for vectors. `muon`: one 32-bit momentum of the blocks' matrices,
    AdamW for all else (Jordan et al. 2024). `sgd`: nothing.
    """
    own = [row for row in rows if row.counted]
    elements = sum(row.elements for row in own)
    master = 0 if WIDTHS[dtype] >= MASTER else MASTER * elements
    weights = sum(size(row.elements, row.dtype or dtype) for row in own)
    return States(weights, size(elements, dtype), master + sum(row.tensors * _state(row, optimizer) for row in own))


def _state(row: Row, optimizer: str) -> int:
    """State bytes of one tensor."""
    elements = prod(row.shape)
    if optimizer == "adamw8bit" and elements >= SMALLEST_8BIT:
        return 2 * (elements + -(-elements // BLOCK_8BIT) * 4)
    if optimizer == "adafactor":
        if len(row.shape) < 2:
            return 4 * elements
        return 4 * (elements // row.shape[-1] + elements // row.shape[-2])
    if optimizer == "muon" and row.role.multiplies and row.layers is not None and len(row.shape) >= 2:
        return 4 * elements
    return {"sgd": 0, "sgd_momentum": 4}.get(optimizer, 8) * elements


def sharded(parameters: int, ranks: int) -> dict[str, Fraction]:
    """Model states a rank in bytes, mixed precision with Adam: 16 a parameter, divided as each method divides them.

    `zero1`: 4 P + 12 P / N, `zero2`: 2 P + 14 P / N, `zero3`: 16 P / N (Rajbhandari et al. 2020, arXiv 1910.02054, section 5). `megatron`:
    18 P with 32-bit gradients, `megatron_distributed`: 6 P + 12 P / N (Megatron-LM, distributed optimizer).
    """
    p, n = Fraction(parameters), ranks
    return {
        "zero1": 4 * p + 12 * p / n, "zero2": 2 * p + 14 * p / n, "zero3": 16 * p / n, "megatron": 18 * p,
        "megatron_distributed": 6 * p + 12 * p / n,
    }  # fmt: skip


def gpt_layer(
    *, length: int, batch: int, hidden: int, heads: int, recompute: str = "none", ranks: int = 1, sequence_parallel: bool = False
) -> Fraction:
    """Bytes one GPT layer saves in 16 bits with dropout (arXiv 2205.05198, table 2).

    s b h (34 + 5 a s / h) and its divisions.

    `selective` leaves out the score term, `full` keeps 2 s b h. `ranks`: tensor parallel ranks.
    """
    sbh = length * batch * hidden
    if recompute == "full":
        return Fraction(2 * sbh)
    score = Fraction(5 * heads * length, hidden * ranks) if recompute == "none" else Fraction(0)
    rest = Fraction(34, ranks) if sequence_parallel else 10 + Fraction(24, ranks)
    return sbh * (rest + score)
