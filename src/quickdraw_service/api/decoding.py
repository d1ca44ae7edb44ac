"""From bytes to checked bodies and queries. Whatever comes, the answer is a value or one clear error."""

import asyncio
import re
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar
from urllib.parse import parse_qsl, unquote_to_bytes

import msgspec

from quickdraw_service.api.refusals import MalformedError, MediaTypeError, SlowBodyError, TooLargeError
from quickdraw_service.errors import BadRequestError, OverloadedError

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
RawHeaders = Sequence[tuple[bytes, bytes]]
T = TypeVar("T")

SHOWN = 40
"""Characters of a wrong value that an error repeats."""
_TIME = re.compile(r"time|times\[.*\]")
LARGE = 64 * 1024
"""Bodies above this many bytes count against the bytes that all may take together."""


class BodyReader:
    """Reads bodies within limits of size, time and total memory.

    Parameters
    ----------
    total
        Bytes of all large bodies being read at one time.
    seconds
        Seconds that a client has to send the rest of a body.
    """

    def __init__(self, total: int, seconds: float) -> None:
        self._total, self._seconds, self._taken = total, seconds, 0

    async def read(self, headers: RawHeaders, receive: Receive, limit: int) -> bytes:
        """Return the body, or raise TooLargeError, SlowBodyError or OverloadedError."""
        announced = header(headers, b"content-length")
        if announced is not None and (not announced.isdigit() or int(announced[:20]) > limit):
            raise too_large(limit)
        message = await self._next(receive)
        part: bytes = message.get("body", b"")
        if not message.get("more_body", False):
            if len(part) > limit:
                raise too_large(limit)
            return part
        return await self._rest(bytes(part), receive, limit, limit if announced is None else int(announced))

    async def _next(self, receive: Receive) -> MutableMapping[str, Any]:
        try:
            async with asyncio.timeout(self._seconds):
                message = await receive()
        except TimeoutError:
            raise slow_body(self._seconds) from None
        if message["type"] == "http.disconnect":
            raise MalformedError("the connection was closed before the body was complete")
        return message

    async def _rest(self, first: bytes, receive: Receive, limit: int, expected: int) -> bytes:
        size = expected if expected > LARGE else 0
        if self._taken + size > self._total:
            raise OverloadedError("too many large bodies are being read", "Try again later.")
        self._taken += size
        parts, length, more = [first], len(first), True
        try:
            while more:
                message = await self._next(receive)
                parts.append(message.get("body", b""))
                length += len(parts[-1])
                if length > limit:
                    raise too_large(limit)
                more = message.get("more_body", False)
        finally:
            self._taken -= size
        return b"".join(parts)


def slow_body(seconds: float) -> SlowBodyError:
    """Return the error for a body that did not come in time."""
    return SlowBodyError(f"the body did not come within {seconds:g} s", "Send it faster, or in smaller parts.")


def too_large(limit: int) -> TooLargeError:
    """Return the error for a body of more bytes than a limit."""
    return TooLargeError(
        f"the body must have at most {limit:,} bytes",
        "Send several smaller requests; arms may come as Parquet or .npy.",
    )


def header(headers: RawHeaders, name: bytes) -> bytes | None:
    """Return the first header of a name in small letters, or None."""
    for key, value in headers:
        if key == name:
            return value
    return None


def content_type(headers: RawHeaders) -> str:
    """Return the type of the body, without its parameters, in small letters."""
    value = header(headers, b"content-type") or b""
    return value.split(b";", 1)[0].strip().lower().decode("latin-1")


def require_json(headers: RawHeaders) -> None:
    """Raise MediaTypeError unless the body is JSON.

    Browsers ask before they send this type to another site, so no page from elsewhere can write to the log.
    """
    kind = header(headers, b"content-type")
    if kind != b"application/json" and content_type(headers) != "application/json":
        raise MediaTypeError(
            f"the body must be application/json, got {content_type(headers)[:100] or 'no content type'!r}",
            "Send the header Content-Type: application/json.",
        )


_HALF_A_CHARACTER = re.compile(rb"\\u[dD][89a-fA-F]")
_decoders: dict[type, msgspec.json.Decoder[Any]] = {}


def _decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    found = _decoders.get(kind)
    if found is None:
        found = _decoders[kind] = msgspec.json.Decoder(kind)
    return found


