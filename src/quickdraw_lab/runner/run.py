"""What the runners and the store know about a run."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, Protocol, Self, TypeVar

Record = dict[str, Any]
"""A JSON object: the run under ``"run"``, with its measurements, or its error under ``"error"``."""


class Run(Hashable, Protocol):
    """One policy on one environment."""

    @property
    def order(self) -> int:
        """Runs of a lower order are played first."""

    @property
    def shares(self) -> Hashable:
        """Runs of the same order with an equal value share an environment, which is built once for all of them."""

    def to_json(self) -> Record:
        """Return plain values."""

    @classmethod
    def from_json(cls, values: Record, /) -> Self:
        """Return the run with these plain values."""


R = TypeVar("R", bound=Run)

Play = Callable[[list[R]], Iterator[Record]]
"""Plays runs that share an environment, and yields the record of each as it finishes."""

Runner = Callable[[Sequence[list[R]]], Iterator[Record]]
"""Plays many of these groups, on this machine or elsewhere, and yields the records as runs finish."""


def tasks_of(runs: Iterable[R]) -> list[list[R]]:
    """Return the runs without repetition, in groups that share an environment, sorted by order."""
    groups: dict[Hashable, list[R]] = {}
    for run in dict.fromkeys(runs):
        groups.setdefault((run.order, run.shares), []).append(run)
    return sorted(groups.values(), key=lambda group: group[0].order)
