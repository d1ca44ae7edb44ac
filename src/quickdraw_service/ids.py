"""Names of decisions, and the random numbers that belong to each."""

import hashlib
import os
import time
from collections.abc import Callable

import numpy as np

LONGEST = 128
"""Characters of an id."""
MADE_AT_ONCE = 256
"""Ids whose random part is made at once."""


class DecisionIds:
    """Makes UUIDs of version 7: they begin with the time in milliseconds, so that an index takes them in order.

    Parameters
    ----------
    clock
        Returns the time in seconds since 1970; default the system's.

    Examples
    --------
    >>> ids = DecisionIds(clock=lambda: 0.001)
    >>> ids.new()[:15]
    '00000000-0001-7'
    """

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._chances: list[str] = []  # what follows the time, made for many at once
        self._millisecond, self._when = -1, ""

    def new(self) -> str:
        """Return an id that nobody has."""
        if not self._chances:
            digits = os.urandom(10 * MADE_AT_ONCE).hex()
            self._chances = [_behind_time(digits[k : k + 20]) for k in range(0, len(digits), 20)]
        now = max(0, int(self._clock() * 1000)) & 0xFFFFFFFFFFFF
        if now != self._millisecond:
            when = f"{now:012x}"
            self._millisecond, self._when = now, f"{when[:8]}-{when[8:]}-"
        return self._when + self._chances.pop()


def _behind_time(digits: str) -> str:
    """Return the part of an id that is random, but for its version and its variant."""
    variant = "89ab"[int(digits[3], 16) & 3]
    return f"7{digits[:3]}-{variant}{digits[4:7]}-{digits[7:19]}"


class DecisionRandom:
    """The random numbers of each decision, the same wherever and however often they are asked for.

    Parameters
    ----------
    experiment, seed
        The experiment's name and seed.

    Examples
    --------
    >>> draws = DecisionRandom("prices", seed=0)
    >>> float(draws.of("a").random()) == float(draws.of("a").random()) != float(draws.of("b").random())
    True
    """

    def __init__(self, experiment: str, seed: int) -> None:
        key = hashlib.blake2b(f"{seed}/{experiment}".encode(), digest_size=32).digest()
        self._keyed = hashlib.blake2b(digest_size=32, key=key)
        self._bits = np.random.PCG64(0)
        self._generator = np.random.Generator(self._bits)

    def of(self, decision: str) -> np.random.Generator:
        """Return the generator of a decision; it serves until the next one is asked for."""
        hashed = self._keyed.copy()
        hashed.update(decision.encode())
        digest = hashed.digest()
        # Setting the state of one generator takes a fifth of the time of making a new one.
        self._bits.state = {
            "bit_generator": "PCG64",
            "state": {"state": int.from_bytes(digest[:16]), "inc": int.from_bytes(digest[16:]) | 1},
            "has_uint32": 0,
            "uinteger": 0,
        }
        return self._generator


def is_id(text: str) -> bool:
    """Tell whether a text can be an id: not empty, at most 128 characters, and every store and address can hold it.

    Examples
    --------
    >>> is_id("order-17"), is_id(""), is_id("a" * 129), is_id(chr(0)), is_id(".."), is_id(chr(0xD800))
    (True, False, False, False, False, False)
    """
    if not 0 < len(text) <= LONGEST or text in (".", ".."):
        return False
    if text.isascii():
        return "\0" not in text
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)
