"""The report: one self-contained HTML page of a results folder."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from quickdraw_lab.claims.statements import Finding, findings
from quickdraw_lab.claims.verdicts import RULES, Verdict
from quickdraw_lab.figures.catalogue import FIGURES, in_order
from quickdraw_lab.files import is_complete
from quickdraw_lab.pages import Picture, render
from quickdraw_lab.report.shown_tables import shown_table
from quickdraw_lab.result_tables import Tables

_WORDS: Mapping[Verdict, tuple[str, str]] = {
    "holds": ("holds", "hold"),
    "does not hold": ("does not hold", "do not hold"),
    "open": ("is open", "are open"),
}


def report_page(folder: Path) -> str:
    """Return the page of a folder that ``quickdraw reproduce`` wrote to.

    Claims about results that are not in the folder are only counted, below everything else.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder")
    tables = Tables(folder)
    pictures = _pictures(folder)
    names = [name for name in tables.names if name != "failures"]
    if not names and not pictures:
        raise ValueError(f"{folder} has no results of quickdraw reproduce: no table and no figure")
    ids = in_order({name.partition("_")[0] for name in (*names, *pictures)})
    every = findings(tables)
    found = [finding for finding in every if finding.verdict != "not measured"]
    failures = tables.rows("failures") if "failures" in tables.names else []
    sections = [*(["claims"] if found else []), *(["failures"] if failures else []), *ids]
    return render(
        "report.html",
        sections=sections,
        found=found,
        counted=_counted(found),
        absent=len(every) - len(found),
        rules=RULES,
        failures=failures,
        figures=[_figure(each, tables, names, pictures) for each in ids],
    )


def _pictures(folder: Path) -> dict[str, list[Path]]:
    """Return the files of each picture that has a PNG; others may be drawings of someone's own."""
    found = [path for path in sorted(folder.glob("*.png")) if is_complete(path)]
    return {path.stem: [path, *([vector] if (vector := path.with_suffix(".svg")).exists() else [])] for path in found}


def _counted(found: Sequence[Finding]) -> str:
    count = Counter(finding.verdict for finding in found)
    return ", ".join(
        f"{count[verdict]} {words[count[verdict] > 1]}" for verdict, words in _WORDS.items() if count[verdict]
    )


def _figure(figure: str, tables: Tables, names: Sequence[str], pictures: Mapping[str, list[Path]]) -> dict[str, object]:
    return {
        "name": figure,
        "title": FIGURES[figure].title if figure in FIGURES else "of your own",
        "pictures": [
            Picture.read(files, FIGURES[name].caption if name in FIGURES else "")
            for name, files in pictures.items()
            if name.partition("_")[0] == figure
        ],
        "tables": [shown_table(name, tables.rows(name)) for name in names if name.partition("_")[0] == figure],
    }
