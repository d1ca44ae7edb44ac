"""Decisions and rewards on the shortest way: from the parser to the log and back, without a task for each.

Such a request is known by its address and a short body. All others, and these where anything about
them is unusual, go through the application as any ASGI server would have it. Both ways call the same functions.
"""

import asyncio
from time import perf_counter
from typing import TYPE_CHECKING

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from quickdraw_service.api.decoding import LARGE, RawHeaders, header, slow_body
from quickdraw_service.api.operation import Asked, Call, Operation
from quickdraw_service.api.refusals import Headers, MalformedError, error_body
from quickdraw_service.errors import ServiceError
from quickdraw_service.requests import Answer

if TYPE_CHECKING:
    from quickdraw_service.api.app import App

LONGEST_HEAD = 64 * 1024
"""Bytes of a request line with its headers, beyond which no more is read."""
_PREFIX = b"/v1/experiments/"
_TAIL = b"\r\ncontent-type: application/json\r\nx-content-type-options: nosniff\r\n"
_BEGINNINGS = {status: line[:-2] + _TAIL for status, line in STATUS_LINE.items()}
_CLOSE = (b"connection", b"close")
_UNUSUAL = frozenset((b"expect", b"upgrade", b"transfer-encoding"))


class Direct:
    """One request, in the place of the cycle that the base class of ``Protocol`` keeps for it."""

    __slots__ = (
        "_app",
        "_asked",
        "_call",
        "_headers",
        "_operation",
        "_protocol",
        "_segments",
        "_started",
        "_timer",
        "body",
        "disconnected",
        "keep_alive",
        "more_body",
        "response_complete",
    )

    def __init__(
        self,
        protocol: "Protocol",
        app: "App",
        operation: Operation,
        asked: Asked,
        segments: list[bytes],
        headers: RawHeaders,
    ) -> None:
        self._protocol, self._app, self._operation, self._asked = protocol, app, operation, asked
        self._segments, self._headers = segments, headers
        self._call: Call | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._started = perf_counter()
        self.body = b""
        self.more_body = True
        self.response_complete = False
        self.disconnected = False
        self.keep_alive = True

    @property
    def message_event(self) -> "Direct":
        """What the base class sets when a part of the body has come, or the connection is lost."""
        return self

    def set(self) -> None:
        """Do nothing: nobody waits for the event."""

    def wait(self, loop: asyncio.AbstractEventLoop) -> None:
        """Wait for the rest of the body, as long as a client has for it."""
        if self._timer is None:
            self._timer = loop.call_later(self._app.tools.limits.body_seconds, self._give_up)

    def _give_up(self) -> None:
        if self.more_body and not self.response_complete:
            self._refuse(slow_body(self._app.tools.limits.body_seconds))

    def start(self) -> None:
        """Hand the request to the worker, now that its body is complete."""
        if self._timer is not None:
            self._timer.cancel()
        app, tools = self._app, self._app.tools
        try:
            self._call = app.checked(self._operation, self._segments, self._headers)
            request = self._asked.request(self._call, self.body)
            tools.waiting.submit(tools.service, request, self)
        except Exception as error:
            self._refuse(error)

    @property
    def answered(self) -> bool:
        """Whether there is nothing left to do."""
        return self.response_complete

    def settle(self, answer: Answer | ServiceError) -> None:
        """Send the answer of the worker."""
        if self.response_complete or self.disconnected:
            self.response_complete = True
            return
        assert self._call is not None
        if isinstance(answer, ServiceError):
            self._refuse(answer)
            return
        try:
            status, found = self._asked.reply(self._call, answer)
            body = self._app.encode(found)
        except Exception as error:
            self._refuse(error)
            return
        self._send(status, body, [])

    def _refuse(self, error: Exception) -> None:
        self._send(*self._app.refused(error, self._operation))

    def _send(self, status: int, body: bytes, headers: Headers) -> None:
        self.response_complete = True
        self._app.metrics.observe(self._operation.name, status, perf_counter() - self._started)
        transport = self._protocol.transport
        if transport.is_closing():
            return
        if not self.keep_alive and _CLOSE not in headers:
            headers = [*headers, _CLOSE]
        more = b"".join([b"%b: %b\r\n" % pair for pair in headers]) if headers else b""
        transport.write(b"%b%bcontent-length: %d\r\n\r\n%b" % (_BEGINNINGS[status], more, len(body), body))
        if headers and _CLOSE in headers:
            transport.close()
        self._protocol.on_response_complete()


