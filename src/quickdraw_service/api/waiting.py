"""Waiting without blocking: for the worker's answers, and for questions that run in threads."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from quickdraw_service.api.backend import Backend
from quickdraw_service.errors import OverloadedError, ServiceError, UnavailableError
from quickdraw_service.requests import Answer, Request

P = ParamSpec("P")
T = TypeVar("T")


class Waiting:
    """Requests that wait for the worker, as futures of the event loop.

    Parameters
    ----------
    loop
        The event loop that the futures belong to.
    seconds
        How long a request waits at most.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, seconds: float) -> None:
        self._loop, self._seconds = loop, seconds

    def deliver(self, answers: Sequence[tuple[object, Answer | ServiceError]]) -> None:
        """Hand all answers of a batch to the event loop at once. Called by the worker's thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(_settle, answers)

    async def ask(self, service: Backend, request: Request) -> Answer:
        """Return the worker's answer, or raise its error."""
        future: asyncio.Future[Answer | ServiceError] = self._loop.create_future()
        service.submit(request, future)
        timer = self._loop.call_later(self._seconds, _give_up, future, self._seconds)
        answer = await future
        timer.cancel()
        if isinstance(answer, ServiceError):
            raise answer
        return answer


def _settle(answers: Sequence[tuple[object, Answer | ServiceError]]) -> None:
    for ticket, answer in answers:
        assert isinstance(ticket, asyncio.Future)
        if not ticket.done():  # cancelled at shutdown, or given up
            ticket.set_result(answer)


def _give_up(future: "asyncio.Future[Answer | ServiceError]", seconds: float) -> None:
    if not future.done():
        future.set_result(
            UnavailableError(
                f"the log did not take the request within {seconds:g} s; it may still do so",
                "Try again with the same id: nothing is written twice.",
            )
        )


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
