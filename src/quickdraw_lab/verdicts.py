"""Comparisons paired over fields, and what they say about a claim.

A comparison has a difference for each field, their mean and its 95 % interval, and a range in which the claim says
that the mean lies. The claim holds where the whole interval lies in the range, does not hold where the interval lies
wholly outside, and is open where it straddles an end. A claim of several comparisons holds if all do, and does not if
one does not.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from quickdraw_lab.statistics import mean_interval, share_interval

Verdict = Literal["holds", "does not hold", "open", "not measured"]


@dataclass(frozen=True)
class Comparison:
    """A mean over fields against the range that a claim gives.

    Attributes
    ----------
    what
        What was compared.
    mean, low, high
        The mean and its 95 % interval.
    above, below
        The ends of the range.
    n
        Over how many fields.
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
        """Whether the interval lies in the range. One field alone settles nothing."""
        if self.n < 2:
            return "open"
        if self.low > self.above and self.high < self.below:
            return "holds"
        if self.high <= self.above or self.low >= self.below:
            return "does not hold"
        return "open"

    @property
    def slack(self) -> float:
        """How far inside the range the interval stays; negative where it leaves it."""
        return min(self.low - self.above, self.below - self.high)

    @property
    def claimed(self) -> str:
        """The range in which the claim says that the mean lies."""
        above, below = (f"{end + 0.0:.3g}" for end in (self.above, self.below))  # + 0.0: zero has no sign
        if math.isinf(self.above):
            return f"below {below}"
        return f"above {above}" if math.isinf(self.below) else f"{above} to {below}"

    def __str__(self) -> str:
        return f"{self.what}: {self.mean:.3g} [{self.low:.3g}, {self.high:.3g}], claimed {self.claimed}"


def compare(what: str, values: Sequence[float], above: float = -math.inf, below: float = math.inf) -> Comparison:
    """Return a comparison of differences, one for each field.

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
    """Return a comparison of the share of fields in which something is so, by the exact interval of a share.

    Examples
    --------
    >>> compare_share("a seen", [True, False, False, False], above=0.0).verdict
    'holds'
    """
    share, low, high = share_interval(sum(hits), len(hits))
    return Comparison(what, share, low, high, above, math.inf, len(hits))


def paired(one: Mapping[str, float], other: Mapping[str, float]) -> list[float]:
    """Return one minus other on every field that both have.

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
    """Return the verdict on a claim of several comparisons."""
    verdicts = {comparison.verdict for comparison in comparisons}
    if not verdicts:
        return "not measured"
    if "does not hold" in verdicts:
        return "does not hold"
    return "open" if "open" in verdicts else "holds"
