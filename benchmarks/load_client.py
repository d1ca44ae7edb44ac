"""A lean client that loads a server: many connections in one thread, each with one request on its way.

It shares the machine with the server, so that its own work must be small: plain sockets, requests that were written
beforehand, and no more of an answer is read than its status and its length.
"""

import select
import socket
import time
from collections import Counter, deque
from collections.abc import Iterator

LENGTH = b"content-length: "
GIVE_UP = 60.0
"""Seconds without any answer after which the run fails."""


class Load:
    """What came of some requests.

    Attributes
    ----------
    statuses
        How many answers had which status.
    seconds
        How long each took, from the moment at which it was due.
    bodies
        The answers, where they are kept.
    elapsed
        Seconds from the first request to the last answer.
    """

    def __init__(self) -> None:
        self.statuses: Counter[bytes] = Counter()
        self.seconds: list[float] = []
        self.bodies: list[bytes] = []
        self.elapsed = 0.0

    @classmethod
    def of(cls, loads: "list[Load]") -> "Load":
        """Return what came of several loads that followed each other."""
        whole = cls()
        for load in loads:
            whole.statuses += load.statuses
            whole.seconds += load.seconds
            whole.elapsed += load.elapsed
        return whole

    @property
    def done(self) -> int:
        """Requests that were carried out."""
        return sum(count for status, count in self.statuses.items() if status < b"300")


class Client:
    """Connections to a server.

    Parameters
    ----------
    port
        Where it listens on this machine.
    connections
        How many to open.
    """

    def __init__(self, port: int, connections: int) -> None:
        self._poll = select.epoll()
        self._sockets: dict[int, socket.socket] = {}
        for _ in range(connections):
            opened = socket.create_connection(("127.0.0.1", port))
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._sockets[opened.fileno()] = opened
            self._poll.register(opened, select.EPOLLIN)
        self._due_at = dict.fromkeys(self._sockets, 0.0)
        self._parts = dict.fromkeys(self._sockets, b"")

    def close(self) -> None:
        """Close all connections."""
        self._poll.close()
        for each in self._sockets.values():
            each.close()

    def run(self, requests: Iterator[bytes], seconds: float, rate: float | None = None, keep: bool = False) -> Load:
        """Send requests until there are no more or the time is over, and wait for all answers.

        With a ``rate``, requests fall due at it, whether or not earlier ones were answered; otherwise every connection
        sends the next when the last was answered. ``keep`` the answers.
        """
        load, begun = Load(), time.perf_counter()
        end, last = begun + seconds, begun
        idle, due = deque(self._sockets), deque[float]()
        next_due, more = begun, True
        while more or len(idle) < len(self._sockets):
            now = time.perf_counter()
            more = more and now < end
            while rate is not None and more and next_due <= now:
                due.append(next_due)
                next_due += 1 / rate
            while idle and more and (rate is None or due):
                request = next(requests, None)
                if request is None:
                    more = False
                    break
                self._send(idle.popleft(), request, now if rate is None else due.popleft())
            wait = max(0.0, next_due - now) if rate is not None and more else 1.0
            for file, _ in self._poll.poll(wait):
                if self._receive(file, load, keep):
                    idle.append(file)
                    last = time.perf_counter()
            if time.perf_counter() - last > GIVE_UP:
                raise RuntimeError(f"no answer within {GIVE_UP:g} s")
        load.elapsed = last - begun
        return load

    def _send(self, file: int, request: bytes, due: float) -> None:
        self._due_at[file] = due
        self._sockets[file].sendall(request)

    def _receive(self, file: int, load: Load, keep: bool) -> bool:
        """Read what has come, and tell whether the answer is complete."""
        data = self._sockets[file].recv(65536)
        if not data:
            raise RuntimeError("the server closed a connection")
        if self._parts[file]:
            data = self._parts[file] + data
        head = data.find(b"\r\n\r\n")
        begin = data.find(LENGTH, 0, head) + len(LENGTH) if head > 0 else 0
        if head < 0 or len(data) < head + 4 + int(data[begin : data.index(b"\r", begin)]):
            self._parts[file] = data
            return False
        self._parts[file] = b""
        load.statuses[data[9:12]] += 1
        load.seconds.append(time.perf_counter() - self._due_at[file])
        if keep:
            load.bodies.append(data[head + 4 :])
        return True
