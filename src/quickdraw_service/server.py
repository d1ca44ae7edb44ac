"""One server process: binds, serves, and on SIGTERM drains, writes snapshots and ends."""

import contextlib
import faulthandler
import gc
import ipaddress
import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from quickdraw_service.api.app import App
from quickdraw_service.api.direct import Protocol

DRAIN_SECONDS = 3
"""Seconds that running requests have to finish after SIGTERM; the service then has ``stop_seconds`` of the app."""
IDLE_SECONDS = 75
"""Seconds after which an idle connection is closed: longer than the 60 s of common proxies, which then close first."""
SWITCH_SECONDS = 0.002
"""After how long a busy thread lets others go on. With five milliseconds, which is usual, the thread that decides waits
ten times for the one that reads requests within every transaction."""
SILENT_SECONDS = 20
"""A connection that sends no whole request is closed after one to two times these seconds."""
BACKLOG = 4096
logger = logging.getLogger("quickdraw_service")


def is_loopback(host: str) -> bool:
    """Return whether a host name stands for addresses of the loopback interface only.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0")
    (True, False)
    """
    found = _addresses(host, 0)
    return all(ipaddress.ip_address(str(entry[4][0]).split("%")[0]).is_loopback for entry in found)


def _addresses(host: str, port: int) -> list[Any]:
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError):
        raise ValueError(f"host must be a name or address of this machine, got {host!r}") from None


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens on an address; raise OSError in one clear line if that is not possible.

    It listens at once: until then, the system would let a second server bind to the same address.
    """
    family, kind, protocol, _, address = _addresses(host, port)[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise OSError(f"cannot listen on {host}:{port}: {error.strerror}") from None
    return listener


def url_of(listener: socket.socket) -> str:
    """Return the address of a bound socket as a URL."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def allow_many_connections() -> None:
    """Raise the number of open files to what the system allows, since every connection is one."""
    if sys.platform != "win32":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


class Server(uvicorn.Server):
    """Serves one application.

    Unlike its base, it ends with a return after SIGTERM or SIGINT, and also where the service has failed for good.

    Parameters
    ----------
    app
        The application.
    on_ready
        Called once when decisions are taken.
    """

    def __init__(self, app: App, on_ready: Callable[[], None] = lambda: None) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=Protocol,
                loop="auto",
                ws="none",
                lifespan="on",
                access_log=False,
                log_config=None,
                server_header=False,
                proxy_headers=False,
                backlog=BACKLOG,
                timeout_keep_alive=IDLE_SECONDS,
                timeout_graceful_shutdown=DRAIN_SECONDS,
            )
        )
        self._app, self._on_ready, self._was_ready = app, on_ready, False
        self._silent: set[HttpToolsProtocol] = set()

    def serve_on(self, listener: socket.socket) -> None:
        """Serve until a signal comes; raise the error of a service that failed for good."""
        with contextlib.suppress(ValueError, OSError, AttributeError):  # no stderr to write to
            faulthandler.enable()  # a crash in compiled code says where it happened
        sys.setswitchinterval(SWITCH_SECONDS)
        self.run([listener])
        failure = self._app.tools.service.failure
        if failure is not None:
            raise failure

    async def on_tick(self, counter: int) -> bool:
        """Look at the service ten times a second."""
        service = self._app.tools.service
        if service.ready and not self._was_ready:
            self._was_ready = True
            # To look for garbage in all that was loaded takes a tenth of a second: it is done now, and never again.
            gc.collect()
            gc.freeze()
            self._on_ready()
        if service.failure is not None:
            self.should_exit = True
        if counter % (10 * SILENT_SECONDS) == 0:
            self._close_silent()
        return await super().on_tick(counter)

    def _close_silent(self) -> None:
        """Close connections that had sent no request when this was called before: they would stay open for ever."""
        silent = {
            each for each in self.server_state.connections if isinstance(each, HttpToolsProtocol) and not each.cycle
        }
        for connection in silent & self._silent:
            connection.transport.close()
        self._silent = silent

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End quietly on a signal: what is asked for is done, so the exit status is 0."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        # A closed terminal (SIGHUP) would otherwise end the process at once and without a word.
        numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
        before = {number: signal.signal(number, self.handle_exit) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop accepting, and say so at ``/readyz``."""
        logger.info("%s: the server stops", signal.Signals(sig).name)
        self._app.stopping()
        super().handle_exit(sig, frame)
