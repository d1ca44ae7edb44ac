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
    QuickDraw  0.0500
    """
    names = list(rows[0])
    columns = [[row[name] for row in rows] for name in names]
    cells = [names, *map(list, zip(*map(_texts, columns), strict=True))]
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


def _texts(values: Sequence[Any]) -> list[str]:
    """Return the cells of one column; its numbers have as many decimals as show four digits of the largest."""
    sizes = [abs(value) for value in values if isinstance(value, float) and math.isfinite(value) and value != 0]
    decimals = 3 - math.floor(math.log10(max(sizes))) if sizes else 0
    if any(size < 10.0**-decimals for size in sizes) or not -4 < decimals < 9:
        return [_text(value) for value in values]  # too different in size for one number of decimals
    decimals = max(decimals, 0)
    return [
        f"{value:.{decimals}f}" if isinstance(value, float) and math.isfinite(value) else _text(value)
        for value in values
    ]


def _text(value: Any) -> str:
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.4g}"
    return str(value)
