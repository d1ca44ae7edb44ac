"""Parameters that share one text in a docstring ("low, high") get one entry each in the reference, with their type."""

import re
from typing import Any

import griffe

_SHARED = re.compile(r"^(?P<names>\w+(?:, \w+)+)\n(?P<text>(?:(?: {4}.*|)\n?)+)", re.MULTILINE)


class SharedParameters(griffe.Extension):
    """Changes docstrings as they are read."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Repeat the text of parameters that share it."""
        if obj.docstring is not None:
            obj.docstring.value = _SHARED.sub(_repeated, obj.docstring.value)


def _repeated(entry: re.Match[str]) -> str:
    text = entry["text"].rstrip("\n")
    rest = entry["text"][len(text) :]
    return "\n".join(f"{name}\n{text}" for name in entry["names"].split(", ")) + rest
