"""The queue in front of the worker is as long as the worker is fast."""

import asyncio

import pytest

from quickdraw_service.api.waiting import SHORTEST_QUEUE, Waiting
from quickdraw_service.errors import OverloadedError, UnavailableError
from quickdraw_service.requests import Decide, Rewarded


class Worker:
    """Answers when it is told to."""

    def __init__(self):
        self.tickets = []

    def submit(self, request, ticket):
        self.tickets.append(ticket)

    def answer(self, waiting, n):
        taken, self.tickets = self.tickets[:n], self.tickets[n:]
        waiting._settle([(ticket, Rewarded(["recorded"])) for ticket in taken])


class Clock:
    """An event loop whose clock is set by hand."""

    def __init__(self, loop):
        self._loop, self.now = loop, 0.0

    def __getattr__(self, name):
        return getattr(self._loop, name)

    def time(self):
        return self.now


async def ask(waiting, worker, n):
    """Begin ``n`` requests, and return their tasks once they wait or are refused."""
    tasks = [asyncio.ensure_future(waiting.ask(worker, Decide("x"))) for _ in range(n)]
    await asyncio.sleep(0)
    return tasks


@pytest.mark.parametrize(("per_second", "admitted"), [(10_000, 2_500), (4_000, 1_000), (100, SHORTEST_QUEUE)])
def test_no_more_wait_than_are_answered_in_time(per_second, admitted):
    async def run():
        loop = Clock(asyncio.get_running_loop())
        waiting, worker = Waiting(loop, 20.0, queue_seconds=0.25, most=8_000), Worker()
        tasks = await ask(waiting, worker, 9_000)
        assert len(worker.tickets) == 8_000  # nothing is known about the worker yet
        for _ in range(60):
            loop.now += 100 / per_second
            worker.answer(waiting, 100)
        worker.answer(waiting, 2_000)
        assert not worker.tickets
        tasks += await ask(waiting, worker, 9_000)
        assert len(worker.tickets) == admitted
        worker.answer(waiting, admitted)
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert sum(isinstance(result, OverloadedError) for result in results) == 18_000 - 8_000 - admitted
        assert sum(isinstance(result, Rewarded) for result in results) == 8_000 + admitted

    asyncio.run(run())


def test_a_short_queue_says_nothing_about_a_long_one():
    async def run():
        loop = Clock(asyncio.get_running_loop())
        waiting, worker = Waiting(loop, 20.0, queue_seconds=0.25, most=8_000), Worker()
        tasks = await ask(waiting, worker, 20)
        for _ in range(20):
            loop.now += 1.0
            worker.answer(waiting, 1)
        tasks += await ask(waiting, worker, 5_000)
        assert len(worker.tickets) == 5_000
        worker.answer(waiting, 5_000)
        await asyncio.gather(*tasks)

    asyncio.run(run())


def test_a_late_answer_is_counted_once():
    async def run():
        waiting, worker = Waiting(asyncio.get_running_loop(), 0.01, queue_seconds=0.25, most=1), Worker()
        with pytest.raises(UnavailableError):
            await waiting.ask(worker, Decide("x"))
        with pytest.raises(OverloadedError):  # the worker still has it
            await waiting.ask(worker, Decide("x"))
        worker.answer(waiting, 1)
        (task,) = await ask(waiting, worker, 1)
        worker.answer(waiting, 1)
        assert await task == Rewarded(["recorded"])

    asyncio.run(run())
