"""Missing rewards of rounds by arms."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from quickdraw_bandits.checks import Floats, number

Method = Literal["linear", "previous"]
Fill = Method | float | None
"""How gaps are filled: by a line between the neighbours in time, by the reward before, by a number, or not at all."""


def checked_fill(fill: object) -> Fill:
    """Return a way to fill gaps, or raise ValueError."""
    if fill is None or fill in get_args(Method):
        return fill  # type: ignore[return-value]
    if isinstance(fill, str):
        raise ValueError(f"fill must be None, a number, 'linear' or 'previous', got {fill!r}")
    return number("fill", fill)


def fill_gaps(rewards: Floats, fill: Fill = "linear", names: Sequence[str] | None = None) -> Floats:
    """Return a copy of (T, K) rewards in which the NaN of each arm are filled.

    Parameters
    ----------
    rewards
        One row per round, one column per arm.
    fill
        ``"linear"`` (default) interpolates linearly over the rounds, which uses later rewards; ``"previous"`` repeats
        the reward before. At the ends both repeat the nearest reward. A number fills all gaps; None leaves them.
    names
        The names of the arms, for errors; default None, their positions.

    Examples
    --------
    >>> rewards = np.array([[np.nan], [1.0], [np.nan], [3.0], [np.nan]])
    >>> fill_gaps(rewards)[:, 0], fill_gaps(rewards, "previous")[:, 0], fill_gaps(rewards, 0.0)[:, 0]
    (array([1., 1., 2., 3., 3.]), array([1., 1., 1., 3., 3.]), array([0., 1., 0., 3., 0.]))
    """
    fill = checked_fill(fill)
    filled = rewards.copy()
    if fill is None:
        return filled
    if not isinstance(fill, str):
        filled[np.isnan(filled)] = fill
        return filled
    rounds = np.arange(len(rewards))
    for arm, column in enumerate(filled.T):
        missing = np.isnan(column)
        if not missing.any():
            continue
        known = rounds[~missing]
        if len(known) == 0:
            which = arm if names is None else repr(names[arm])
            raise ValueError(f"rewards must have at least one value for every arm, got none for arm {which}")
        if fill == "linear":
            column[missing] = np.interp(rounds[missing], known, column[known])
        else:
            before = np.maximum(np.searchsorted(known, rounds[missing], side="right") - 1, 0)
            column[missing] = column[known[before]]
    return filled
