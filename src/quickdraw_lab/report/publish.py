"""Results made small enough to keep beside the documentation, with a page whose numbers come from them.

``python -m quickdraw_lab.report.publish RESULTS docs/results/simulated`` copies the figures, compresses
the tables and writes ``docs/results/simulated.md``. What the page says about the run itself (command, machine,
versions, time) stands in ``about.json`` in the target folder. Without RESULTS only the page is written again.
"""

import gzip
import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from quickdraw_lab.claim_tests import NAMES
from quickdraw_lab.claims import Finding, findings
from quickdraw_lab.files import replacing
from quickdraw_lab.report.captions import CAPTIONS, TITLES
from quickdraw_lab.statistics import mean_interval
from quickdraw_lab.sweeps import SWEEPS
from quickdraw_lab.tables import Tables


def pack(results: Path, target: Path) -> None:
    """Copy figures, and compress tables so that the same table gives the same bytes."""
    target.mkdir(parents=True, exist_ok=True)
    for table in sorted(results.glob("F*.csv")):
        (target / f"{table.name}.gz").write_bytes(gzip.compress(table.read_bytes(), 9, mtime=0))
    for figure in sorted(results.glob("F*.png")):
        shutil.copyfile(figure, target / figure.name)


def page(folder: Path) -> str:
    """Return the page for a packed folder, as Markdown."""
    tables = Tables(folder)
    about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    found = findings(tables)
    lines = [
        "# Simulated experiments",
        "",
        "F1 to F11 and F13 of the paper, computed again. Every number on this page is read from the tables beside it.",
        "",
        "```",
        about["command"],
        "```",
        "",
        *(f"- {name.capitalize()}: {about[name]}" for name in about if name != "command"),
        "",
        *_claims(found),
        *(line for piece in TITLES if (folder / f"{piece}.png").exists() for line in _piece(piece, folder, tables)),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _claims(found: Sequence[Finding]) -> Iterator[str]:
    count = Counter(finding.verdict for finding in found)
    yield "## What the paper says, and what was measured"
    yield ""
    yield (
        f"Of {len(found)} claims of sections 3.4 and 5 and appendix A, {count['holds']} hold, "
        f"{count['does not hold']} do not, and {count['open']} stay open{_unmeasured(count['not measured'])}. "
        "Each verdict comes from comparisons paired over fields (for F1 over rounds and functions), with 95 % "
        "intervals: a claim holds if the interval of every comparison lies wholly where the claim says, does not hold "
        "if one lies wholly outside, and is open otherwise. “Close” means a difference of less than a tenth of the "
        "regret of random choice, “well below” one of more than that. No allowance is made for the number of "
        "comparisons: one whose truth is at the end of the range lies wholly outside by chance once in forty times, "
        "so that a claim of many comparisons fails by chance more often."
    )
    yield ""
    yield "| section | figure | the paper says | measured | verdict |"
    yield "|---|---|---|---|---|"
    for finding in found:
        claim = finding.claim
        verdict = finding.verdict if finding.verdict == "holds" else f"**{finding.verdict}**"
        yield f"| {claim.section} | {claim.piece} | {claim.says} | {finding.measured} | {verdict} |"
    yield ""


def _unmeasured(number: int) -> str:
    return f" ({number} not measured)" if number else ""


def _piece(piece: str, folder: Path, tables: Tables) -> Iterator[str]:
    title = TITLES[piece]
    yield f"## {piece}: {title}"
    yield ""
    yield f"![{piece}]({folder.name}/{piece}.png)"
    yield ""
    yield CAPTIONS[piece]
    yield ""
    if piece in SWEEPS:
        yield from _sweep(piece, tables)
    packed = [name for name in tables.names if name.partition("_")[0] == piece]
    yield "Numbers: " + ", ".join(f"[{name}]({folder.name}/{name}.csv.gz)" for name in packed) + "."
    yield ""


def _sweep(piece: str, tables: Tables) -> Iterator[str]:
    """Yield mean regrets with half the width of their intervals, a row to a value and a column to a policy."""
    rows = tables.rows(piece)
    policies = list(dict.fromkeys(row["policy"] for row in rows))
    yield f"| {SWEEPS[piece].parameter} | " + " | ".join(NAMES.get(policy, policy) for policy in policies) + " |"
    yield "|---" * (len(policies) + 1) + "|"
    for value in SWEEPS[piece].values:
        cells = []
        for policy in policies:
            mean, _, high = mean_interval(list(tables.by_field(piece, policy, value).values()))
            cells.append(f"{mean:.3f} ± {high - mean:.3f}")
        yield f"| {value:g} | " + " | ".join(cells) + " |"
    yield ""


def main(arguments: Sequence[str]) -> None:
    """Pack, if results are given, and write the page."""
    *results, target = map(Path, arguments)
    for folder in results:
        pack(folder, target)
    with replacing(target.with_suffix(".md")) as temporary:
        temporary.write_text(page(target), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
