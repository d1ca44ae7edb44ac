"""The slowest calls of a game against its median, in processor time: no round should wait for what others have made."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import quickdraw_bandits as qd
from benchmarks.row import Row, at_most, duration
from quickdraw_lab.scale.histories import Pace, drifting_reward, places, play

LONGER = 0.05
"""Seconds that the slowest call of a short game may take more than the median."""


@dataclass(frozen=True)
class Game:
    """A policy on a drifting reward.

    Attributes
    ----------
    arms, policy
        Build the arms, and the policy on them.
    length
        Correlation length of the reward.
    rounds
        How many are played.
    most
        The largest ratio of the 99th percentile, and of the slowest choice, to the median; None without a target.
    """

    arms: Callable[[], qd.Arms]
    policy: Callable[[qd.Arms], Any]
    rounds: int
    length: float = 0.1
    most: tuple[float | None, float | None] = (None, None)

    def play(self) -> Pace:
        """Return the time of every call, after ``warm_up``."""
        policy = self.policy(self.arms())
        qd.warm_up(policy)
        return play(policy, drifting_reward(policy.arms.dimension, self.length), 0, self.rounds)[1]


def quick_draw(arms: qd.Arms) -> Any:
    """Return Quick-Draw, which may change its engine."""
    return qd.QuickDraw(arms, seed=0)


def adaptive(arms: qd.Arms) -> Any:
    """Return the policy that needs no setting."""
    return qd.AdaptiveQuickDraw(arms, seed=0)


def in_16d(n: int) -> qd.Arms:
    """Return directions in 16 dimensions."""
    return qd.Arms(np.random.default_rng(3).normal(size=(n, 16)), metric="cosine")


LONG = {
    "QuickDraw, 200,000 arms, cosine in 16-D": Game(lambda: in_16d(200_000), quick_draw, 20_000, 1.0, (4, 12)),
    "QuickDraw, 1,000,000 arms in 2-D": Game(lambda: places(2, 10**6), quick_draw, 20_000, most=(4, 12)),
    "AdaptiveQuickDraw, 1,000 arms in 1-D": Game(lambda: places(1, 1_000), adaptive, 5_000, most=(8, None)),
    "AdaptiveQuickDraw, 1,000,000 arms in 2-D": Game(lambda: places(2, 10**6), adaptive, 5_000, most=(8, None)),
    "AdaptiveQuickDraw, 200,000 arms, cosine in 16-D": Game(
        lambda: in_16d(200_000), adaptive, 5_000, 1.0, most=(8, None)
    ),
}
SHORT = {
    "QuickDraw, 1,000 arms in 1-D": Game(lambda: places(1, 1_000), quick_draw, 5_000),
    "QuickDraw, 10,000 arms in 1-D": Game(lambda: places(1, 10_000), quick_draw, 5_000),
    "QuickDraw, 200,000 arms in 2-D": Game(lambda: places(2, 200_000), quick_draw, 5_000),
    "QuickDraw, 5,000 arms in 1-D, exact to cached": Game(lambda: places(1, 5_000), quick_draw, 5_000),
    "QuickDraw, 2,000 arms in 2-D, exact to cached": Game(lambda: places(2, 2_000), quick_draw, 5_000),
    "QuickDraw, 50,000 arms in 2-D": Game(lambda: places(2, 50_000), quick_draw, 5_000),
    "QuickDraw, 60 arms, cosine in 16-D, exact to cached": Game(lambda: in_16d(60), quick_draw, 5_000, 1.0),
    "QuickDraw, 20,000 arms, cosine in 16-D": Game(lambda: in_16d(20_000), quick_draw, 5_000, 1.0),
    "AdaptiveQuickDraw, 1,000 arms in 1-D": Game(lambda: places(1, 1_000), adaptive, 5_000),
    "AdaptiveQuickDraw, 20,000 arms in 2-D": Game(lambda: places(2, 20_000), adaptive, 5_000),
    "AdaptiveQuickDraw, 20,000 arms, cosine in 16-D": Game(lambda: in_16d(20_000), adaptive, 5_000, 1.0),
    "AdaptiveQuickDraw, 200,000 arms in 2-D": Game(lambda: places(2, 200_000), adaptive, 5_000),
}


def run() -> list[Row]:
    """Play all games."""
    return [row for name in LONG for row in long_rows(name)] + [short_row(name) for name in SHORT]


def long_rows(name: str) -> list[Row]:
    """Return the rows of a game whose tail is compared with the median."""
    game = LONG[name]
    choices = game.play().choices
    typical, rounds = float(np.median(choices)), f"{game.rounds:,} rounds"
    found = {"99th percentile": float(np.quantile(choices, 0.99)), "slowest": float(choices.max())}
    return [
        at_most(f"{name}: {what} choice of {rounds}, against the median", time, typical, limit)
        for (what, time), limit in zip(found.items(), game.most, strict=True)
        if limit is not None
    ]


def short_row(name: str) -> Row:
    """Return the row of a game of which no call may take much longer than the median."""
    game = SHORT[name]
    pace = game.play()
    typical = float(np.median(pace.choices))
    slowest = max(float(pace.choices.max()), float(pace.updates.max()))
    more = slowest - typical
    return Row(
        f"{name}: slowest call of {game.rounds:,} rounds, against the median of choices",
        duration(slowest),
        duration(typical),
        slowest / typical,
        f"at most {LONGER * 1e3:g} ms more",
        more <= LONGER,
    )


if __name__ == "__main__":
    for wanted in sys.argv[1:]:
        for some, rows in ((LONG, long_rows), (SHORT, lambda name: [short_row(name)])):
            for name in some:
                if wanted in name:
                    for row in rows(name):
                        print(row.what, row.ours, row.other, f"{row.ratio:.3g}", row.target, row.met, flush=True)
