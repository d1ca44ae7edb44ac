"""Comparisons paired over fields, and the verdict on a claim.

A comparison is the mean of one difference per field, its 95 % interval, and the range that the claim gives for it. The
claim holds if the whole interval is inside the range, does not hold if it is entirely outside, and is open otherwise. A
claim with several comparisons holds if all of them hold, and does not hold if one of them does not.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from quickdraw_lab.statistics import mean_interval, share_interval

Verdict = Literal["holds", "does not hold", "open", "not measured"]

RULES = (
    "Each verdict rests on comparisons paired over fields (for F1 over rounds and functions), with 95 % confidence "
    "intervals. A claim holds if every interval lies inside the claimed range, does not hold if one lies entirely "
    "outside, and is open otherwise. “Close” means a difference of less than a tenth of the regret of random choice "
    "under the same setting, “well below” one of more than a tenth. The intervals are not corrected for multiple "
    "comparisons: where the true value is at the end of the range, an interval falls entirely outside by chance once "
    "in forty times, so claims with many comparisons fail more often by chance."
)
"""How verdicts are reached, for readers of the results."""


@dataclass(frozen=True)
class Comparison:
    """A mean over fields and the range that a claim gives for it.

    Attributes
    ----------
    what
        What was compared.
    mean, low, high
        The mean and its 95 % interval.
    above, below
        The ends of the range.
    n
        Number of fields.
    """

    what: str
    mean: float
    low: float
    high: float
    above: float
    below: float
    n: int

    @property
    def verdict(self) -> Verdict:
        """Whether the interval lies in the range. One field alone decides nothing."""
        if self.n < 2:
            return "open"
        if self.low > self.above and self.high < self.below:
            return "holds"
        if self.high <= self.above or self.low >= self.below:
            return "does not hold"
        return "open"

    @property
    def slack(self) -> float:
        """Distance from the interval to the ends of the range; negative if it leaves the range."""
        return min(self.low - self.above, self.below - self.high)

    @property
    def claimed(self) -> str:
        """The range that the claim gives."""
        above, below = (f"{end + 0.0:.3g}" for end in (self.above, self.below))  # + 0.0 turns -0.0 into 0.0
        if math.isinf(self.above):
            return f"below {below}"
        return f"above {above}" if math.isinf(self.below) else f"{above} to {below}"

    def __str__(self) -> str:
        return f"{self.what}: {self.mean:.3g} [{self.low:.3g}, {self.high:.3g}], claimed {self.claimed}"


def compare(what: str, values: Sequence[float], above: float = -math.inf, below: float = math.inf) -> Comparison:
    """Return the comparison of differences, one per field.

    Examples
    --------
    >>> compare("a - b", [-0.3, -0.2, -0.25], below=0.0).verdict
    'holds'
    >>> compare("a - b", [-0.3, 0.2, -0.25], below=0.0).verdict
    'open'
    """
    mean, low, high = mean_interval(values)
    return Comparison(what, mean, low, high, above, below, len(values))


def compare_share(what: str, hits: Sequence[bool], above: float) -> Comparison:
    """Return the comparison of the share of fields with a property, with the exact interval of a share.

    Examples
    --------
    >>> compare_share("a seen", [True, False, False, False], above=0.0).verdict
    'holds'
    """
    share, low, high = share_interval(sum(hits), len(hits))
    return Comparison(what, share, low, high, above, math.inf, len(hits))


def paired(one: Mapping[str, float], other: Mapping[str, float]) -> list[float]:
    """Return the differences on the fields that both have.

    Examples
    --------
    >>> paired({"0": 3.0, "1": 5.0}, {"1": 4.0, "2": 0.0})
    [1.0]
    """
    common = [field for field in one if field in other]
    if not common:
        raise KeyError("no field in common")
    return [one[field] - other[field] for field in common]


def overall(comparisons: Sequence[Comparison]) -> Verdict:
    """Return the verdict on a claim from its comparisons."""
    verdicts = {comparison.verdict for comparison in comparisons}
    if not verdicts:
        return "not measured"
    if "does not hold" in verdicts:
        return "does not hold"
    return "open" if "open" in verdicts else "holds"
