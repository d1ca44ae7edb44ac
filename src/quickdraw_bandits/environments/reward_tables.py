"""Rewards of rounds by arms from tables: wide, with one column per arm, or long, with one row per reward."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.tables import Coded, Fill, Table, fill_gaps
from quickdraw_bandits.tables.gaps import checked_fill
from quickdraw_bandits.tables.table import Kind, numeric

CURE = "fill='linear', 'previous' or a number fills gaps"


@dataclass(frozen=True, eq=False)
class Rewards:
    """Rewards as a file or a frame has them.

    Attributes
    ----------
    rewards
        One row per round, one column per arm; NaN where there is none.
    times, points
        Times of the rounds and coordinates of the arms; None if the source has none.
    dates
        Whether the times are dates, as seconds since 1970.
    names
        Names of the arms, unique; None if the source has none.
    gap
        Makes the error for the gap at a round and an arm.
    """

    rewards: Floats
    times: Floats | None = None
    points: Floats | None = None
    dates: bool = False
    names: tuple[str, ...] | None = None
    gap: Callable[[int, int], ValueError] = field(
        default=lambda row, arm: ValueError(
            f"rewards must be finite, got nan at row {row}, column {arm} (from 0); {CURE}"
        )
    )

    def filled(self, fill: Fill) -> Floats:
        """Return the rewards with their gaps filled, or raise ValueError for the first if ``fill`` is None."""
        if checked_fill(fill) is not None:
            return fill_gaps(self.rewards, fill, self.names)
        gaps = np.isnan(self.rewards)
        if gaps.any():
            row, arm = np.argwhere(gaps)[0].tolist()
            raise self.gap(row, arm)
        return self.rewards

    def arms(self) -> Arms:
        """Return arms at the points of the source, or else at the numbers that name them, or evenly on [-1, 1]."""
        names, points = self.names, self.points
        if points is None and names is not None:
            points = numeric(names)
        if points is None:
            points = np.linspace(-1.0, 1.0, self.rewards.shape[1])
        return Arms(points, labels=None if names is None else list(names))


def wide_rewards(table: Table, time: str | None = None) -> Rewards:
    """Return the rewards of a table with one row per round and one column per arm, beside the column of times."""
    names, time = list(table.columns), table.index if time is None else time
    kinds: dict[str, Kind] = dict.fromkeys(names, "numbers")
    if time is not None:
        table.position(time)
        kinds[time] = "times"
    found = table.read(kinds)
    if names and names[0] == "" != time and _counts_rows(found[""]):
        names.pop(0)  # the index that pandas writes
    names = [name for name in names if name != time]
    if not names:
        raise ValueError(f"{table.name} must have a column for every arm, got none beside the times")
    rewards = np.column_stack([np.asarray(found[name]) for name in names])

    def gap(row: int, arm: int) -> ValueError:
        return table.error(names[arm], row, f"a finite number ({CURE})", None)

    positions = names == [str(k) for k in range(len(names))]
    return Rewards(
        rewards,
        None if time is None else table.numbers(found, time),
        dates=time in table.dated,
        names=None if positions or "" in names else tuple(names),
        gap=gap,
    )


def long_rewards(table: Table, time: str, arm: str, reward: str) -> Rewards:
    """Return the rewards of a table with one row for each time and arm."""
    if len({time, arm, reward}) < 3:
        raise ValueError(f"time, arm and reward must be different columns, got {[time, arm, reward]}")
    found = table.read({time: "times", arm: "labels", reward: "numbers"})
    chosen, paid = found[arm], np.asarray(found[reward])
    assert isinstance(chosen, Coded)
    times, rounds = np.unique(table.numbers(found, time), return_inverse=True)
    cell: Integers = rounds * len(chosen.labels) + chosen.codes
    order = np.argsort(cell, kind="stable")
    repeated = order[1:][np.diff(cell[order]) == 0]
    if len(repeated):
        bad = int(repeated.min())
        label = chosen.labels[chosen.codes[bad]]
        raise table.error(reward, bad, f"the only reward of arm {label!r} at its time", float(paid[bad]))
    rewards = np.full((len(times), len(chosen.labels)), np.nan)
    rewards.ravel()[cell] = paid

    def gap(row: int, which: int) -> ValueError:
        return ValueError(
            f"{table.name}: column {reward!r}: must hold a reward of every arm at every time, got none of arm "
            f"{chosen.labels[which]!r} at time {table.shown_time(time, float(times[row]))}; {CURE}"
        )

    return Rewards(rewards, times, dates=time in table.dated, names=tuple(map(str, chosen.labels)), gap=gap)


def in_order_of(arms: Arms, rewards: Rewards) -> Integers | None:
    """Return the column of each arm, where arms and columns have names; None where columns are in order already.

    Raises ValueError if the names differ.
    """
    if rewards.names is None or isinstance(arms.labels, range):
        return None
    missing = [str(label) for label in arms.labels if label not in set(rewards.names)]
    if missing or len(rewards.names) != len(arms):
        got = f"no column {missing[0]!r}" if missing else f"{len(rewards.names)} columns for {len(arms)} arms"
        raise ValueError(f"the columns must be named by the labels of the arms, got {got}")
    return np.argsort(arms.positions(rewards.names))


def may_be_header(rewards: Floats) -> bool:
    """Tell whether the first row of numbers looks like a header: coordinates of arms rather than rewards.

    It does if it increases or decreases from arm to arm and other rows do not (with two arms, only if it also lies
    outside of all other rewards), or if it lies far outside of all other rewards.

    Examples
    --------
    >>> may_be_header(np.array([[4.99, 5.99, 6.49], [0.3, 0.8, 0.1]]))
    True
    >>> may_be_header(np.array([[0.4, 0.9, 0.2], [0.3, 0.8, 0.1]]))
    False
    """
    first, rest = rewards[0], rewards[1:]
    if rewards.shape[1] < 2 or np.isnan(first).any() or not np.isfinite(rest).any():
        return False
    low, high = float(np.nanmin(rest)), float(np.nanmax(rest))
    outside = bool(((first < low) | (first > high)).all())
    steps = np.diff(first)
    if (steps > 0).all() or (steps < 0).all():
        alike = not (np.diff(rest, axis=1) * np.sign(steps[0]) <= 0).any()  # gaps leave it open
        if not alike and (outside or len(first) >= 3):
            return True
    width = high - low
    return width > 0 and bool(((first < low - width) | (first > high + width)).all())


def _counts_rows(column: Floats | Coded) -> bool:
    return isinstance(column, np.ndarray) and bool((column == np.arange(len(column))).all())
