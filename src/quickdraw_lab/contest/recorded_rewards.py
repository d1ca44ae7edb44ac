"""Recorded rewards for the contest: read from a file, gaps filled, scaled to [0, 1]."""

import zlib
from functools import lru_cache
from pathlib import Path

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats
from quickdraw_bandits.environments import Recorded
from quickdraw_bandits.environments.reward_files import read_rewards
from quickdraw_bandits.tables import fill_gaps

SHORTEST = 20
"""A shorter record cannot be split into a tuning part and a result part."""


def checksum(path: str) -> str:
    """Return a checksum of a file."""
    try:
        return f"{zlib.crc32(Path(path).read_bytes()):08x}"
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None


@lru_cache(maxsize=1)
def read_recorded(path: str, content: str, arms_in_rows: bool = False, header: bool | None = None) -> Recorded:
    """Return the rewards of a file as an environment.

    Gaps (NaN) are filled by linear interpolation over time, for each arm on its own. This uses later rewards, but no
    policy sees them early. All rewards are scaled to [0, 1] by their minimum and maximum, the range that policies
    expect.

    Parameters
    ----------
    path
        The file.
    content
        Its checksum. A file that has changed is refused.
    arms_in_rows
        Whether the file has one row per arm and one column per round, rather than the reverse.
    header
        Whether the first row of a text file names the arms. None (default) finds out, and refuses a first row of
        numbers that could be either.
    """
    if checksum(path) != content:
        raise ValueError(f"{path}: the file has changed since it was first read")
    found = read_rewards(path, header=header)
    try:
        rewards = found.rewards
        if rewards.ndim != 2:
            raise ValueError(f"rewards must have two dimensions, of rounds and arms, got {rewards.shape}")
        if arms_in_rows:
            rewards = np.ascontiguousarray(rewards.T)
        if rewards.shape[1] == 0:
            raise ValueError(f"rewards must have at least one arm, got the shape {rewards.shape} of rounds and arms")
        if len(rewards) < SHORTEST:
            raise ValueError(f"rewards must have at least {SHORTEST} rounds, got {len(rewards)}")
        scaled = scale_to_unit(fill_gaps(rewards))
        arms = found.arms() if not arms_in_rows else Arms(np.linspace(-1.0, 1.0, rewards.shape[1]))
        return Recorded(scaled, arms, found.times)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def scale_to_unit(rewards: Floats) -> Floats:
    """Return the rewards scaled to [0, 1].

    Examples
    --------
    >>> scale_to_unit(np.array([[2.0, 4.0, 3.0]]))
    array([[0. , 1. , 0.5]])
    """
    low, high = float(rewards.min()), float(rewards.max())
    if not np.isfinite([low, high]).all() or low == high:
        raise ValueError(f"rewards must be finite and vary, got values from {low:g} to {high:g}")
    return (rewards - low) / (high - low)
