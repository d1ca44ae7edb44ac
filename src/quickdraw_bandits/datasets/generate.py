"""Logs of any size with known truth, for checking estimators and protocols."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import (
    Floats,
    Integers,
    Seed,
    fraction,
    generator,
    integer,
    number,
    numbers_array,
    positive,
)
from quickdraw_bandits.datasets.log import Log
from quickdraw_bandits.datasets.open_bandit import open_bandit

BURSTS = 7
"""Number of bursts of clicks over the log: one a day if the log spans a week, as the public sample does."""


@dataclass(frozen=True, eq=False)
class ClickRates:
    """The true click rate of every arm for every group at every time.

    For group g, arm x and time t in [0, 1], with mean rate ``level``, of which ``share`` is in the bump::

        rate  = level · (1 - share + share · bump · burst)
        bump  = b / (mean of b over the arms),   b = exp(-(x - centre)² / (2 width²))
        centre = 0.8 sin(2π (speed_g t + phase_g))        the best arm drifts
        burst  = (1 + cos(2π (7 t + offset_g)))² / 1.5    clicks cluster in time; its mean over time is 1

    Averaged over arms and time, the rate is ``level``.
    """

    points: Floats
    level: float
    share: float
    width: float
    speed: Floats
    phase: Floats
    offset: Floats

    def __call__(self, group: Integers, time: Floats) -> Floats:
        """Return the rates of all arms, one row for each pair of ``group`` and ``time``."""
        centre = 0.8 * np.sin(2 * np.pi * (self.speed[group] * time + self.phase[group]))
        burst = (1 + np.cos(2 * np.pi * (BURSTS * time + self.offset[group]))) ** 2 / 1.5
        bump = np.exp(-((self.points - centre[:, None]) ** 2) / (2 * self.width**2))
        bump /= bump.mean(axis=1, keepdims=True)
        rates: Floats = self.level * (1 - self.share + self.share * burst[:, None] * bump)
        return rates


def generate_log(
    n_events: int = 10_000,
    n_arms: int = 46,
    *,
    level: float = 0.0046,
    share: float = 0.8,
    width: float = 0.1,
    skew: float = 1.0,
    group_sizes: Sequence[float] | None = None,
    seed: Seed = None,
) -> tuple[Log, ClickRates]:
    """Return a random log of clicks and the true click rates.

    Times are uniform on [0, 1], groups are drawn by size, arms by the logging policy, clicks by ``ClickRates``.

    Parameters
    ----------
    n_events
        Number of events; default 10,000. The full campaign of the paper has 864,585.
    n_arms
        Number of arms, evenly spaced on [-1, 1]; default 46, as in the public sample.
    level
        Click rate of uniformly random choices; default 0.0046, as in the public sample. No single rate may exceed 1.
    share
        Part of the clicks in the drifting bump, from 0 to 1; default 0.8. A larger value makes arms differ more; with
        0 all are alike.
    width
        Standard deviation of the bump along the line of arms; default 0.1. A larger value makes more arms good.
    skew
        Ratio of the logging policy's largest to its smallest probability; default 1, which is uniform. A larger value
        makes evaluation harder. Which arms are preferred is random.
    group_sizes
        Relative sizes of the groups; by default those of the public sample.
    seed
        An integer or a ``numpy.random.Generator``.

    Examples
    --------
    >>> log, rates = generate_log(1000, level=0.02, seed=0)
    >>> log
    Log(1,000 events, 46 arms, 205 groups, mean reward 0.025)
    >>> rates(log.group[:2], log.time[:2]).shape
    (2, 46)
    """
    n_events = integer("n_events", n_events, at_least=1)
    arms = Arms.grid(-1, 1, integer("n_arms", n_arms, at_least=2))
    if number("skew", skew) < 1:
        raise ValueError(f"skew must be at least 1, got {skew!r}")
    if group_sizes is None:
        sizes = np.bincount(open_bandit().group).astype(np.float64)
    else:
        sizes = numbers_array("group_sizes", group_sizes)
    if len(sizes) == 0 or not (sizes > 0).all():
        raise ValueError(f"group_sizes must hold at least one size, each above 0, got {group_sizes!r}")
    random = generator(seed)
    rates = ClickRates(
        points=arms.points[:, 0].astype(np.float64),
        level=positive("level", level),
        share=fraction("share", share),
        width=positive("width", width),
        speed=random.uniform(0.5, 2.0, len(sizes)),
        phase=random.uniform(0, 1, len(sizes)),
        offset=random.uniform(0, 1, len(sizes)),
    )
    popularity = skew ** -np.linspace(0, 1, n_arms)
    logging = random.permutation(popularity / popularity.sum())
    time = np.sort(random.uniform(0, 1, n_events))
    group = random.choice(len(sizes), n_events, p=sizes / sizes.sum())
    arm = random.choice(n_arms, n_events, p=logging)
    rate, highest = np.empty(n_events), 0.0
    for start in range(0, n_events, 20_000):
        rows = slice(start, start + 20_000)
        of_all_arms = rates(group[rows], time[rows])
        rate[rows] = np.take_along_axis(of_all_arms, arm[rows, None], axis=1)[:, 0]
        highest = max(highest, float(of_all_arms.max()))
    if highest > 1:
        raise ValueError(
            f"level must be low enough for no rate to exceed 1, got {level!r}, which gives a rate of {highest:.3g}"
        )
    log = Log(
        time=time,
        arm=arm,
        reward=(random.random(n_events) < rate).astype(np.float64),
        propensity=logging[arm],
        group=group,
        arms=arms,
        group_names=tuple(str(name) for name in range(len(sizes))),
        source=f"generated, {n_events:,} events",
    )
    return log, rates
