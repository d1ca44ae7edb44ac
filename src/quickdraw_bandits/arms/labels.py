"""Names of arms."""

from collections.abc import Sequence
from functools import cached_property
from typing import Self, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quickdraw_bandits.arrays import plain_array
from quickdraw_bandits.checks import Integers


class Labels:
    """Unique strings, one per arm, in one array.

    Examples
    --------
    >>> labels = Labels.checked(["red", "green"], 2)
    >>> labels.position("green")
    1
    >>> labels.position("blue")
    Traceback (most recent call last):
    ValueError: label must be one of the 2 labels of the arms, got 'blue'
    """

    def __init__(self, names: NDArray[np.str_]) -> None:
        self.names = names

    @classmethod
    def checked(cls, labels: ArrayLike, n_arms: int) -> Self:
        """Return one label per arm, or raise ValueError."""
        array = np.asarray(labels)
        if array.dtype.kind == "O" and all(isinstance(name, str) for name in array.flat):
            array = array.astype(np.str_)
        if array.shape != (n_arms,) or array.dtype.kind != "U":
            raise ValueError(f"labels must be {n_arms} strings, one per arm, got {array.dtype} of shape {array.shape}")
        found = cls(array.copy())
        found.names.setflags(write=False)
        ordered = array[found._order]
        same = np.flatnonzero(ordered[1:] == ordered[:-1])
        if len(same):
            raise ValueError(f"labels must be unique, got {str(ordered[same[0]])!r} more than once")
        return found

    @cached_property
    def _order(self) -> Integers:
        return np.argsort(self.names, kind="stable")

    def position(self, label: str) -> int:
        """Return the position of the arm of this name, or raise ValueError."""
        place = int(np.searchsorted(self.names, label, sorter=self._order))
        if place == len(self.names) or self.names[self._order[place]] != label:
            raise ValueError(f"label must be one of the {len(self.names)} labels of the arms, got {label!r}")
        return int(self._order[place])

    def positions(self, labels: Sequence[object] | NDArray[np.generic], name: str = "label") -> Integers:
        """Return the positions of the arms of these names, or raise ValueError for the first that is none."""
        try:
            wanted = np.array([str(label) for label in labels], dtype=np.str_) if len(labels) else self.names[:0]
        except TypeError:
            raise ValueError(f"{name} must hold labels of arms, got {labels!r}") from None
        place = np.minimum(np.searchsorted(self.names, wanted, sorter=self._order), len(self.names) - 1)
        found: Integers = self._order[place]
        wrong = np.flatnonzero(self.names[found] != wanted)
        if len(wrong):
            raise ValueError(
                f"{name} must be one of the {len(self.names)} labels of the arms, got "
                f"{str(wanted[wrong[0]])!r} at position {wrong[0]}"
            )
        return found

    def extended(self, labels: "Labels") -> "Labels":
        """Return these labels and others behind them."""
        names = np.concatenate([self.names, labels.names])
        return Labels.checked(names, len(names))


def resolved(labels: Labels | None, name: str, given: object) -> object:
    """Return arms given by label as positions, columns of data frames as arrays, and all else unchanged."""
    given = plain_array(given)
    texts = [given] if isinstance(given, str) else given
    if not _are_texts(texts):
        if labels is not None and _holds_fractions(given):
            raise ValueError(
                f"{name} must be a position from 0 to {len(labels.names) - 1} or a label, which is a string like "
                f"{str(labels.names[0])!r}, got {np.asarray(given).flat[0]}"
            )
        return given
    if labels is None:
        raise ValueError(f"{name} must be a position, as the arms have no labels, got {str(texts[0])!r}")
    for text in texts:
        if not isinstance(text, str):
            raise ValueError(f"{name} must hold labels or positions, not both, got {text!r} among labels")
    found = labels.positions(texts, name)
    return int(found[0]) if isinstance(given, str) else found


def _holds_fractions(values: object) -> bool:
    """Return whether the first of some numbers is finite and not whole."""
    if not isinstance(values, float | np.floating | np.ndarray | list | tuple) or not np.size(values):
        return False
    first = values if isinstance(values, float) else np.asarray(values).flat[0]
    return isinstance(first, float) and np.isfinite(first) and not first.is_integer()


def _are_texts(values: object) -> TypeGuard[Sequence[str] | NDArray[np.str_]]:
    """Return whether the first of several values is a text."""
    several = isinstance(values, list | tuple) or (isinstance(values, np.ndarray) and values.ndim == 1)
    return several and len(values) > 0 and isinstance(values[0], str)  # type: ignore[arg-type, index]
