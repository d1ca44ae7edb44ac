"""Tables as the report shows them."""

from collections.abc import Mapping, Sequence

from quickdraw_bandits.plots.style import style_of
from quickdraw_lab.statistics import mean_interval

LONGEST = 30
"""Of a table with more rows, only the first ``FIRST`` are shown."""

FIRST = 8


def shown_table(name: str, rows: Sequence[Mapping[str, str]]) -> dict[str, object]:
    """Return the name, a note and the rows that are shown: sweeps as means over fields, long tables by first rows."""
    if rows and {"value", "policy", "field"} <= set(rows[0]):
        return {"name": name, "note": ": means over fields with 95 % intervals", "rows": sweep_summary(rows)}
    if len(rows) <= LONGEST:
        return {"name": name, "note": "", "rows": rows}
    return {"name": name, "note": f": the first {FIRST} of {len(rows):,} rows", "rows": rows[:FIRST]}


def sweep_summary(rows: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return one row per value and policy, with the mean over fields and its interval for each measured column."""
    columns = [name for name in rows[0] if name not in ("parameter", "value", "policy", "field")]
    groups: dict[tuple[str, str, str], list[Mapping[str, str]]] = {}
    for row in rows:
        groups.setdefault((row["parameter"], row["value"], row["policy"]), []).append(row)
    return [
        {
            "parameter": parameter,
            "value": value,
            "policy": style_of(policy).label,
            "fields": str(len(group)),
            **{name.replace("_", " "): _interval(group, name) for name in columns},
        }
        for (parameter, value, policy), group in groups.items()
    ]


def _interval(rows: Sequence[Mapping[str, str]], column: str) -> str:
    values = [float(row[column]) for row in rows if row[column] != ""]
    if not values:
        return "–"
    mean, low, high = mean_interval(values)
    return f"{mean:.4g}" if column == "seconds" else f"{mean:.4f} [{low:.4f}, {high:.4f}]"
