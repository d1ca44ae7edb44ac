"""What the runner, the store and the engines know of a run, whatever it plays."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, Protocol, Self, TypeVar

Record = dict[str, Any]


class AnyRun(Hashable, Protocol):
    """One policy on one environment."""

    @property
    def turn(self) -> int:
        """Runs of a lower turn are played first."""

    @property
    def place(self) -> Hashable:
        """Runs of the same place share what is costly to make."""

    def to_json(self) -> Record:
        """Return plain values."""

    @classmethod
    def from_json(cls, values: Record, /) -> Self:
        """Return the run that gave these plain values."""


R = TypeVar("R", bound=AnyRun)

Play = Callable[[list[R]], Iterator[Record]]
"""Plays runs of the same place, and yields the record of each as it finishes."""


def tasks_of(runs: Iterable[R]) -> list[list[R]]:
    """Return the runs, once each, in groups of the same place, by turns."""
    groups: dict[Hashable, list[R]] = {}
    for run in dict.fromkeys(runs):
        groups.setdefault((run.turn, run.place), []).append(run)
    return sorted(groups.values(), key=lambda group: group[0].turn)
