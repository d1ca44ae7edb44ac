"""Tables as HTML."""

from collections.abc import Collection, Mapping, Sequence
from html import escape

from quickdraw_bandits.plots.style import style_of
from quickdraw_lab.claims.statements import Finding
from quickdraw_lab.statistics import mean_interval

LONGEST = 30
"""Of a table with more rows, only the first ``FIRST`` are shown."""

FIRST = 8


def html_table(rows: Sequence[Mapping[str, object]], name: str) -> str:
    """Return flat records as a table."""
    head = "".join(f"<th>{escape(column)}</th>" for column in rows[0])
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_text(value))}</td>" for value in row.values()) + "</tr>" for row in rows
    )
    return (
        f'<div class="wide"><table data-name="{escape(name)}"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def shown_table(name: str, rows: Sequence[Mapping[str, str]]) -> str:
    """Return a table as the page shows it: sweeps as means over fields, long tables by their first rows."""
    file = f"<code>{escape(name)}.csv</code>"
    if rows and {"value", "policy", "field"} <= set(rows[0]):
        what = "means over fields with 95 % intervals"
        return f"<h3>{file}: {what}</h3>" + html_table(sweep_summary(rows), name)
    if len(rows) <= LONGEST:
        return f"<h3>{file}</h3>" + (html_table(rows, name) if rows else "<p>No rows.</p>")
    return f"<h3>{file}: the first {FIRST} of {len(rows):,} rows</h3>" + html_table(rows[:FIRST], name)


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


def claims_table(found: Sequence[Finding], figures: Collection[str]) -> str:
    """Return the table of claims. Comparisons unfold under what was measured; links lead to the given figures."""
    rows = "".join(
        f'<tr class="{finding.verdict.replace(" ", "-")}">'
        f"<td>{escape(finding.claim.section)}</td>"
        f"<td>{_link(finding.claim.figure, figures)}</td>"
        f"<td>{escape(finding.claim.says)}</td>"
        f"<td>{_measured(finding)}</td>"
        f'<td class="verdict">{finding.verdict}</td></tr>'
        for finding in found
    )
    head = "".join(f"<th>{name}</th>" for name in ("section", "figure", "the paper says", "measured", "verdict"))
    return (
        f'<div class="wide"><table data-name="claims"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _link(figure: str, figures: Collection[str]) -> str:
    return f'<a href="#{figure}">{figure}</a>' if figure in figures else figure


def _measured(finding: Finding) -> str:
    text = escape(finding.measured)
    if len(finding.comparisons) < 2:
        return text
    each = "".join(f"<li>{escape(str(comparison))}: {comparison.verdict}</li>" for comparison in finding.comparisons)
    return f"<details><summary>{text}</summary><ul>{each}</ul></details>"


def _text(value: object) -> str:
    """Return a value as text, long numbers with five digits."""
    text = str(value)
    try:
        number = float(text)
    except ValueError:
        return text
    return text if len(text) <= 8 else f"{number:.5g}"
