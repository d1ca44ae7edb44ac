"""``quickdraw report``: one page with everything in a results folder."""

import argparse
from pathlib import Path
from typing import Any


def add_command(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser(
        "report",
        help="make one page of a results folder",
        description="Make one page of a folder that reproduce wrote: every figure and table there is, and the claims "
        "of the paper beside what was measured. The page opens from disk and loads nothing.",
        allow_abbrev=False,
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder that reproduce wrote to")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="the page to write (default: report.html in the folder)"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Write the page."""
    from quickdraw_lab.files import replacing
    from quickdraw_lab.report import report_page

    page = report_page(arguments.folder)
    path = arguments.folder / "report.html" if arguments.out is None else arguments.out
    with replacing(path) as temporary:
        temporary.write_text(page, encoding="utf-8")
    print(f"written to {path}")
