"""Headers that have come before, byte for byte: a client sends the same ones with nearly every request."""

import re
from typing import NamedTuple

from quickdraw_service.api.decoding import RawHeaders

MOST = 256
"""Different headers that are remembered; they differ at least by the lengths of bodies."""
LONGEST = 2048
"""Bytes of headers that are remembered."""
_LINE = re.compile(rb"(PUT|POST) (/v1/experiments/[A-Za-z0-9._~%/-]+) HTTP/1\.1")


class Whole(NamedTuple):
    """A request that has come whole, in one piece."""

    method: str
    path: bytes
    headers: RawHeaders
    body: bytes


class Heads:
    """Reads requests whose headers are known, and leaves all others to the parser.

    What the parser made of some headers is remembered. Where the same bytes come again, behind a plain request line
    and before a body of the length that they announce, and with nothing else in the same piece, the parser would find
    the same. All connections share one memory.
    """

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[RawHeaders, int]] = {}

    def remember(self, data: bytes, headers: RawHeaders, body: bytes) -> None:
        """Take in what the parser has found in a piece of data, if that was one whole request."""
        line, _, rest = data.partition(b"\r\n")
        block, _, behind = rest.partition(b"\r\n\r\n")
        if behind == body and len(block) <= LONGEST and _LINE.fullmatch(line):
            if len(self._known) >= MOST:
                self._known.clear()
            self._known[block] = headers, len(body)

    def read(self, data: bytes) -> Whole | None:
        """Return the request that a piece of data is, None where the parser must look at it."""
        line, _, rest = data.partition(b"\r\n")
        block, _, body = rest.partition(b"\r\n\r\n")
        known = self._known.get(block)
        if known is None or known[1] != len(body):
            return None
        found = _LINE.fullmatch(line)
        return None if found is None else Whole(found[1].decode(), found[2], known[0], body)
