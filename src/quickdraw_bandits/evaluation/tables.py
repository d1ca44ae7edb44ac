"""Records as lines of text."""

import math
from collections.abc import Mapping, Sequence
from typing import Any


def text_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return flat records as aligned columns under their names; names to the left, numbers to the right.

    Examples
    --------
    >>> print(text_table([{"policy": "Random", "regret": 0.51234}, {"policy": "QuickDraw", "regret": 0.05}]))
    policy     regret
    Random     0.5123
    QuickDraw    0.05
    """
    names = list(rows[0])
    cells = [names] + [[_text(row[name]) for name in names] for row in rows]
    left = [all(isinstance(row[name], str) for row in rows) for name in names]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = (
        "  ".join(
            cell.ljust(width) if is_left else cell.rjust(width)
            for cell, width, is_left in zip(row, widths, left, strict=True)
        )
        for row in cells
    )
    return "\n".join(line.rstrip() for line in lines)


def _text(value: Any) -> str:
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.4g}"
    return str(value)
