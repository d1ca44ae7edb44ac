"""The report: one self-contained HTML page."""

import base64
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from quickdraw_lab.claims.statements import Finding, findings
from quickdraw_lab.claims.verdicts import RULES, Verdict
from quickdraw_lab.figures.catalogue import FIGURES, in_order
from quickdraw_lab.files import is_complete
from quickdraw_lab.report.html_tables import claims_table, html_table, shown_table
from quickdraw_lab.report.style import STYLE
from quickdraw_lab.tables import Tables


def report_page(folder: Path) -> str:
    """Return the page of a folder that ``quickdraw reproduce`` wrote to."""
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder")
    tables = Tables(folder)
    pictures = {path.stem: path for path in sorted(folder.glob("*.png")) if is_complete(path)}
    names = [name for name in tables.names if name != "failures"]
    if not names and not pictures:
        raise ValueError(f"{folder} has no results of quickdraw reproduce: no table and no figure")
    figures = in_order({name.partition("_")[0] for name in names} | set(pictures))
    found = findings(tables)
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            # Tells the browser that the page loads nothing.
            '<meta http-equiv="Content-Security-Policy" '
            "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">",
            f"<title>Quick-Draw: results</title><style>{STYLE}</style></head><body><main>",
            "<h1>Quick-Draw: the paper’s experiments, computed again</h1>",
            f"<nav>{' '.join(_link(figure) for figure in ['claims', *figures])}</nav>",
            *_claims(found, figures),
            *_failures(tables),
            *(line for figure in figures for line in _figure(figure, tables, names, pictures)),
            "</main></body></html>",
            "",
        ]
    )


def _link(figure: str) -> str:
    return f'<a href="#{escape(figure)}">{escape(figure)}</a>'


def _claims(found: Sequence[Finding], figures: Sequence[str]) -> Iterator[str]:
    count = Counter(finding.verdict for finding in found)
    words: dict[Verdict, str] = {
        "holds": "hold",
        "does not hold": "do not hold",
        "open": "are open",
        "not measured": "were not measured",
    }
    counted = ", ".join(f"{count[verdict]} {word}" for verdict, word in words.items() if count[verdict])
    yield '<section id="claims"><h2>What the paper says, and what was measured</h2>'
    yield f"<p>{escape(RULES)}</p>"
    yield f'<p class="count">Of {len(found)} claims: {escape(counted)}.</p>'
    yield claims_table(found, figures)
    yield "</section>"


def _failures(tables: Tables) -> Iterator[str]:
    if "failures" in tables.names:
        yield '<section id="failures"><h2>Runs that failed</h2>'
        yield html_table(tables.rows("failures"), "failures")
        yield "</section>"


def _figure(figure: str, tables: Tables, names: Sequence[str], pictures: dict[str, Path]) -> Iterator[str]:
    title = FIGURES[figure].title if figure in FIGURES else "of your own"
    yield f'<section id="{escape(figure)}"><h2>{escape(figure)}: {escape(title)}</h2>'
    for name, path in pictures.items():
        if name.partition("_")[0] == figure:
            picture = base64.b64encode(path.read_bytes()).decode()
            caption = escape(FIGURES[name].caption if name in FIGURES else "")
            yield f'<figure><img alt="{escape(name)}. {caption}" src="data:image/png;base64,{picture}">'
            yield f"<figcaption>{caption}</figcaption></figure>"
    for name in names:
        if name.partition("_")[0] == figure:
            yield shown_table(name, tables.rows(name))
    yield "</section>"
