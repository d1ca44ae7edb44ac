"""The section of docs/benchmarks.md on very many arms.

``python -m quickdraw_lab.scale.page docs/benchmarks.md docs/results/scale.json`` writes it from the measurements.
"""

import sys
from pathlib import Path

from quickdraw_lab.files import replacing
from quickdraw_lab.scale.run import Measurements
from quickdraw_lab.scale.table import Row

BEGIN, END = "<!-- scale: begin -->", "<!-- scale: end -->"


def section(found: Measurements, picture: str) -> str:
    """Return the section as Markdown: a table and a picture."""
    versions = ", ".join(f"{name} {version}" for name, version in found.settings["versions"].items())
    lines = [
        BEGIN,
        f"On {found.settings['machine']}, {versions}, in milliseconds of processor time:",
        "",
        "| arms | observations | wanted | measured | kept | choice | update | compared with |",
        "|---|---|---|---|---|---|---|---|",
        *map(table_line, found.rows.values()),
        "",
        f"![Time of a choice against arms and against observations]({picture})",
        END,
    ]
    return "\n".join(lines)


def table_line(row: Row) -> str:
    """Return a row of the table as Markdown."""
    measured = f"{row.measured:,.0f}" if row.measured >= 100 else f"{row.measured:.3g}"
    kept = "yes" if row.kept else "**no**"
    times = " | ".join(f"{ms:,.3g}" if ms < 1e5 else f"{ms:,.0f}" for ms in (row.choice, row.update, row.other))
    return f"| {row.arms} | {row.observations} | {row.wanted} | {measured} | {kept} | {times} |"


def main(page: Path, measurements: Path) -> None:
    """Write the section into the page."""
    text = page.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    picture = measurements.with_suffix(".png").relative_to(page.parent).as_posix()
    with replacing(page) as temporary:
        new = head + section(Measurements.read(measurements), picture) + rest.split(END)[1]
        temporary.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
