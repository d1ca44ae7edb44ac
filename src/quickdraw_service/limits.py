"""How much one server takes. Beyond a limit a request is refused at once, with what to do about it."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

MIB = 2**20


@dataclass(frozen=True)
class Limits:
    """Limits of one server process.

    Attributes
    ----------
    body
        Bytes of a JSON body; default 8 MiB.
    arms_body
        Bytes of a Parquet or ``.npy`` body with arms; default 256 MiB.
    bodies
        Bytes of all large bodies (above 64 KiB) that are being read at one time; default 512 MiB. Bounds memory.
    count
        Decisions in one request; default 1,000.
    rewards
        Rewards in one request; default 10,000.
    observations
        Observations in one request; default 100,000.
    arms
        Arms of an experiment; default 2,000,000.
    all_arms
        Arms of all experiments together; default 10,000,000. Each takes up to a kilobyte of memory once it is played,
        and a process that takes more memory than there is would be ended by the system.
    belief
        Arms in one answer about the belief; default 10,000.
    page
        Decisions in one page of the list of decisions; default 1,000.
    waiting
        Requests that wait for the log at one time; default 10,000.
    queue_ms
        Milliseconds in which the log must be able to take all that wait; default 250. Further requests are refused. A
        larger value refuses fewer of a burst, and the last of it wait longer.
    wait_seconds, body_seconds
        Seconds to wait for the log, and for the rest of a body; default 20 each.
    readers, reading
        Threads for questions that change nothing (default 2), and questions waiting for them (default 64).
    exports
        Logs streamed at one time; default 4.
    """

    body: int = 8 * MIB
    arms_body: int = 256 * MIB
    bodies: int = 512 * MIB
    count: int = 1_000
    rewards: int = 10_000
    observations: int = 100_000
    arms: int = 2_000_000
    all_arms: int = 10_000_000
    belief: int = 10_000
    page: int = 1_000
    waiting: int = 10_000
    queue_ms: int = 250
    wait_seconds: float = 20.0
    body_seconds: float = 20.0
    readers: int = 2
    reading: int = 64
    exports: int = 4


MAY_BE_RAISED = (
    "body",
    "arms_body",
    "bodies",
    "all_arms",
    "waiting",
    "queue_ms",
    "wait_seconds",
    "body_seconds",
    "readers",
    "reading",
    "exports",
)
"""The others are part of the API's description, and may only be lowered."""


def limits_from(texts: Sequence[str]) -> Limits:
    """Return limits from texts like ``count=100``; the others are the defaults.

    Examples
    --------
    >>> limits_from(["count=100", "body=1000000"]).count
    100
    """
    defaults = {field.name: getattr(Limits(), field.name) for field in fields(Limits)}
    given: dict[str, int] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if name not in defaults:
            raise ValueError(f"a limit must be one of {', '.join(defaults)}, got {name!r}")
        if not (value.isascii() and value.isdecimal()) or int(value) < 1:
            raise ValueError(f"the limit {name} must be a whole number from 1, got {value!r}")
        if name not in MAY_BE_RAISED and int(value) > defaults[name]:
            raise ValueError(f"the limit {name} may be at most {defaults[name]}, got {value}")
        given[name] = int(value)
    return Limits(**given)
