"""Recorded rewards: any array of rounds by arms."""

from pathlib import Path
from typing import Literal, Self, final

import numpy as np
from numpy.typing import ArrayLike

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, numbers_array, real_array
from quickdraw_bandits.environments.environment import Environment, read_only, round_times
from quickdraw_bandits.environments.reward_files import read_rewards
from quickdraw_bandits.environments.reward_tables import Rewards, in_order_of, long_rewards, wide_rewards
from quickdraw_bandits.tables import Fill, Frame, FrameTable


@final
class Recorded(Environment):
    """Real data: the reward of every arm in every round.

    Parameters
    ----------
    rewards
        Array of shape (T, K), one row per round, one column per arm. Its values are the true means.
    arms
        The K arms.
    times
        The time of each round, increasing, in any unit. The default None is evenly spaced from 0 up to 1.
    noise, seed
        As for ``Environment``; noise is added to the rewards.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> env = qd.environments.Recorded([[0.1, 0.9], [0.8, 0.2]], qd.Arms([0.0, 1.0]), times=[0.0, 7.5])
    >>> env.pull(round=1, arm=0)
    0.8
    """

    def __init__(
        self, rewards: ArrayLike, arms: Arms, times: ArrayLike | None = None, noise: float = 0.0, seed: int = 0
    ) -> None:
        means = _checked_rewards(rewards)
        super().__init__(arms, _checked_times(times, len(means)), noise, seed)
        if len(arms) != means.shape[1]:
            raise ValueError(
                f"arms must be one per column of rewards, got {len(arms)} arms and {means.shape[1]} columns"
            )
        self._mean = read_only(means)

    @classmethod
    def load(
        cls,
        path: str | Path,
        arms: Arms | None = None,
        noise: float = 0.0,
        seed: int = 0,
        *,
        time: str | None = None,
        arm: str | None = None,
        reward: str | None = None,
        fill: Fill = None,
        header: bool | None = None,
        separator: str | None = None,
        decimal: Literal[".", ","] = ".",
    ) -> Self:
        """Read a file of rewards, by default with one row per round and one column per arm.

        Arrays: ``.npy``, or ``.npz`` with one array, or with one named ``rewards`` and optionally ``times`` (of the
        rounds) and ``points`` (coordinates of the arms, compared by euclidean distance). Tables: ``.csv``, ``.tsv`` or
        ``.txt``, also with ``.gz``, and ``.parquet``; they need the extra ``tables``.

        Parameters
        ----------
        path
            The file.
        arms
            The arms. By default those of the file: at its points, or at the numbers that head its columns, or evenly
            spaced on [-1, 1]; names of columns become labels. Given arms with labels are matched with the names.
        noise, seed
            As for ``Environment``.
        time
            Column of the times: numbers or ISO dates, which become seconds since 1970. None (default): there is none,
            and rounds are evenly spaced from 0 up to 1.
        arm, reward
            Columns of arms and rewards of a long table, with one row for each time and arm; None (default) for a wide
            table, with one column per arm.
        fill
            How gaps are filled: ``"linear"`` interpolates over the rounds, ``"previous"`` repeats the reward before, a
            number stands for itself. None (default) refuses gaps.
        header
            Whether the first row of a text file names the columns. None (default) finds out, and refuses a first row
            of numbers that could be either.
        separator, decimal
            As for ``read_log``: found by default, and ``"."``.
        """
        found = read_rewards(
            path, time=time, arm=arm, reward=reward, header=header, separator=separator, decimal=decimal
        )
        try:
            return cls._from(found, arms, fill, noise, seed)
        except ValueError as error:
            text = str(error)
            raise ValueError(text if text.startswith(str(path)) else f"{path}: {text}") from None

    @classmethod
    def from_frame(
        cls,
        frame: Frame,
        arms: Arms | None = None,
        noise: float = 0.0,
        seed: int = 0,
        *,
        time: str | None = None,
        arm: str | None = None,
        reward: str | None = None,
        fill: Fill = None,
    ) -> Self:
        """Take the rewards from a data frame of pandas, Polars or Arrow, or from a dictionary of columns.

        Parameters are those of ``load``. Datetimes become seconds since 1970; those without a time zone are taken to
        be in UTC. Rows in errors count from 0.

        Examples
        --------
        >>> import polars
        >>> wide = polars.DataFrame({"day": [1.0, 2.0], "4.99": [0.1, 0.8], "5.99": [0.9, 0.2]})
        >>> env = Recorded.from_frame(wide, time="day")
        >>> env.mean, env.arms.points[:, 0]
        (array([[0.1, 0.9], [0.8, 0.2]]), array([4.99, 5.99]))
        >>> long = wide.unpivot(index="day", variable_name="price", value_name="profit")
        >>> same = Recorded.from_frame(long, time="day", arm="price", reward="profit")
        >>> bool((same.mean == env.mean).all())
        True
        """
        table = FrameTable(frame)
        if arm is None and reward is None:
            return cls._from(wide_rewards(table, time), arms, fill, noise, seed)
        if time is None or arm is None or reward is None:
            raise ValueError("time, arm and reward must be given together, for a frame with one row per reward")
        return cls._from(long_rewards(table, time, arm, reward), arms, fill, noise, seed)

    @classmethod
    def _from(cls, found: Rewards, arms: Arms | None, fill: Fill, noise: float, seed: int) -> Self:
        if found.rewards.ndim != 2 or 0 in found.rewards.shape:
            _checked_rewards(found.rewards)
        rewards = found.filled(fill)
        order = None if arms is None else in_order_of(arms, found)
        env = cls(
            rewards if order is None else rewards[:, order],
            found.arms() if arms is None else arms,
            found.times,
            noise,
            seed,
        )
        env.dates = found.dates
        return env

    @property
    def mean(self) -> Floats:
        """The recorded rewards."""
        return self._mean


def _checked_rewards(rewards: ArrayLike) -> Floats:
    """Return a copy of ``rewards`` as a (T, K) array of finite numbers."""
    array: Floats = real_array("rewards", rewards).astype(np.float64, copy=False)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(f"rewards must have the shape (rounds, arms) with at least one of each, got {array.shape}")
    finite = np.isfinite(array)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        raise ValueError(
            f"rewards must be finite, got {array[row, column]} at row {row}, column {column} (from 0); "
            "fill such values or drop the rounds or arms that have them"
        )
    return array


def _checked_times(times: ArrayLike | None, n_rounds: int) -> Floats:
    if times is None:
        return round_times(n_rounds)
    array = numbers_array("times", times).copy()
    if len(array) != n_rounds:
        raise ValueError(f"times must have one entry per round, {n_rounds} in all, got {len(array)}")
    stuck = np.flatnonzero(np.diff(array) <= 0)
    if len(stuck):
        first = int(stuck[0])
        raise ValueError(
            f"times must increase, got {array[first]} followed by {array[first + 1]} at position {first + 1}"
        )
    return read_only(array)
