"""One row of the benchmark table."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """Two times measured in one run, their ratio, and whether it meets its target."""

    what: str
    ours: str
    other: str
    ratio: float
    target: str
    met: bool


def at_least(what: str, ours: float, other: float, limit: float) -> Row:
    """Return a row for ``ours``, which should be at least ``limit`` times faster than ``other``."""
    ratio = other / ours
    return Row(what, duration(ours), duration(other), ratio, f"at least {limit:g}", ratio >= limit)


def at_most(what: str, ours: float, other: float, limit: float) -> Row:
    """Return a row for ``ours``, which should take at most ``limit`` times as long as ``other``."""
    ratio = ours / other
    return Row(what, duration(ours), duration(other), ratio, f"at most {limit:g}", ratio <= limit)


def duration(seconds: float) -> str:
    """Format a time in a suitable unit."""
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def best_of(times: int, *work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> list[float]:
    """Return the shortest time of each function; they take turns, so that a busy machine affects all alike."""
    best = [float("inf")] * len(work)
    for _ in range(times):
        for k, piece in enumerate(work):
            start = clock()
            piece()
            best[k] = min(best[k], clock() - start)
    return best
