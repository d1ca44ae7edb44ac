"""Policies from plain values and arrays."""

from collections import deque
from functools import partial
from typing import Any

import numpy as np
from numpy.lib import format as numpy_format

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.saving.classes import saved_classes
from quickdraw_bandits.saving.encode import ALIGNMENT

GENERATORS = ("PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937")


class Decoder:
    """Turns plain values and arrays into a policy."""

    def __init__(self, content: bytes, end: int, table: list[dict[str, Any]], arms: Arms | Box | None) -> None:
        self._content = content
        self._begin = end + -end % ALIGNMENT
        self._table = table
        self._arms = arms
        self._made: list[Any] = []
        self._classes = saved_classes()

    def decode(self, value: Any) -> Any:
        """Return what was encoded."""
        if not isinstance(value, dict):
            return value
        if "scalar" in value:
            return self._array(value["scalar"])[()]
        if "bytes" in value:
            return bytes.fromhex(value["bytes"])
        if "again" in value:
            return self._made[value["again"]]
        number = len(self._made)
        self._made.append(None)  # takes its number before what it holds
        self._made[number] = self._decode_new(value, number)
        return self._made[number]

    def _decode_new(self, value: dict[str, Any], number: int) -> Any:
        if "arms" in value:
            return self._arms
        if "array" in value:
            return self._array(value["array"])
        if "generator" in value:
            return _generator(self.decode(value["generator"]))
        if "list" in value or "deque" in value:
            items: list[Any] | deque[Any] = [] if "list" in value else deque()
            self._made[number] = items
            items.extend(self.decode(each) for each in value["list" if "list" in value else "deque"])
            return items
        if "dict" in value:
            self._made[number] = found = {}
            for key, each in value["dict"]:
                found[self.decode(key)] = self.decode(each)
            return found
        if "tuple" in value:
            parts = [self.decode(each) for each in value["tuple"]]
            return tuple(parts) if value["class"] is None else self._classes[value["class"]](*parts)
        if "partial" in value:
            function, arguments, keywords = (self.decode(each) for each in value["partial"])
            return partial(function, *arguments, **keywords)
        if "name" in value:
            return self._classes[value["name"]]
        made = object.__new__(self._classes[value["object"]])
        self._made[number] = made
        _set_state(made, self.decode(value["state"]))
        if isinstance(made, Box) and self._arms is not None:
            return self._arms
        # An engine may hold a part of the arms, which is a set of its own.
        if isinstance(made, Arms) and isinstance(self._arms, Arms) and len(made) == len(self._arms):
            return self._arms
        return made

    def _array(self, number: int) -> Any:
        entry = self._table[number]
        kind = numpy_format.descr_to_dtype(_tuples(entry["type"]))
        begin = self._begin + entry["offset"]
        flat = np.frombuffer(self._content, dtype=np.uint8, count=entry["bytes"], offset=begin).copy()
        array = np.ndarray(tuple(entry["shape"]), kind, flat, order="F" if entry["by_columns"] else "C")
        array.setflags(write=entry["writeable"])
        return array


def _set_state(made: Any, state: Any) -> None:
    """Fill an object with its state, as copying does."""
    if hasattr(made, "__setstate__"):
        made.__setstate__(state)
        return
    attributes, slots = state if isinstance(state, tuple) else (state, None)
    for name, value in {**(attributes or {}), **(slots or {})}.items():
        object.__setattr__(made, name, value)


def _generator(state: dict[str, Any]) -> np.random.Generator:
    kinds: dict[str, Any] = {kind: getattr(np.random, kind) for kind in GENERATORS}
    bits = kinds[state["bit_generator"]]()
    bits.state = state
    return np.random.Generator(bits)


def _tuples(description: Any) -> Any:
    """Return a type's description as NumPy wants it: a list of fields, each a tuple."""
    if isinstance(description, str):
        return description
    return [(name, _tuples(kind), *(tuple(shape) for shape in rest)) for name, kind, *rest in description]
