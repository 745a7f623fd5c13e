"""State-space mixers from the keys that hybrid models share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...architecture.mixers.mamba import Mamba
from ...architecture.mixers.mamba2 import Mamba2

if TYPE_CHECKING:
    from ...architecture.norm import Norm
    from .settings import Settings


def rank(c: Settings, key: str, hidden: int) -> int:
    """The rank of the step projection; `auto` is a sixteenth of the width, rounded up."""
    return -(-hidden // 16) if c.raw(key) == "auto" else c.int(key)


def expanded(c: Settings, key: str, hidden: int) -> int:
    """The width of the recurrence as a whole multiple of the residual stream's: `int(expand * hidden)`."""
    factor = c.number(key, noted=True)
    return int((2 if factor is None else factor) * hidden)


def mamba1(c: Settings, hidden: int) -> Mamba:
    """Mamba-1 from the keys of `mamba` and `falcon_mamba`; an `intermediate_size` in the file beats `expand`, as it is set last."""
    inner = c.optional_int("intermediate_size", minimum=1)
    return Mamba(
        inner_size=expanded(c, "expand", hidden) if inner is None else inner,
        state_size=c.int("state_size"),
        kernel=c.int("conv_kernel"),
        rank=rank(c, "time_step_rank", hidden),
        conv_bias=c.flag("use_conv_bias", True),
        bias=c.flag("use_bias"),
        activation=c.text("hidden_act") or "silu",
    )


def mamba2(c: Settings, inner: int, gated_norm: Norm | None, *, output_bias: bool | None = None) -> Mamba2:
    """Mamba-2 of width `inner` from keys that begin with `mamba_`. Raises Refused XF102 where the heads do not make up that width."""
    heads = c.int("mamba_n_heads")
    width = inner // heads if c.raw("mamba_d_head") == "auto" else c.int("mamba_d_head")
    if heads * width != inner:
        raise c.refuse(
            "mamba_n_heads", f"mamba_n_heads {heads} x mamba_d_head {width} is not the width {inner} of the state space", code="XF102"
        )
    return Mamba2(
        heads=heads, head_dim=width, state_size=c.int("mamba_d_state"), groups=c.int("mamba_n_groups"), kernel=c.int("mamba_d_conv"),
        chunk=c.int("mamba_chunk_size"), conv_bias=c.flag("mamba_conv_bias", True), bias=c.flag("mamba_proj_bias"), output_bias=output_bias,
        gated_norm=gated_norm, activation=c.text("hidden_act") or "silu",
    )  # fmt: skip
