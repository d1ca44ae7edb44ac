"""The application: finds the operation, checks the key, calls the handler, writes the answer."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from time import perf_counter

import msgspec
import numpy as np
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute
from starlette.types import Receive, Scope, Send

from quickdraw_service.api.access import Access
from quickdraw_service.api.backend import Backend, Deliver
from quickdraw_service.api.decoding import BodyReader, RawHeaders, decode_segment
from quickdraw_service.api.direct import Direct, Protocol
from quickdraw_service.api.heads import Heads
from quickdraw_service.api.metrics import Metrics
from quickdraw_service.api.openapi import describe_cached
from quickdraw_service.api.operation import Asked, Call, Operation, Routes, Text, Tools
from quickdraw_service.api.operations import OPERATIONS
from quickdraw_service.api.refusals import (
    Headers,
    InternalError,
    MethodError,
    error_body,
    error_headers,
    nothing_here,
)
from quickdraw_service.api.waiting import Readers, Waiting
from quickdraw_service.definition import check_name
from quickdraw_service.errors import BadRequestError, ServiceError, UnavailableError
from quickdraw_service.ids import LONGEST
from quickdraw_service.keys import KeyRing
from quickdraw_service.limits import Limits

logger = logging.getLogger("quickdraw_service")


def _plain(value: object) -> object:
    """Return a number of NumPy as one of Python."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be sent")


_encode = msgspec.json.Encoder(enc_hook=_plain).encode
_JSON = (b"content-type", b"application/json")
_NO_SNIFFING = (b"x-content-type-options", b"nosniff")
_METHODS = {"HEAD": "GET"}
"""Methods that are answered as another one; the server leaves out the body."""
KEYS_EVERY = 2.0
"""Seconds between two looks at the keys in the store: how long a revoked key may still work."""


def create_app(
    open_service: Callable[[Deliver], Backend],
    *,
    limits: Limits | None = None,
    loopback: bool = True,
    page: Sequence[BaseRoute] = (),
    stop_seconds: float = 5.0,
) -> "App":
    """Return the ASGI application.

    Parameters
    ----------
    open_service
        Makes the service, given the function that takes its answers. Called when the application starts.
    limits
        What one request may ask for; the defaults of ``Limits``.
    loopback
        Whether the server listens on the loopback interface only; default True. With False, every request needs a key.
    page
        Routes of the pages for people, such as the one at ``/``; they come after those of the API. They are sent
        without a key, so they must hold no data: their scripts ask the API for it, with a key where there are some.
    stop_seconds
        Seconds that the service has to finish when the application stops; default 5.
    """
    return App(open_service, limits or Limits(), loopback, page, stop_seconds)


