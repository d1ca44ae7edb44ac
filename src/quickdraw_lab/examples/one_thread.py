"""Examples are made apart, in a fresh process of one thread: fair to time, and the same numbers on every machine."""

from collections.abc import Callable
from pathlib import Path

from quickdraw_bandits.evaluation.workers import worker_pool
from quickdraw_lab.bed import Bed

Example = Callable[[str, Bed, Path], list[str]]
"""Makes a piece of a bed into a folder; returns the names of the files."""


def in_one_thread(example: Example, piece: str, bed: Bed, out: Path) -> list[str]:
    """Make an example, and return the names of its files."""
    with worker_pool(1, _nothing) as pool:
        return pool.submit(example, piece, bed, out).result()


def _nothing() -> None:
    """Begin."""
