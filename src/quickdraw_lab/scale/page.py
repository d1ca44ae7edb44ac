"""The section of docs/benchmarks.md on very many arms.

``python -m quickdraw_lab.scale.page docs/benchmarks.md docs/results/scale.json`` writes it from the measurements.
"""

import json
import sys
from pathlib import Path
from typing import Any

from quickdraw_lab.files import replacing

BEGIN, END = "<!-- scale: begin -->", "<!-- scale: end -->"


def section(found: dict[str, Any], picture: str) -> str:
    """Return the section as Markdown: a table and a picture."""
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    lines = [
        BEGIN,
        f"On {found['machine']}, {versions}, in milliseconds of processor time:",
        "",
        "| arms | observations | wanted | measured | kept | choice | update | compared with |",
        "|---|---|---|---|---|---|---|---|",
        *(table_line(row) for row in found["rows"].values()),
        "",
        f"![Time of a choice against arms and against observations]({picture})",
        END,
    ]
    return "\n".join(lines)


def table_line(row: dict[str, Any]) -> str:
    """Return a row of the table as Markdown."""
    measured = f"{row['measured']:,.0f}" if row["measured"] >= 100 else f"{row['measured']:.3g}"
    kept = "yes" if row["kept"] else "**no**"
    times = " | ".join(f"{row[name]:,.3g}" if row[name] < 1e5 else f"{row[name]:,.0f}" for name in TIMES)
    return f"| {row['arms']} | {row['observations']} | {row['wanted']} | {measured} | {kept} | {times} |"


TIMES = ("choice", "update", "other")


def main(page: Path, measurements: Path) -> None:
    """Write the section into the page."""
    found = json.loads(measurements.read_text(encoding="utf-8"))
    text = page.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    picture = measurements.with_suffix(".png").relative_to(page.parent)
    with replacing(page) as temporary:
        temporary.write_text(head + section(found, picture.as_posix()) + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
