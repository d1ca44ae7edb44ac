"""What the API needs of the service behind it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from quickdraw_service.answers import Belief, Estimated, Figures, History, LogRows, Summary, Why
from quickdraw_service.errors import ServiceError
from quickdraw_service.keys import Key
from quickdraw_service.requests import Answer, Create, Decided, Request

Deliver = Callable[[list[tuple[object, Answer | ServiceError]]], None]
"""Takes all answers of one batch, with the tickets of their requests. Called by the worker's thread."""


class Backend(Protocol):
    """The service: writes go by ``submit``, and their answers come by ``Deliver``. Every other call may block."""

    @property
    def ready(self) -> bool:
        """Whether requests are taken."""

    @property
    def failure(self) -> BaseException | None:
        """Why the service will never be ready, None if it may."""

    def start(self) -> None:
        """Begin to open the store and to replay; does not wait."""

    def stop(self, timeout: float) -> object:
        """Answer what is waiting, write snapshots, close."""

    def prepare(self, request: Create) -> Create:
        """Check a new experiment, and return the request with all that can be made ahead."""

    def submit(self, request: Request, ticket: object) -> None:
        """Queue a request; raise OverloadedError or UnavailableError at once if that is not possible."""

    def experiments(self) -> list[Summary]:
        """Return all experiments."""

    def experiment(self, name: str) -> Summary:
        """Return one experiment."""

    def decision(self, name: str, id: str) -> Decided:
        """Return one decision."""

    def decisions(self, name: str, after: str | None = None, limit: int = 100) -> list[Decided]:
        """Return decisions, newest first, beginning after the one of id ``after``."""

    def belief(self, name: str, time: float | None, points: int) -> Belief:
        """Return the belief at up to ``points`` arms."""

    def explain(self, name: str, arm: int | str, time: float | None, most: int = 10) -> Why:
        """Return why an arm is estimated as it is."""

    def history(self, name: str, times: int, points: int, latest: int) -> History:
        """Return what is believed over arms and time."""

    def evaluation(self, name: str, policies: Sequence[str], latest: int) -> list[Estimated]:
        """Return what others would have earned."""

    def log(self, name: str, unrewarded: bool = False) -> Iterator[LogRows]:
        """Yield the decisions of the log in parts."""

    def figures(self) -> Figures:
        """Return how the worker is doing."""

    def keys(self) -> list[Key]:
        """Return all keys, revoked ones included."""
