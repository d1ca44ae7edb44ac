"""``quickdraw report``: one page with everything in a results folder."""

import argparse
from pathlib import Path

HELP = "make one page of a results folder"
DESCRIPTION = (
    "Make one HTML page of a folder that reproduce wrote to: every figure and table in it, and the claims of the paper "
    "next to what was measured. The page is self-contained."
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder that reproduce wrote to")
    parser.add_argument("--out", type=Path, metavar="FILE", help="page to write (default: report.html in the folder)")


def run(arguments: argparse.Namespace) -> int:
    """Write the page."""
    from quickdraw_lab.files import replacing
    from quickdraw_lab.report import report_page

    page = report_page(arguments.folder)
    path = arguments.folder / "report.html" if arguments.out is None else arguments.out
    with replacing(path) as temporary:
        temporary.write_text(page, encoding="utf-8")
    print(f"written to {path}")
    return 0
