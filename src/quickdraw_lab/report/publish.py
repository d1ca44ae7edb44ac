"""The page of simulated results in the documentation, and the tables and figures behind it.

``python -m quickdraw_lab.report.publish RESULTS docs/results/simulated`` copies the figures, compresses the tables and
writes ``docs/results/simulated.md``. Facts about the run (command, machine, versions, time) are in ``about.json`` in
the target folder. Without RESULTS only the page is written, from the tables that are there.
"""

import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from quickdraw_bandits.plots.style import style_of
from quickdraw_lab.claims.statements import Finding, findings
from quickdraw_lab.claims.verdicts import RULES
from quickdraw_lab.figures.catalogue import FIGURES
from quickdraw_lab.figures.f4_to_f9_sweeps import SWEEPS
from quickdraw_lab.files import compress, replacing
from quickdraw_lab.result_tables import Tables
from quickdraw_lab.statistics import mean_interval


def pack(results: Path, target: Path) -> None:
    """Copy the figures and compress the tables of a results folder."""
    target.mkdir(parents=True, exist_ok=True)
    for table in sorted(results.glob("F*.csv")):
        compress(table, target)
    for figure in sorted(results.glob("F*.png")):
        shutil.copyfile(figure, target / figure.name)


def page(folder: Path) -> str:
    """Return the page of a packed folder, as Markdown."""
    tables = Tables(folder)
    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    found = findings(tables)
    lines = [
        "# Simulated experiments",
        "",
        "F1 to F11 and F13 of the paper, reproduced. Every number on this page is read from the tables linked below.",
        "",
        "```",
        about["command"],
        "```",
        "",
        *(f"- {name.capitalize()}: {about[name]}" for name in about if name != "command"),
        "",
        *_claims(found),
        *(
            line
            for figure_id in FIGURES
            if (folder / f"{figure_id}.png").exists()
            for line in _figure(figure_id, folder, tables)
        ),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _claims(found: Sequence[Finding]) -> Iterator[str]:
    count = Counter(finding.verdict for finding in found)
    yield "## What the paper says, and what was measured"
    yield ""
    unmeasured = f" ({count['not measured']} were not measured)" if count["not measured"] else ""
    yield (
        f"Of {len(found)} claims in sections 3.4 and 5 and appendix A, {count['holds']} hold, "
        f"{count['does not hold']} do not hold, and {count['open']} are open{unmeasured}. {RULES}"
    )
    yield ""
    yield "| section | figure | the paper says | measured | verdict |"
    yield "|---|---|---|---|---|"
    for finding in found:
        claim = finding.claim
        verdict = finding.verdict if finding.verdict == "holds" else f"**{finding.verdict}**"
        yield f"| {claim.section} | {claim.figure} | {claim.says} | {finding.measured} | {verdict} |"
    yield ""


def _figure(figure_id: str, folder: Path, tables: Tables) -> Iterator[str]:
    title = FIGURES[figure_id].title
    yield f"## {figure_id}: {title}"
    yield ""
    yield f"![{figure_id}]({folder.name}/{figure_id}.png)"
    yield ""
    yield FIGURES[figure_id].caption
    yield ""
    if figure_id in SWEEPS:
        yield from _sweep(figure_id, tables)
    packed = [name for name in tables.names if name.partition("_")[0] == figure_id]
    yield "Numbers: " + ", ".join(f"[{name}]({folder.name}/{name}.csv.gz)" for name in packed) + "."
    yield ""


def _sweep(figure_id: str, tables: Tables) -> Iterator[str]:
    """Yield mean regrets with the half-width of their intervals: one row per value, one column per policy."""
    rows = tables.rows(figure_id)
    policies = list(dict.fromkeys(row["policy"] for row in rows))
    yield f"| {SWEEPS[figure_id].parameter} | " + " | ".join(style_of(policy).label for policy in policies) + " |"
    yield "|---" * (len(policies) + 1) + "|"
    for value in SWEEPS[figure_id].values:
        cells = []
        for policy in policies:
            mean, _, high = mean_interval(list(tables.by_field(figure_id, policy, value).values()))
            cells.append(f"{mean:.3f} ± {high - mean:.3f}")
        yield f"| {value:g} | " + " | ".join(cells) + " |"
    yield ""


def main(arguments: Sequence[str]) -> None:
    """Pack the results, if given, and write the page."""
    *results, target = map(Path, arguments)
    for folder in results:
        pack(folder, target)
    with replacing(target.with_suffix(".md")) as temporary:
        temporary.write_text(page(target), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
