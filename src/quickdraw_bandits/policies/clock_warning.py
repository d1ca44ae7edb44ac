"""Noticing that a choice is asked for on another clock than the one that observations came from."""

import warnings

from quickdraw_bandits.checks import Floats

MOST_SPANS = 100.0
"""How many times its own length a choice may be away from the history."""
FEWEST = 5
"""Observations below which a history says nothing of its clock."""


class ClockWarning(UserWarning):
    """A choice was asked for at a time far away from all observations."""


class ClockWatch:
    """The first and the last time of all observations, and one warning where a choice is far from both."""

    def __init__(self) -> None:
        self.n_observations = 0
        self._first = 0.0
        self._last = 0.0
        self._warned = False

    def extend(self, times: Floats) -> None:
        """Take in the times of new observations."""
        one = len(times) == 1  # the usual case, several times faster without a reduction
        first, last = (float(times[0]),) * 2 if one else (float(times.min()), float(times.max()))
        if self.n_observations:
            first, last = min(first, self._first), max(last, self._last)
        self._first, self._last = first, last
        self.n_observations += len(times)

    def look(self, time: float, held: int) -> None:
        """Warn, once, if ``time`` is more than a hundred spans of the history away from it."""
        span = self._last - self._first
        if self._warned or held < FEWEST or not span > 0.0:
            return
        away = max(self._first - time, time - self._last)
        if away > MOST_SPANS * span:
            self._warned = True
            warnings.warn(
                f"a choice was asked for at the time {time:g}, {away / span:.3g} times the length of the history away "
                f"from all observations, which are from {self._first:g} to {self._last:g}. Are both of the same "
                "clock and unit?",
                ClockWarning,
                stacklevel=4,
            )
