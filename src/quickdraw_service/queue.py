"""Requests that wait for the worker."""

import threading
from collections import deque

from quickdraw_service.errors import OverloadedError
from quickdraw_service.requests import Observe, Request, Reward

Item = tuple[Request, object]
"""A request, and the ticket under which its answer is delivered."""
AS_MANY_AS_ONE = 64
"""Rewards or observations of one request that count as one request more in the queue."""
LINGER = 0.002
"""Seconds to wait for as many requests as were taken before: each taking costs about as much as many requests."""


class Queue:
    """A bounded queue: any thread puts, one thread takes what is there, in order.

    Parameters
    ----------
    capacity
        Requests that may wait. A request with many rewards counts for several.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._items: deque[Item] = deque()
        self._weight = 0
        self._taken_before = 0
        self._changed = threading.Condition(threading.Lock())
        self._closed = False

    def __len__(self) -> int:
        return len(self._items)

    def put(self, item: Item) -> None:
        """Add a request, or raise OverloadedError if too many are waiting."""
        weight = _weight(item[0])
        with self._changed:
            if self._items and self._weight + weight > self._capacity:
                raise OverloadedError(
                    f"{len(self._items)} requests are waiting, which is as many as the service takes",
                    "try again a little later, with the same id",
                )
            self._items.append(item)
            self._weight += weight
            if len(self._items) in (1, self._taken_before):  # the first, and as many as are waited for
                self._changed.notify()

    def take(self, most: int, timeout: float) -> list[Item]:
        """Return what is waiting, up to ``most`` in weight; nothing after ``timeout`` seconds or once closed."""
        with self._changed:
            if not self._items and not self._closed:
                self._changed.wait(timeout)
            if 0 < len(self._items) < self._taken_before and not self._closed:
                self._changed.wait(LINGER)
            taken: list[Item] = []
            weight = 0
            while self._items and (not taken or weight + _weight(self._items[0][0]) <= most):
                item = self._items.popleft()
                taken.append(item)
                weight += _weight(item[0])
            self._weight -= weight
            self._taken_before = len(taken)
            return taken

    def put_back(self, items: list[Item]) -> None:
        """Return requests that were taken to the front."""
        with self._changed:
            self._items.extendleft(reversed(items))
            self._weight += sum(_weight(request) for request, _ in items)

    def close(self) -> None:
        """Let ``take`` wait no longer."""
        with self._changed:
            self._closed = True
            self._changed.notify()


def _weight(request: Request) -> int:
    if isinstance(request, Reward):
        return 1 + len(request.ids) // AS_MANY_AS_ONE
    return 1 + len(request.times) // AS_MANY_AS_ONE if isinstance(request, Observe) else 1
