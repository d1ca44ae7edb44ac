"""Definitions and clocks for tests."""

from quickdraw_service.requests import Definition


def definition(**changes):
    """Return a small experiment, with some of its fields changed."""
    plain = {
        "grid": (0.0, 1.0, 20),
        "points": None,
        "metric": "euclidean",
        "labels": None,
        "policy": "QuickDraw",
        "parameters": {"length_scale": 0.2, "time_scale": 50.0},
        "uniform": 0.05,
        "seed": 0,
        "reward_within": None,
    }
    return Definition(**{**plain, **changes})


class Clock:
    """A clock that is set by hand."""

    def __init__(self, now=1000.0):
        self.now = now

    def __call__(self):
        """Return the time."""
        return self.now
