"""Width of attention heads in classes that never check it against the hidden size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...problems import Refused

if TYPE_CHECKING:
    from .settings import Settings


def head_width(c: Settings, *, null: bool = False) -> int:
    """`head_dim` of the file or the class, declared or not, else hidden_size // num_attention_heads with the rest dropped.

    So the classes divide. `null`: the class takes a null for an absent key. Raises Refused: XF113 for a null elsewhere, XF101 where the
    class declares the key and gives no value, XF102 where the quotient is 0.
    """
    value = c.optional_int("head_dim", minimum=1)
    if value is not None:
        return value
    if not null and c.has("head_dim"):
        raise c.refuse("head_dim", "head_dim is null, and the class multiplies by it", help="a width, or no such key")
    if not null and c.table is not None and c.table.declares("head_dim"):
        return c.int("head_dim")
    hidden, heads = c.int("hidden_size"), c.int("num_attention_heads")
    if hidden < heads:
        raise Refused(f"hidden_size {hidden} leaves nothing to each of {heads} heads", code="XF102", pointer=c.at("num_attention_heads"))
    return hidden // heads


def heads_divide(c: Settings) -> None:
    """Raises Refused XF102 where the class refuses a hidden size that the heads do not divide, whatever the width of a head."""
    hidden, heads = c.int("hidden_size"), c.int("num_attention_heads")
    if hidden % heads:
        raise c.refuse(
            "num_attention_heads",
            f"the class refuses a hidden_size {hidden} that {heads} heads do not divide",
            code="XF102",
            help=f"heads that divide {hidden}",
        )
