"""Waiting without blocking: for the worker's answers, and for questions that run in threads."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, Protocol, TypeVar, cast

from quickdraw_service.api.backend import Backend
from quickdraw_service.errors import OverloadedError, ServiceError, UnavailableError
from quickdraw_service.requests import Answer, Request

P = ParamSpec("P")
T = TypeVar("T")
SHORTEST_QUEUE = 256
"""Requests that may wait even at a slow worker: less would keep it from writing many together."""


class Ticket(Protocol):
    """Who waits for an answer."""

    @property
    def answered(self) -> bool:
        """Whether there is nothing left to do."""

    def settle(self, answer: Answer | ServiceError) -> None:
        """Take the answer; one that comes after the first is left aside."""


class _Awaited:
    """A task that waits for a future."""

    __slots__ = ("future",)

    def __init__(self, future: "asyncio.Future[Answer | ServiceError]") -> None:
        self.future = future

    @property
    def answered(self) -> bool:
        return self.future.done()

    def settle(self, answer: Answer | ServiceError) -> None:
        if not self.future.done():  # cancelled at shutdown, or given up
            self.future.set_result(answer)


class Waiting:
    """Requests that wait for the worker.

    Where more wait than the worker answers within ``queue_seconds``, further ones are refused, so that those that are
    taken need not wait long. How many it answers is measured while requests are queued; before that, ``most`` may wait.

    Parameters
    ----------
    loop
        The event loop in which answers are taken.
    seconds
        How long a request waits at most.
    queue_seconds, most
        How long the queue may become: in time, and in requests.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, seconds: float, queue_seconds: float, most: int) -> None:
        self._loop, self._seconds, self._queue_seconds, self._most = loop, seconds, queue_seconds, most
        self._waiting, self._room = 0, most
        self._unanswered: deque[tuple[float, Ticket]] = deque()  # with the time after which each is given up
        self._watches = False
        self._rate: float | None = None
        self._queued_since: float | None = None

    def deliver(self, answers: Sequence[tuple[object, Answer | ServiceError]]) -> None:
        """Hand all answers of a batch to the event loop at once. Called by the worker's thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._settle, answers)

    def submit(self, service: Backend, request: Request, ticket: "Ticket") -> None:
        """Hand a request to the worker; the ticket gets its answer, or an error after ``seconds``."""
        if self._waiting >= self._room:
            raise OverloadedError(
                f"{self._waiting} requests are waiting, as many as are answered in {self._queue_seconds:g} s",
                "Try again a little later, with the same id.",
            )
        service.submit(request, ticket)
        self._waiting += 1
        self._unanswered.append((self._loop.time() + self._seconds, ticket))
        if not self._watches:
            self._watches = True
            self._loop.call_later(self._seconds, self._give_up)

    async def ask(self, service: Backend, request: Request) -> Answer:
        """Return the worker's answer, or raise its error."""
        ticket = _Awaited(self._loop.create_future())
        self.submit(service, request, ticket)
        answer = await ticket.future
        if isinstance(answer, ServiceError):
            raise answer
        return answer

    def _settle(self, answers: Sequence[tuple[object, Answer | ServiceError]]) -> None:
        for ticket, answer in answers:
            cast(Ticket, ticket).settle(answer)
        self._waiting -= len(answers)
        # Answers come nearly in the order of the requests.
        while self._unanswered and self._unanswered[0][1].answered:
            self._unanswered.popleft()
        self._measure(len(answers))

    def _give_up(self) -> None:
        """Answer those who have waited for too long, and look again when the next one will have."""
        error = UnavailableError(
            f"the log did not take the request within {self._seconds:g} s; it may still do so",
            "Try again with the same id: nothing is written twice.",
        )
        while self._unanswered and self._unanswered[0][0] <= self._loop.time():
            self._unanswered.popleft()[1].settle(error)
        self._watches = bool(self._unanswered)
        if self._watches:
            self._loop.call_later(max(0.0, self._unanswered[0][0] - self._loop.time()), self._give_up)

    def _measure(self, answered: int) -> None:
        """Learn how fast requests are answered, from batches between which the queue was never empty.

        A short queue says nothing: few requests in a transaction take almost as long as many.
        """
        now, long = self._loop.time(), answered + self._waiting >= SHORTEST_QUEUE // 2
        if long and self._queued_since is not None and now > self._queued_since:
            rate = answered / (now - self._queued_since)
            self._rate = rate if self._rate is None else 0.8 * self._rate + 0.2 * rate
            self._room = min(self._most, max(SHORTEST_QUEUE, round(self._rate * self._queue_seconds)))
        self._queued_since = now if self._waiting > 0 else None


class Readers:
    """A small pool of threads with a bounded queue.

    Parameters
    ----------
    threads, waiting
        Number of threads, and of calls that may wait for one.
    """

    def __init__(self, threads: int, waiting: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="quickdraw-reader")
        self._room = threads + waiting

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return ``function(*args, **kwargs)``, computed by a thread."""
        if self._room <= 0:
            raise OverloadedError("too many questions are waiting", "Try again later.")
        self._room -= 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, lambda: function(*args, **kwargs))
        finally:
            self._room += 1

    def close(self) -> None:
        """Let no further calls begin."""
        self._pool.shutdown(wait=False, cancel_futures=True)
