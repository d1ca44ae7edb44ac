"""The report: a page of HTML that needs nothing but itself."""

import base64
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from quickdraw_lab.claims import Finding, findings
from quickdraw_lab.files import is_whole
from quickdraw_lab.report.captions import CAPTIONS, TITLES, order
from quickdraw_lab.report.html_tables import claims_table, html_table, shown_table
from quickdraw_lab.report.style import STYLE
from quickdraw_lab.tables import Tables
from quickdraw_lab.verdicts import Verdict


def report_page(folder: Path) -> str:
    """Return the page for a folder that ``reproduce`` wrote; a ``ValueError`` if it holds no table and no figure."""
    if not folder.is_dir():
        raise ValueError(f"{folder} must be a folder of results, and there is none")
    tables = Tables(folder)
    figures = {path.stem: path for path in sorted(folder.glob("*.png")) if is_whole(path)}
    names = [name for name in tables.names if name != "failures"]
    if not names and not figures:
        raise ValueError(f"{folder} must hold results of quickdraw reproduce, and holds no table and no figure")
    pieces = order({name.partition("_")[0] for name in names} | set(figures))
    found = findings(tables)
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            # Nothing is loaded from anywhere, and the page says so to the browser.
            '<meta http-equiv="Content-Security-Policy" '
            "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">",
            f"<title>Quick-Draw: results</title><style>{STYLE}</style></head><body><main>",
            "<h1>Quick-Draw: the paper’s experiments, computed again</h1>",
            f"<nav>{' '.join(_link(piece) for piece in ['claims', *pieces])}</nav>",
            *_claims(found, pieces),
            *_failures(tables),
            *(line for piece in pieces for line in _piece(piece, tables, names, figures)),
            "</main></body></html>",
            "",
        ]
    )


def _link(piece: str) -> str:
    return f'<a href="#{escape(piece)}">{escape(piece)}</a>'


def _claims(found: Sequence[Finding], pieces: Sequence[str]) -> Iterator[str]:
    count = Counter(finding.verdict for finding in found)
    words: dict[Verdict, str] = {
        "holds": "hold",
        "does not hold": "do not",
        "open": "are open",
        "not measured": "were not measured",
    }
    counted = ", ".join(f"{count[verdict]} {word}" for verdict, word in words.items() if count[verdict])
    yield '<section id="claims"><h2>What the paper says, and what was measured</h2>'
    yield (
        "<p>Each verdict comes from comparisons paired over fields (for F1 over rounds and functions): the mean "
        "difference with its 95 % interval. A claim holds if the interval of every comparison lies wholly where the "
        "claim says, does not hold if one lies wholly outside, and is open otherwise. “Close” means a difference of "
        "less than a tenth of the regret of random choice under the same setting, “well below” one of more than that. "
        "No allowance is made for the number of comparisons: one whose truth is at the end of the range lies wholly "
        "outside by chance once in forty times, so that a claim of many comparisons fails by chance more often.</p>"
    )
    yield f'<p class="count">Of {len(found)} claims: {escape(counted)}.</p>'
    yield claims_table(found, pieces)
    yield "</section>"


def _failures(tables: Tables) -> Iterator[str]:
    if "failures" in tables.names:
        yield '<section id="failures"><h2>Runs that failed</h2>'
        yield html_table(tables.rows("failures"), "failures")
        yield "</section>"


def _piece(piece: str, tables: Tables, names: Sequence[str], figures: dict[str, Path]) -> Iterator[str]:
    yield f'<section id="{escape(piece)}"><h2>{escape(piece)}: {escape(TITLES.get(piece, "of your own"))}</h2>'
    for name, path in figures.items():
        if name.partition("_")[0] == piece:
            picture = base64.b64encode(path.read_bytes()).decode()
            caption = escape(CAPTIONS.get(name, ""))
            yield f'<figure><img alt="{escape(name)}. {caption}" src="data:image/png;base64,{picture}">'
            yield f"<figcaption>{caption}</figcaption></figure>"
    for name in names:
        if name.partition("_")[0] == piece:
            yield shown_table(name, tables.rows(name))
    yield "</section>"
