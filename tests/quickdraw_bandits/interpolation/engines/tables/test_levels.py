"""Which observations are in which level, and what making levels costs."""

import numpy as np
import pytest

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.interpolation import Kernel
from quickdraw_bandits.interpolation.engines.tables import table_sums as module
from quickdraw_bandits.interpolation.engines.tables import turns
from quickdraw_bandits.interpolation.engines.tables.level import serves
from quickdraw_bandits.interpolation.engines.tables.levels import Levels
from quickdraw_bandits.interpolation.engines.tables.turns import RECENT
from quickdraw_bandits.observations import Observations


def test_levels_cover_the_history_and_reach_as_far_ahead_as_they_are_old():
    random = np.random.default_rng(0)
    arms = Arms(random.normal(size=(5, 2)))
    seen = Observations(arms)
    levels = Levels(arms, Kernel(1.0, 1.0, 1e-4, 1), seen)
    made = {}
    for n in range(1, 1500):
        seen.append(np.array([n * 1e-3]), random.integers(5, size=1), random.random(1))
        levels.extend()
        now = (n + 0.5) * 1e-3
        ((_, _, included, u, tables),) = levels.advance(now)
        if n <= 2 * RECENT:
            assert included == len(tables) == 0
            continue
        assert n - included <= 2 * RECENT
        assert -1 <= u <= 1
        assert serves(levels._levels[0][0], 0, now, n)
        for number, (level,) in levels._levels.items():
            age = level.start - seen.times[: level.included].max()
            assert 0 < level.length <= age
            if made.get(number) != level.start:  # made this round
                made[number] = level.start
                assert level.included == n - RECENT * 2**number
    assert set(levels._levels) == set(range(6))


@pytest.mark.parametrize("sharpness", [1, 2, 3])
def test_most_rounds_sum_only_what_is_recent(monkeypatch, sharpness):
    random = np.random.default_rng(2)
    arms = Arms(random.normal(size=(40, 8)), metric="cosine")
    seen = Observations(arms)
    levels = Levels(arms, Kernel(1.0, 1.0, 1e-4, sharpness), seen)
    seen.append(np.arange(4000) * 1e-3, random.integers(40, size=4000), random.random(4000))
    levels.extend()
    levels.advance(4.0)
    summed = []
    original = module.add_observations
    monkeypatch.setattr(
        module, "add_observations", lambda arms, observed, *rest: (summed.append(len(observed.times)), original(
            arms, observed, *rest))
    )  # fmt: skip
    for i in range(200):
        seen.append(np.array([4.0 + i * 1e-3]), random.integers(40, size=1), random.random(1))
        levels.extend()
        levels.advance(4.0 + (i + 0.5) * 1e-3)
    # Every level sums about three observations a round, out of 4000; there are seven.
    assert 0 < sum(summed) / 200 < 30


def test_a_fork_advances_by_itself():
    """It makes the tables that the original would make, and leaves the original's as they were."""
    random = np.random.default_rng(3)
    arms = Arms.grid(0, 1, 50)
    seen = Observations(arms)
    levels = Levels(arms, Kernel(1.0, 1.0, 1e-4, 1), seen)
    seen.append(np.arange(300) * 1e-3, random.integers(50, size=300), random.random(300))
    levels.extend()
    before = {number: level.tables.copy() for number, (level,) in (levels.advance(0.3), levels._levels)[1].items()}
    for time in (0.31, 0.5, 0.1, 7.0):
        levels.fork().advance(time)
    assert levels._levels.keys() == before.keys()
    for number, (level,) in levels._levels.items():
        np.testing.assert_array_equal(level.tables, before[number])
    (forked,) = levels.fork().advance(0.5)
    for ours, theirs in zip(levels.advance(0.5)[0], forked, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("n_arms", [50, 3000])
@pytest.mark.parametrize("odd_clock", [False, True])
def test_tables_that_were_planned_are_those_that_would_have_been_made(monkeypatch, n_arms, odd_clock):
    """To the last digit, also where the clock jumps or goes back, rewards leave their range, and levels have blocks."""
    monkeypatch.setattr(turns, "WORK", 200_000)
    random = np.random.default_rng(4)
    arms = Arms.grid(0, 1, n_arms)
    seen = Observations(arms)
    kernel = Kernel(1.0, 0.01, 1e-4, 1)
    eager, lazy = Levels(arms, kernel, seen), Levels(arms, kernel, seen)
    summed, now = [], 0.0
    for k in range(400):
        count = int(random.integers(1, 9))
        scale = 100.0 if odd_clock and k == 300 else 1.0
        seen.append(now + np.arange(count) * 1e-3, random.integers(n_arms, size=count), scale * random.random(count))
        now += count * 1e-3 + (odd_clock and k % 50 == 49) * random.normal()
        eager.extend()
        lazy.extend()
        eager.advance(now)
        with monkeypatch.context() as patch:
            patch.setattr(module, "add_observations", lambda *_: summed.append(1))
            lazy.plan(now)
    assert not summed  # nothing was made so far
    for ours, theirs in zip(eager.fork().advance(now), lazy.fork().advance(now), strict=True):
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(one, other)
    assert eager._levels.keys() == lazy._levels.keys()
    assert (max(map(len, eager._levels.values())) > 1) is (n_arms == 3000)
    for number, blocks in eager._levels.items():
        for one, other in zip(blocks, lazy._levels[number], strict=True):
            assert (one is None) == (other is None)
            if one is not None:
                assert (one.included, one.start, one.length, one.error) == (
                    other.included, other.start, other.length, other.error
                )  # fmt: skip
                np.testing.assert_array_equal(one.tables, other.tables)
    assert eager.error == lazy.error