class Protocol(HttpToolsProtocol):
    """Sends decisions and rewards on the direct way.

    It also closes connections whose request line and headers are too long, which the parser would take without end.
    """

    _unparsed = 0
    """Bytes since the parser last came to the end of headers, of a part of a body, or of a request."""
    _piece: bytes | None = None
    """What is being parsed, if a request began with it."""
    _between = True
    """Whether the parser is between two requests."""
    _idle_since: float | None = None
    """When the last request was answered; None since the next has begun."""

    def data_received(self, data: bytes) -> None:
        """Parse what has come."""
        if self._between and self._read_known(data):
            return
        self._unparsed += len(data)
        if self._unparsed - len(data) > LONGEST_HEAD:
            self.send_400_response("request line and headers are too long")
            return
        self._piece = data if self._between else None
        super().data_received(data)
        self._piece = None
        cycle: object = self.cycle
        if isinstance(cycle, Direct) and cycle.more_body:
            cycle.wait(self.loop)

    def _read_known(self, data: bytes) -> bool:
        """Begin a request that needs no parser; return whether there is one."""
        if not self._is_free() or self.transport.is_closing():
            return False
        app: App = self.config.app  # type: ignore[assignment]
        whole = app.heads.read(data)
        if whole is None:
            return False
        direct = app.direct(self, whole.method, whole.path, whole.headers)
        if direct is None:
            return False
        self._idle_since = None
        self.cycle = direct  # type: ignore[assignment]
        direct.body, direct.more_body = whole.body, False
        direct.start()
        return True

    def _is_free(self) -> bool:
        """Tell whether a request may begin at once."""
        answered = self.cycle is None or self.cycle.response_complete
        return answered and not self.pipeline and not self.flow.write_paused

    def on_message_begin(self) -> None:
        """Note that a request begins; what an application is told of it is made when it is needed."""
        self._between = False
        self.url, self.headers, self.expect_100_continue = b"", [], False

    def on_headers_complete(self) -> None:
        """Begin the request."""
        self._unparsed = 0
        direct = self._direct() if self._is_free() else None
        if direct is not None:
            self.cycle = direct  # type: ignore[assignment]
            return
        url, headers, expects = self.url, self.headers, self.expect_100_continue
        super().on_message_begin()
        self.url, self.headers, self.expect_100_continue = url, headers, expects
        self.scope["headers"] = headers
        super().on_headers_complete()

    def _direct(self) -> Direct | None:
        """Return the request that has begun, if it may take the direct way."""
        url, app = self.url, self.config.app
        if not url.startswith(_PREFIX) or b"?" in url or b"#" in url:
            return None
        if not _has_short_body(self.headers) or self.parser.get_http_version() != "1.1":
            return None
        return app.direct(self, self.parser.get_method().decode("ascii"), url, self.headers)  # type: ignore[union-attr, no-any-return]

    def on_body(self, body: bytes) -> None:
        """Take a part of a body."""
        self._unparsed = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Begin what has come whole."""
        super().on_message_complete()
        self._between = True
        cycle: object = self.cycle
        if isinstance(cycle, Direct) and not cycle.response_complete:
            cycle.keep_alive = cycle.keep_alive and self.parser.should_keep_alive()  # not while the server stops
            if cycle.keep_alive and self._piece is not None:
                self.config.app.heads.remember(self._piece, self.headers, bytes(cycle.body))  # type: ignore[union-attr]
            cycle.start()
        self._piece = None  # another request may follow in the same piece

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP in the shape of all errors."""
        error = MalformedError(msg, "Send HTTP/1.1; percent-encode the path, and keep headers short.")
        body = error_body(error)
        head = b"connection: close\r\ncontent-length: %d\r\n\r\n" % len(body)
        self.transport.write(_BEGINNINGS[400] + head + body)
        self.transport.close()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Answer a client that has asked and will send no more, and close the connection after that."""
        cycle = self.cycle
        if cycle is None or cycle.response_complete or cycle.more_body:
            return False
        cycle.keep_alive = False
        return True

    def on_response_complete(self) -> None:
        """Go on with the next request, or wait for one."""
        if self.pipeline:
            super().on_response_complete()
            return
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        self._idle_since = self.loop.time()
        if self.timeout_keep_alive_task is None:
            self._look_again(self.timeout_keep_alive)

    # One timer per connection looks from time to time, which costs less than one per request.

    def _look_again(self, seconds: float) -> None:
        self.timeout_keep_alive_task = self.loop.call_later(seconds, self.timeout_keep_alive_handler)

    def _unset_keepalive_if_required(self) -> None:
        self._idle_since = None

    def timeout_keep_alive_handler(self) -> None:
        """Close the connection if it has been idle for long enough."""
        self.timeout_keep_alive_task = None
        if self._idle_since is not None:
            left = self._idle_since + self.timeout_keep_alive - self.loop.time()
            if left > 0:
                self._look_again(left)
            else:
                super().timeout_keep_alive_handler()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the timer as well."""
        if self.timeout_keep_alive_task is not None:
            self.timeout_keep_alive_task.cancel()
        super().connection_lost(exc)


def _has_short_body(headers: RawHeaders) -> bool:
    """Tell whether a body is announced that needs no further watching."""
    length = header(headers, b"content-length")
    if length is None or not length.isdigit() or len(length) > 6 or int(length) > LARGE:
        return False
    return not any(name in _UNUSUAL for name, _ in headers)
