"""Recorded rewards: any array of rounds by arms."""

from pathlib import Path
from typing import Self, final

import numpy as np
from numpy.typing import ArrayLike

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, numbers_array, real_array
from quickdraw_bandits.environments.environment import Environment, read_only, round_times
from quickdraw_bandits.environments.reward_files import FILL, read_rewards


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
    def load(cls, path: str | Path, arms: Arms | None = None, noise: float = 0.0, seed: int = 0) -> Self:
        """Read a file of rewards: ``.npy``, ``.npz`` or ``.csv``, one row per round, one column per arm.

        An ``.npz`` file holds one array, or one named ``rewards`` and optionally ``times`` (of the rounds) and
        ``points`` (coordinates of the arms, compared by euclidean distance). A ``.csv`` file holds numbers separated
        by commas; a first row without numbers is a header. Without ``arms`` or points, the arms are evenly spaced on
        [-1, 1].
        """
        content = read_rewards(path)
        try:
            rewards = _checked_rewards(content["rewards"])
            if arms is None:
                points = content.get("points", np.linspace(-1.0, 1.0, rewards.shape[1]))
                arms = Arms(points)
            return cls(rewards, arms, content.get("times"), noise, seed)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None

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
            f"rewards must be finite, got {array[row, column]} at row {row}, column {column} (from 0); {FILL}"
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
