"""Records as text."""

import math
from collections.abc import Mapping, Sequence


def text_table(
    rows: Sequence[Mapping[str, object]], width: int | None = None, sections: Sequence[str] = (), keys: int = 1
) -> str:
    """Return flat records as columns under their names, text aligned left and numbers right.

    Parameters
    ----------
    rows
        The records.
    width
        Largest length of a line; default None, any. In a table that would be wider, names are broken into several
        lines. Columns that still do not fit follow below, with the first columns repeated.
    sections
        Columns whose values become headings if the table would be wider, with their rows below them. Default none.
    keys
        How many first columns say what a row is about, and are repeated; default 1.

    Examples
    --------
    >>> rows = [{"policy": "Random", "regret per round": 0.51234}, {"policy": "QuickDraw", "regret per round": 0.05}]
    >>> print(text_table(rows))
    policy     regret per round
    Random               0.5123
    QuickDraw            0.0500
    >>> print(text_table(rows, width=20))
                  regret
    policy     per round
    Random        0.5123
    QuickDraw     0.0500
    """
    columns = {name: _texts([row[name] for row in rows]) for name in rows[0]}
    if sections and width is not None and _width(columns, {name: [name] for name in columns}) > width:
        return "\n\n".join(
            f"{', '.join(map(str, key))}\n{text_table(part, width)}" for key, part in _parts(rows, sections).items()
        )
    left = {name: all(isinstance(row[name], str) and not _is_number(row[name]) for row in rows) for name in columns}
    heads = {name: [name] for name in columns}
    if width is not None and _width(columns, heads) > width:
        heads = {name: _in_two_lines(name) for name in columns}
    blocks: list[list[str]] = [[]]
    first = list(columns)[:keys]
    for name in columns:
        if blocks[-1] and width is not None and _width(columns, heads, [*blocks[-1], name]) > width:
            blocks.append(list(first) if len(blocks[-1]) > keys else [])
        blocks[-1].append(name)
    return "\n\n".join(_block({name: columns[name] for name in block}, heads, left) for block in blocks)


def _parts(
    rows: Sequence[Mapping[str, object]], sections: Sequence[str]
) -> dict[tuple[object, ...], list[dict[str, object]]]:
    """Return rows by their values in some columns, without these."""
    parts: dict[tuple[object, ...], list[dict[str, object]]] = {}
    for row in rows:
        rest = {name: value for name, value in row.items() if name not in sections}
        parts.setdefault(tuple(row[name] for name in sections), []).append(rest)
    return parts


def _width(columns: Mapping[str, list[str]], heads: Mapping[str, list[str]], names: Sequence[str] | None = None) -> int:
    widths = [max(map(len, (*columns[name], *heads[name]))) for name in names or columns]
    return sum(widths) + 2 * (len(widths) - 1)


def _in_two_lines(name: str) -> list[str]:
    """Return a name cut at the space that makes the longer line shortest."""
    words = name.split(" ")
    cuts = [[" ".join(words[:k]), " ".join(words[k:])] for k in range(1, len(words))]
    return min(cuts, key=lambda lines: max(map(len, lines)), default=[name])


def _block(columns: Mapping[str, list[str]], heads: Mapping[str, list[str]], left: Mapping[str, bool]) -> str:
    height = max(len(heads[name]) for name in columns)
    cells = {name: [""] * (height - len(heads[name])) + heads[name] + columns[name] for name in columns}
    padded = []
    for name, texts in cells.items():
        width = max(map(len, texts))
        padded.append([text.ljust(width) if left[name] else text.rjust(width) for text in texts])
    return "\n".join("  ".join(row).rstrip() for row in zip(*padded, strict=True))


def _is_number(text: object) -> bool:
    """Return whether a text is a number that was formatted already."""
    try:
        float(str(text))
    except ValueError:
        return False
    return True


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
