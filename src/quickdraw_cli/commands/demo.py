"""``quickdraw demo``: what the adaptive policy does, in half a minute."""

import argparse

from quickdraw_cli.options import add_out_folder, add_seed
from quickdraw_cli.progress import progress_bars
from quickdraw_cli.terminal import print_table

HELP = "show the adaptive policy at work, on a drifting field and on recorded speeds"
DESCRIPTION = (
    "Play the adaptive policy and the five policies of the paper on a drifting field of 1,000 arms, and on recorded "
    "highway speeds. Prints a table for each, and writes one page with pictures (demo.html) that opens in a browser "
    "without a network. Takes half a minute the first time, when code is compiled."
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_seed(parser)
    add_out_folder(parser, "results/demo")


def run(arguments: argparse.Namespace) -> int:
    """Play, print and write."""
    from quickdraw_bandits.plots.style import require_matplotlib
    from quickdraw_lab.demo.chapters import SETTINGS, play_chapter
    from quickdraw_lab.demo.page import PAGE, write_demo
    from quickdraw_lab.files import check_folder
    from quickdraw_lab.pages.writer import require_templates

    require_matplotlib()
    require_templates()
    check_folder(arguments.out)
    with progress_bars("rounds") as open_bar:
        chapters = [play_chapter(setting, arguments.seed, open_bar) for setting in SETTINGS]
    for chapter in chapters:
        print(f"\n{chapter.setting.title}")
        print_table(chapter.rows())
    write_demo(chapters, arguments.out)
    print(f"\nOpen in a browser: {(arguments.out / PAGE).resolve().as_uri()}")
    return 0
