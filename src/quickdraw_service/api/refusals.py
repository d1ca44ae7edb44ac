"""Errors that the API itself finds, before the service is asked; and how every error is written."""

import math
from collections.abc import Mapping

import msgspec

from quickdraw_service.api.wire import ErrorAnswer, Problem
from quickdraw_service.errors import OverloadedError, ServiceError

Headers = list[tuple[bytes, bytes]]

_encode = msgspec.json.Encoder().encode


class MalformedError(ServiceError):
    """The body is no JSON, or the query or path is no text."""

    status, code = 400, "malformed"


class UnauthorisedError(ServiceError):
    """No key, or one that is not valid."""

    status, code = 401, "unauthorised"


class ForbiddenError(ServiceError):
    """The key does not allow this."""

    status, code = 403, "forbidden"


class NotFoundError(ServiceError):
    """There is nothing at this address."""

    status, code = 404, "not_found"


class MethodError(ServiceError):
    """The address does not take this method."""

    status, code = 405, "method_not_allowed"

    def __init__(self, method: str, allowed: str) -> None:
        super().__init__(f"{method} is not possible here", f"This address takes {allowed}.")
        self.allowed = allowed


class SlowBodyError(ServiceError):
    """The rest of the body did not come in time."""

    status, code = 408, "timeout"


class TooLargeError(ServiceError):
    """The body has too many bytes."""

    status, code = 413, "too_large"


class MediaTypeError(ServiceError):
    """The body is of a type that is not taken here."""

    status, code = 415, "unsupported_media_type"


class MisdirectedError(ServiceError):
    """The request names another host."""

    status, code = 421, "misdirected"


class InternalError(ServiceError):
    """A mistake in the service."""

    status, code = 500, "internal"


def nothing_here() -> NotFoundError:
    """Return the error for an address without anything."""
    return NotFoundError("there is nothing at this address", "The addresses are listed in /openapi.json.")


def error_body(error: ServiceError) -> bytes:
    """Return an error as JSON."""
    return _encode(ErrorAnswer(Problem(error.code, error.message, error.advice)))


def error_headers(error: ServiceError) -> Headers:
    """Return the headers that belong to an error besides its type and length."""
    if isinstance(error, OverloadedError):
        return [(b"retry-after", str(max(1, math.ceil(error.retry_after))).encode())]
    if isinstance(error, MethodError):
        return [(b"allow", error.allowed.encode())]
    if isinstance(error, UnauthorisedError):
        return [(b"www-authenticate", b"Bearer")]
    if isinstance(error, SlowBodyError | TooLargeError):
        return [(b"connection", b"close")]  # the rest of the body is not read
    return []


CODES: Mapping[int, str] = {
    400: "The body is not JSON, or the query or path is not UTF-8",
    401: "A key is needed, or this one is not valid",
    403: "The key does not allow this",
    404: "No such experiment or decision",
    405: "The address does not take this method; the header Allow has those that it takes",
    408: "The rest of the body did not come in time",
    409: "The log says otherwise: another definition, reward or number of decisions",
    413: "The body is too large",
    415: "The content type is not taken here",
    421: "Without keys, the server answers to names of this machine only",
    422: "A value cannot be taken; the message names it",
    429: "Too many requests are waiting; try again later, with the same id",
    500: "A mistake in the server, or in the policy of the experiment: the same request would fail again",
    503: "The store cannot be reached, or the server is starting or stopping; try again later, with the same id",
}
"""What the statuses of errors mean."""
