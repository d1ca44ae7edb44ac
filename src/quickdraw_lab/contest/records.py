"""Recorded rewards for the contest: read from a file, gaps filled, scaled to [0, 1]."""

import zlib
from functools import lru_cache
from pathlib import Path

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, real_array
from quickdraw_bandits.environments import Recorded
from quickdraw_bandits.environments.reward_files import read_rewards

SHORTEST = 20
"""A record of fewer rounds cannot be divided into a part for tuning and a part for the result."""


def checksum(path: str) -> str:
    """Return what changes when the file does."""
    try:
        return f"{zlib.crc32(Path(path).read_bytes()):08x}"
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None


@lru_cache(maxsize=1)
def read_record(path: str, content: str, arms_in_rows: bool = False) -> Recorded:
    """Return the record in a file whose checksum is ``content``: a row to a round, or to an arm if so said.

    Gaps (NaN) are filled on the line between the nearest values before and after of the same arm, at the ends with
    the nearest one. That uses the future, but of the environment: no policy sees it before its time. All is scaled
    to [0, 1] by the smallest and the largest value, as policies expect.
    """
    if checksum(path) != content:
        raise ValueError(f"{path}: the file has changed since it was first read")
    found = read_rewards(path)
    try:
        rewards = real_array("rewards", found["rewards"]).astype(np.float64)
        if rewards.ndim != 2:
            raise ValueError(f"rewards must have two dimensions, of rounds and arms, got {rewards.shape}")
        if arms_in_rows:
            rewards = np.ascontiguousarray(rewards.T)
        if rewards.shape[1] == 0:
            raise ValueError(f"rewards must have at least one arm, got the shape {rewards.shape} of rounds and arms")
        if len(rewards) < SHORTEST:
            raise ValueError(f"rewards must have at least {SHORTEST} rounds, got {len(rewards)}")
        scaled = scale_to_unit(fill_gaps(rewards))
        points = found.get("points", np.linspace(-1.0, 1.0, rewards.shape[1]))
        return Recorded(scaled, Arms(points), found.get("times"))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def fill_gaps(rewards: Floats) -> Floats:
    """Return a copy without NaN: each arm's gaps lie on the line between the values around them.

    Examples
    --------
    >>> fill_gaps(np.array([[1.0], [np.nan], [3.0], [np.nan]]))[:, 0]
    array([1., 2., 3., 3.])
    """
    filled = rewards.copy()
    rounds = np.arange(len(rewards))
    for arm, column in enumerate(filled.T):
        missing = np.isnan(column)
        if missing.all():
            raise ValueError(f"rewards must have at least one value for every arm, got none for arm {arm}")
        column[missing] = np.interp(rounds[missing], rounds[~missing], column[~missing])
    return filled


def scale_to_unit(rewards: Floats) -> Floats:
    """Return the rewards on [0, 1].

    Examples
    --------
    >>> scale_to_unit(np.array([[2.0, 4.0, 3.0]]))
    array([[0. , 1. , 0.5]])
    """
    low, high = float(rewards.min()), float(rewards.max())
    if not np.isfinite([low, high]).all() or low == high:
        raise ValueError(f"rewards must be finite and vary, got values from {low:g} to {high:g}")
    return (rewards - low) / (high - low)
