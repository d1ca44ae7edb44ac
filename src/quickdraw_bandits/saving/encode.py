"""Policies as plain values and arrays."""

from collections import deque
from functools import partial
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np
from numpy.lib import format as numpy_format

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.saving.classes import saved_classes

ALIGNMENT = 64
"""Arrays start at multiples of this many bytes."""


class Encoder:
    """Turns a policy into plain values and a list of arrays."""

    def __init__(self, left_out: Arms | Box | None) -> None:
        self.table: list[dict[str, Any]] = []
        self._left_out = left_out
        self._arrays: list[Any] = []
        self._length = 0
        self._seen: dict[int, int] = {}
        self._alive: list[Any] = []  # so that no id is used twice while writing
        self._names = {value: name for name, value in saved_classes().items()}

    def encode(self, value: Any, where: str) -> Any:
        """Return ``value`` as JSON can hold it; ``where`` names it in an error."""
        if value is None or isinstance(value, bool | str) or type(value) in (int, float):
            return value
        if isinstance(value, np.generic):
            return {"scalar": self._array(np.asarray(value))}
        if isinstance(value, bytes):
            return {"bytes": value.hex()}
        if id(value) in self._seen:
            return {"again": self._seen[id(value)]}
        self._seen[id(value)] = len(self._seen)
        self._alive.append(value)
        if value is self._left_out:
            return {"arms": None}
        if isinstance(value, np.ndarray):
            return {"array": self._array(value)}
        if isinstance(value, np.random.Generator):
            return {"generator": self.encode(value.bit_generator.state, where)}
        if isinstance(value, list | deque):
            kind = "list" if isinstance(value, list) else "deque"
            return {kind: [self.encode(each, f"{where}[{k}]") for k, each in enumerate(value)]}
        if isinstance(value, dict):
            pairs = value.items()
            return {"dict": [[self.encode(k, where), self.encode(each, f"{where}[{k!r}]")] for k, each in pairs]}
        if isinstance(value, tuple):
            of = None if type(value) is tuple else self._name(type(value), where)
            return {"tuple": [self.encode(each, f"{where}[{k}]") for k, each in enumerate(value)], "class": of}
        if isinstance(value, partial):
            given = [value.func, value.args, value.keywords]
            return {"partial": [self.encode(each, where) for each in given]}
        if isinstance(value, type | FunctionType | BuiltinFunctionType):
            return {"name": self._name(value, where)}
        state = value.__getstate__()  # first, since it may say why it cannot be saved
        return {"object": self._name(type(value), where), "state": self.encode(state, f"{where}")}

    def _name(self, value: Any, where: str) -> str:
        name = self._names.get(value) if isinstance(value, type | FunctionType | BuiltinFunctionType) else None
        if name is None:
            shown = getattr(value, "__qualname__", repr(value))
            raise ValueError(
                f"{where} must be of a class or function of quickdraw_bandits to be saved, got {shown}, which a file "
                "cannot hold without running code from it"
            )
        return name

    def _array(self, array: np.ndarray[Any, Any]) -> int:
        if array.dtype.hasobject:
            raise ValueError(f"arrays must hold numbers to be saved, got {array.dtype}")
        by_columns = bool(array.flags.f_contiguous and not array.flags.c_contiguous)
        entry = {
            "type": _plain(numpy_format.dtype_to_descr(array.dtype)),
            "shape": list(array.shape),
            "by_columns": by_columns,
            "writeable": bool(array.flags.writeable),
            "offset": self._length,
            "bytes": array.nbytes,
        }
        self._arrays.append(array)
        self._length += -(-array.nbytes // ALIGNMENT) * ALIGNMENT
        self.table.append(entry)
        return len(self.table) - 1

    def chunks(self, start: int) -> list[bytes]:
        """Return the bytes of all arrays, the first at the next multiple of 64 after ``start``."""
        parts = [bytes(-start % ALIGNMENT)]
        for entry, array in zip(self.table, self._arrays, strict=True):
            parts.append(array.tobytes(order="F" if entry["by_columns"] else "C"))
            parts.append(bytes(-array.nbytes % ALIGNMENT))
        return parts


def _plain(description: Any) -> Any:
    """Return a type's description with lists for tuples, as JSON has them."""
    return [_plain(each) for each in description] if isinstance(description, list | tuple) else description
