"""One row of a verification."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Verdict = Literal["agreed", "differs", "not_verified"]


@dataclass(frozen=True, slots=True)
class Check:
    """`check` names what was compared, `expected` is the accountant's number (or the law's bound), `got` what was built or measured.

    `why` says what differs, by how much, or why nothing could be compared; for agreement, what the comparison rests on.
    """

    check: str
    expected: Any
    got: Any
    verdict: Verdict
    why: str = ""

    def row(self) -> dict[str, Any]:
        """The JSON row."""
        return asdict(self)


def compared(check: str, expected: Any, got: Any, why: str = "") -> Check:
    """Agreed where both are equal. The reason is completed by the difference of two numbers."""
    if expected == got:
        return Check(check, expected, got, "agreed", why)
    gap = f"{got - expected:+,}" if isinstance(expected, int) and isinstance(got, int) else ""
    return Check(check, expected, got, "differs", "; ".join(x for x in (gap, why) if x))


def unknown(check: str, why: str, expected: Any = None) -> Check:
    """Not verified, and why."""
    return Check(check, expected, None, "not_verified", why)