def decode_json(body: bytes, kind: type[T], what: str = "the body") -> T:
    """Return JSON as its type, or raise MalformedError (no JSON) or BadRequestError (other fields or types)."""
    try:
        return _decoder(kind).decode(body)
    except msgspec.ValidationError as error:
        problem = str(error)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedError(
            f"{what} is not valid JSON in UTF-8: {_reason(body, error)}",
            "NaN and Infinity are not JSON; numbers must be finite.",
        ) from None
    try:
        value = msgspec.json.decode(body)
        if "got `float`" in problem:  # JSON makes no difference between 1 and 1.0
            return msgspec.convert(_whole(value), kind)
    except (msgspec.ValidationError, msgspec.DecodeError, RecursionError):
        value = None
    raise _described(problem, kind, "field", what, value)


def _reason(body: bytes, error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if "surrogate" in str(error) or ("truncated" in str(error) and _HALF_A_CHARACTER.search(body)):
        return "an escape from \\ud800 to \\udfff is half a character, and the other half is missing"
    return str(error)


def _whole(value: object) -> object:
    """Return a value with whole numbers as ints."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= 2**53:
        return int(value)
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return {name: _whole(each) for name, each in value.items()} if isinstance(value, dict) else value


def decode_query(query: bytes, kind: type[T]) -> T:
    """Return the query as its type; every parameter may be given once."""
    given: dict[str, str] = {}
    try:
        pairs = parse_qsl(
            query.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=bool(query),
            errors="strict",
            max_num_fields=64,
        )
    except ValueError as error:  # UnicodeDecodeError is one too
        raise MalformedError(f"the query cannot be read: {error}", "Write it as name=value&name=value.") from None
    for name, value in pairs:
        if name in given:
            raise BadRequestError(f"the parameter {name[:100]!r} must be given once")
        if "\0" in value:
            raise BadRequestError(f"the parameter {name[:100]!r} must have no null character")
        given[name] = value
    try:
        return msgspec.convert(given, kind, strict=False)
    except msgspec.ValidationError as error:
        raise _described(str(error), kind, "parameter", "the query", given) from None


def decode_segment(segment: bytes) -> str:
    """Return one part of the path as text; ``%2F`` is a slash within it."""
    try:
        return (unquote_to_bytes(segment) if b"%" in segment else segment).decode()
    except UnicodeDecodeError:
        raise MalformedError("the path is not UTF-8", "Percent-encode names and ids as UTF-8.") from None


def _described(problem: str, kind: type, what: str, whole: str, value: object) -> BadRequestError:
    """Return msgspec's finding in the words of the caller: the field first, then what was expected and what came."""
    finding, _, place = problem.partition(" - at ")
    place = place.strip("`").removeprefix("$").removeprefix(".")
    if finding.startswith("Object contains unknown field "):
        name = finding.split("`", 1)[1].rstrip("`")
        known = _fields_at(kind, place)
        near = get_close_matches(name, known, n=1)
        meant = f"; did you mean {near[0]!r}?" if near else ""
        where = f" in {place}" if place else ""
        return BadRequestError(f"unknown {what} {name[:100]!r}{where}{meant}", _list_of(what, known))
    if finding.startswith("Object missing required field "):
        name, where = finding.split("`", 1)[1].rstrip("`"), f" in {place}" if place else ""
        return BadRequestError(f"the {what} {name!r}{where} is missing", f"Send it; {_list_of(what, [])}")
    finding = finding.replace("`", "")
    finding = f"{finding[0].lower()}{finding[1:]}"
    if finding.startswith("expected") and ", got " not in finding:
        finding += _came(value, place)
    advice = f"/openapi.json says what each {what} takes."
    if _TIME.fullmatch(place) and finding.endswith("got str"):
        advice = "A time is a number, such as the seconds since 1970."
    return BadRequestError(f"{place or whole}: {finding}", advice)


def _came(value: object, place: str) -> str:
    """Return what is at a place such as ``arms.grid.n`` or ``among[3]``; nothing where that cannot be told."""
    for step in re.findall(r"[^.\[\]]+", place):
        try:
            value = value[int(step)] if isinstance(value, list) else value[step]  # type: ignore[index]
        except (LookupError, TypeError, ValueError):
            return ""
    if isinstance(value, str | list):
        size = f"{len(value):,} {'characters' if isinstance(value, str) else 'entries'}"
        return f", got {size}" if len(value) > SHOWN or isinstance(value, list) else f", got {value!r}"
    return f", got {value!r}" if isinstance(value, int | float) and len(repr(value)) <= SHOWN else ""


def _fields_at(kind: type, place: str) -> list[str]:
    """Return the names of the fields at the top; inside nested objects, the error names the place instead."""
    return [] if place else [field.encode_name for field in msgspec.structs.fields(kind)]


def _list_of(what: str, names: Sequence[str]) -> str:
    return f"The {what}s are: {', '.join(names)}." if names else f"/openapi.json lists the {what}s."