class App:
    """The ASGI application; see ``create_app``."""

    def __init__(
        self,
        open_service: Callable[[Deliver], Backend],
        limits: Limits,
        loopback: bool,
        page: Sequence[BaseRoute],
        stop_seconds: float,
    ) -> None:
        self._open_service, self._limits, self._stop_seconds = open_service, limits, stop_seconds
        self._access, self._routes, self.metrics = Access(loopback), Routes(OPERATIONS), Metrics()
        self._page = Starlette(
            routes=list(page), lifespan=self._lifespan, exception_handlers={HTTPException: _page_refused}
        )
        self._has_page = bool(page)
        self.heads = Heads()
        self.tools: Tools

    def stopping(self) -> None:
        """Say at ``/readyz`` from now on that the server stops."""
        if hasattr(self, "tools"):
            self.tools.stopping = True

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        loop, limits = asyncio.get_running_loop(), self._limits
        waiting = Waiting(loop, limits.wait_seconds, limits.queue_ms / 1000, limits.waiting)
        service = self._open_service(waiting.deliver)
        readers = Readers(limits.readers, limits.reading)
        bodies = BodyReader(limits.bodies, limits.body_seconds)
        self.tools = Tools(service, limits, waiting, readers, bodies, self.metrics, describe_cached())
        service.start()
        following = asyncio.create_task(self._follow_keys())
        try:
            yield
        finally:
            self.stopping()
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following
            await asyncio.to_thread(service.stop, self._stop_seconds)
            readers.close()

    async def _follow_keys(self) -> None:
        """Read the keys again and again; where that fails, the last ones stay in force."""
        while True:
            try:
                self._access.ring = KeyRing(await asyncio.to_thread(self.tools.service.keys))
            except ServiceError:
                pass  # the store cannot be reached now
            except Exception:
                logger.exception("the keys could not be read")
                await asyncio.sleep(KEYS_EVERY)
            await asyncio.sleep(KEYS_EVERY if self._access.known else 0.05)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._page(scope, receive, send)
            return
        started = perf_counter()
        operations, segments = self._routes.find(scope["raw_path"])
        method = str(scope["method"])
        operation = None if operations is None else operations.get(_METHODS.get(method, method))
        headers: Headers = []
        answer: Text | bytes
        try:
            if operations is None and self._has_page and not scope["path"].startswith("/v1"):
                self._access.check(scope["headers"], None, None)
                await self._page(scope, receive, send)
                return
            if operations is None:
                raise nothing_here()
            if operation is None:
                raise MethodError(scope["method"], ", ".join(sorted({*operations, *_heads(operations)})))
            call = self.checked(operation, segments, scope["headers"], scope["query_string"], receive)
            status, found = await operation.handle(call)
            answer = found if isinstance(found, Text) else self.encode(found)
        except Exception as error:
            status, answer, headers = self.refused(error, operation)
        self.metrics.observe(operation.name if operation else "none", status, perf_counter() - started)
        if isinstance(answer, Text):
            await _send_text(status, answer, scope, receive, send)
            return
        await _send(status, [_JSON, _NO_SNIFFING, *headers], answer, send)

    def checked(
        self,
        operation: Operation,
        segments: list[bytes],
        headers: RawHeaders,
        query: bytes = b"",
        receive: Receive | None = None,
    ) -> Call:
        """Return a request that may go on: its key and what is in its path are right."""
        path = [decode_segment(segment) for segment in segments]
        experiment = path[0] if path else None
        if operation.role is not None and not self._access.known:
            raise UnavailableError("the server is starting", "Try again later.")
        key = self._access.check(headers, operation.role, experiment, operation.some)
        if experiment is not None:
            check_name(experiment)
        if len(path) > 1 and (len(path[1]) > LONGEST or "\0" in path[1]):
            raise BadRequestError(f"the id of a decision must have at most {LONGEST} characters, none of them null")
        call = Call(self.tools, operation, headers, query, receive, path)
        call.key = key
        return call

    def refused(self, error: Exception, operation: Operation | None) -> tuple[int, bytes, Headers]:
        """Return status, body and headers for a request that cannot be carried out."""
        if isinstance(error, ServiceError):
            return error.status, error_body(error), error_headers(error)
        logger.error("a request failed: %s", operation.name if operation else "no operation", exc_info=error)
        mistake = InternalError("the server made a mistake; its log has the details", "Try again, or report it.")
        return 500, error_body(mistake), []

    @staticmethod
    def encode(answer: object) -> bytes:
        """Return an answer as JSON."""
        return _encode(answer)

    def direct(self, protocol: Protocol, method: str, path: bytes, headers: RawHeaders) -> Direct | None:
        """Return the request at the beginning of its direct way, None where it has none."""
        operations, segments = self._routes.find(path)
        operation = operations.get(method) if operations else None
        asked = operation.handle if operation is not None else None
        if operation is None or not isinstance(asked, Asked) or not hasattr(self, "tools"):
            return None
        return Direct(protocol, self, operation, asked, segments, headers)


def _page_refused(request: Request, error: Exception) -> Response:
    """Return what the pages cannot answer in the shape of all errors."""
    allowed = (getattr(error, "headers", None) or {}).get("Allow", "")
    refused = MethodError(request.method, allowed) if allowed else nothing_here()
    return Response(
        error_body(refused),
        refused.status,
        {name.decode(): value.decode() for name, value in [_NO_SNIFFING, *error_headers(refused)]},
        "application/json",
    )


def _heads(operations: Collection[str]) -> tuple[str, ...]:
    return tuple(head for head, get in _METHODS.items() if get in operations)


async def _send(status: int, headers: Headers, body: bytes, send: Send) -> None:
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _send_text(status: int, text: Text, scope: Scope, receive: Receive, send: Send) -> None:
    if isinstance(text.content, bytes):
        await _send(status, [(b"content-type", text.media.encode()), _NO_SNIFFING], text.content, send)
        return
    headers = {"content-type": text.media, "x-content-type-options": "nosniff"}
    if text.file is not None:
        headers["content-disposition"] = f'attachment; filename="{text.file}"'
    try:
        content = _nothing() if scope["method"] == "HEAD" else text.content
        await StreamingResponse(content, status, headers)(scope, receive, send)
    finally:
        await text.content.aclose()  # also where the client has gone


async def _nothing() -> AsyncIterator[bytes]:
    for part in list[bytes]():
        yield part
