"""Records as text."""

import math
from collections.abc import Mapping, Sequence


def text_table(rows: Sequence[Mapping[str, object]]) -> str:
    """Return flat records as columns under their names, text aligned left and numbers right.

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


def _texts(values: Sequence[object]) -> list[str]:
    """Return the cells of one column: numbers with four significant digits and, if possible, equal decimals."""
    texts = [_text(value) for value in values]
    numbers = [text for text, value in zip(texts, values, strict=True) if isinstance(value, float) and text != "-"]
    decimals = max((len(text.partition(".")[2]) for text in numbers), default=0)
    if decimals > 4 or any("e" in text or "n" in text for text in numbers):
        return texts  # too different in size for the same number of decimals
    return [
        f"{value:.{decimals}f}" if isinstance(value, float) and text != "-" else text
        for text, value in zip(texts, values, strict=True)
    ]


def _text(value: object) -> str:
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.4g}"
    return str(value)
