"""How unevenly a uniform router fills experts: the order statistics of a binomial, in closed form and without a sum over tokens."""

from __future__ import annotations

from math import erf, exp, lgamma, log, log1p, sqrt
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

REACH = 8
"""Standard deviations around the mean that are summed; beyond, all together are below 1e-14."""
EXACT = 1024
"""Up to this many values the binomial is summed term by term; above, a normal distribution stands for it (the error of E[max] is then below
1e-3)."""


class Load(NamedTuple):
    """An expert's tokens where each of `tokens` tokens goes to `chosen` of `experts` at random: Binomial(tokens, chosen / experts)."""

    tokens: int
    chosen: int
    experts: int

    @property
    def mean(self) -> float:
        """Tokens an expert gets on average."""
        return self.tokens * self.chosen / self.experts

    @property
    def deviation(self) -> float:
        """Standard deviation of that."""
        share = self.chosen / self.experts
        return sqrt(self.tokens * share * (1 - share))

    def largest_over_mean(self) -> float:
        """E[max of all experts] / mean: the sum over x of 1 - F(x)^E, experts taken as independent."""
        if self.deviation == 0:
            return 1.0
        low, high = self._range()
        if high - low > EXACT:
            return self._normal_largest() / self.mean
        total, below = float(low), 0.0
        for mass in self._masses(low, high):
            below += mass
            total += 1 - min(1.0, below) ** self.experts
        return total / self.mean

    def dropped(self, capacity: int) -> float:
        """E[(X - capacity)+] / mean: the share of tokens above what an expert takes."""
        low, high = self._range()
        if self.deviation == 0:
            return max(0.0, self.mean - capacity) / self.mean
        if high - low > EXACT:
            z = (capacity - self.mean) / self.deviation
            return self.deviation * (exp(-z * z / 2) / 2.5066282746310002 - z * (1 - erf(z / sqrt(2))) / 2) / self.mean
        return sum((x - capacity) * mass for x, mass in enumerate(self._masses(low, high), low) if x > capacity) / self.mean

    def _range(self) -> tuple[int, int]:
        reach = REACH * self.deviation + REACH
        return max(0, int(self.mean - reach)), min(self.tokens, int(self.mean + reach))

    def _masses(self, low: int, high: int) -> Iterator[float]:
        """P(X = x) for x from low to high."""
        share = self.chosen / self.experts
        start = (
            lgamma(self.tokens + 1)
            - lgamma(low + 1)
            - lgamma(self.tokens - low + 1)
            + low * log(share)
            + (self.tokens - low) * log1p(-share)
        )
        mass = exp(start)
        logarithm = start
        odds = log(share) - log1p(-share)
        for x in range(low, high + 1):
            yield mass
            if x < self.tokens:
                logarithm += log(self.tokens - x) - log(x + 1) + odds
                mass = exp(logarithm)

    def _normal_largest(self, steps: int = 2000) -> float:
        """E[max] of a normal load: the integral of 1 - Phi(z)^E above the mean less that of Phi(z)^E below it."""
        width = 2 * REACH / steps
        above = 0.0
        for i in range(steps):
            z = -REACH + (i + 0.5) * width
            power = ((1 + erf(z / sqrt(2))) / 2) ** self.experts
            above += (1 - power if z > 0 else -power) * width
        return self.mean + self.deviation * above
