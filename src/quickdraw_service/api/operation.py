"""One operation of the API: what it takes, what it answers, who may ask, and the function that does it."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from quickdraw_service.api.backend import Backend
from quickdraw_service.api.decoding import (
    BodyReader,
    RawHeaders,
    Receive,
    decode_json,
    decode_query,
    require_json,
    too_large,
)
from quickdraw_service.api.metrics import Metrics
from quickdraw_service.api.waiting import Readers, Waiting
from quickdraw_service.api.wire import Body, NoQuery
from quickdraw_service.keys import Key, Role
from quickdraw_service.limits import Limits
from quickdraw_service.requests import Answer, Request

T = TypeVar("T")
ERRORS = (400, 401, 403, 405, 421, 422, 429, 500, 503)
"""Statuses of errors that every operation under ``/v1`` may answer with."""


@dataclass(frozen=True, slots=True)
class Text:
    """An answer that is not JSON: whole, or in parts as they come."""

    media: str
    content: bytes | AsyncGenerator[bytes, None]
    file: str | None = None


Reply = tuple[int, object]
"""The status, and the answer: a ``Text``, or what is encoded as JSON."""


@dataclass(slots=True)
class Tools:
    """What handlers work with: the same for all requests of a server."""

    service: Backend
    limits: Limits
    waiting: Waiting
    readers: Readers
    bodies: BodyReader
    metrics: Metrics
    description: bytes
    exports: int = 0
    """Logs being streamed now."""
    stopping: bool = False


class Call:
    """One request on its way through a handler."""

    __slots__ = ("_query", "_receive", "experiment", "headers", "id", "key", "operation", "tools")

    def __init__(
        self,
        tools: Tools,
        operation: "Operation",
        headers: RawHeaders,
        query: bytes,
        receive: Receive | None,
        path: list[str],
    ) -> None:
        self.tools, self.operation, self.headers = tools, operation, headers
        self._query, self._receive = query, receive
        self.experiment = path[0] if path else ""
        self.id = path[1] if len(path) > 1 else ""
        self.key: Key | None = None

    async def body(self, kind: type[T]) -> T:
        """Return the JSON body."""
        require_json(self.headers)
        return decode_json(await self.raw_body(self.tools.limits.body), kind)

    def decoded(self, body: bytes, kind: type[T]) -> T:
        """Return a JSON body that has come whole."""
        require_json(self.headers)
        if len(body) > self.tools.limits.body:
            raise too_large(self.tools.limits.body)
        return decode_json(body, kind)

    async def raw_body(self, limit: int) -> bytes:
        """Return the body as it came."""
        assert self._receive is not None
        return await self.tools.bodies.read(self.headers, self._receive, limit)

    def query(self, kind: type[T]) -> T:
        """Return the parameters of the query."""
        return decode_query(self._query, kind)

    async def ask(self, request: Request) -> Answer:
        """Return the worker's answer to a request that writes."""
        return await self.tools.waiting.ask(self.tools.service, request)

    def refuse_query(self) -> None:
        """Raise BadRequestError if there is a query where none is taken."""
        if self._query:
            decode_query(self._query, NoQuery)


class Asked:
    """A handler in two parts that wait for nothing: from a body to what the worker is asked, and from its answer on.

    Parameters
    ----------
    request, reply
        The two parts.
    optional
        Whether the body may be left out; default False.
    """

    __slots__ = ("optional", "reply", "request")

    def __init__(
        self, request: Callable[[Call, bytes], Request], reply: Callable[[Call, Any], Reply], optional: bool = False
    ) -> None:
        self.request, self.reply, self.optional = request, reply, optional

    async def __call__(self, call: Call) -> Reply:
        """Handle a request whose body may still be on its way."""
        call.refuse_query()
        if not self.optional:
            require_json(call.headers)
        body = await call.raw_body(call.tools.limits.body)
        return self.reply(call, await call.ask(self.request(call, body)))


@dataclass(frozen=True)
class Operation:
    """A line of the API's table.

    Attributes
    ----------
    method, path, name
        Where it is; ``{name}`` and ``{id}`` in the path stand for one segment each. ``name`` identifies it in metrics
        and in the description.
    role, some
        The role that a key needs, None for no key; with ``some``, a key for any experiment will do.
    summary, description
        What it does.
    handle
        Does it.
    answers
        The types of its answers by status; None for one that is not JSON.
    body, query
        Types of the body and of the query.
    media
        Content types of answers that are not JSON.
    arms
        Whether arms may also come as a Parquet or ``.npy`` body.
    errors
        Statuses of errors that only some operations have.
    """

    method: str
    path: str
    name: str
    role: Role | None
    summary: str
    handle: Callable[[Call], Awaitable[Reply]]
    answers: Mapping[int, type | None]
    body: type[Body] | None = None
    query: type[Body] = NoQuery
    errors: tuple[int, ...] = ()
    some: bool = False
    media: tuple[str, ...] = ()
    arms: bool = False
    description: str = ""

    @property
    def statuses(self) -> tuple[int, ...]:
        """All statuses of errors."""
        if self.role is None:
            return tuple(sorted({400, 405, 421, 422, 500, *self.errors}))
        of_body = (408, 413, 415) if self.body is not None else ()
        return tuple(sorted({*ERRORS, *of_body, *self.errors}))


class Routes:
    """Finds the operation of a path. Segments are compared before ``%2F`` is decoded, so ids may have slashes."""

    def __init__(self, operations: "list[Operation]") -> None:
        self._root: dict[bytes, Any] = {}
        for operation in operations:
            node = self._root
            for segment in operation.path.encode().split(b"/")[1:]:
                node = node.setdefault(b"{}" if segment.startswith(b"{") else segment, {})
            node.setdefault(b"", {})[operation.method] = operation

    def find(self, raw_path: bytes) -> tuple[dict[str, Operation] | None, list[bytes]]:
        """Return the operations at a path by method, None if there is none, and the segments for its parameters."""
        node, given = self._root, []
        for segment in raw_path.split(b"/")[1:]:
            if not segment:
                return None, []
            below = node.get(segment)
            if below is None:
                below = node.get(b"{}")
                if below is None:
                    return None, []
                given.append(segment)
            node = below
        return node.get(b""), given
