"""Checks of what programs of the user's own answer while a log is played: builders, policies, true rewards."""

from typing import Any

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, numbers_array, real_array, refuse_first

ROUNDING = 1e-6
"""How far from 1 probabilities may add up."""


def playable(policy: Any, arms: Arms) -> Any:
    """Return what ``build`` made, or raise ValueError if it cannot be played on a log of these arms."""
    if not callable(getattr(policy, "select", None)) or not callable(getattr(policy, "update", None)):
        raise ValueError(f"build must make a policy, with the methods select and update, got {policy!r}")
    own = getattr(policy, "arms", None)
    if isinstance(own, Arms) and len(own) != len(arms):
        raise ValueError(f"build must make a policy on the log's {len(arms)} arms, got {policy!r} on {len(own)}")
    return policy


def probabilities(policy: Any, time: float, n_arms: int) -> Floats:
    """Return what a policy that derives from nothing says of each arm, or raise ValueError.

    Examples
    --------
    >>> class Halves:
    ...     def probabilities(self, time):
    ...         return [0.5, 0.6]
    >>> probabilities(Halves(), 0.0, 2)
    Traceback (most recent call last):
    ValueError: what Halves.probabilities returns must add up to 1, got 1.1
    """
    name = f"what {type(policy).__name__}.probabilities returns"
    found = numbers_array(name, policy.probabilities(time))
    if len(found) != n_arms:
        raise ValueError(f"{name} must have one entry for each of the {n_arms} arms, got {len(found)}")
    refuse_first(name, found, found < 0, "be at least 0")
    if abs(found.sum() - 1) > ROUNDING:
        raise ValueError(f"{name} must add up to 1, got {found.sum():.6g}")
    return found


def true_rewards(found: object, shape: tuple[int, int]) -> Floats:
    """Return the true mean rewards of some events, one row per event and one column per arm, or raise ValueError."""
    rates: Floats = real_array("what truth returns", found).astype(np.float64, copy=False)
    if rates.shape != shape:
        raise ValueError(f"what truth returns must have the shape {shape}, one row per event, got {rates.shape}")
    return rates
