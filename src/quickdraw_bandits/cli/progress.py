"""Showing how far a command is, on the error output."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

Report = Callable[[int, int], None]
SECONDS_BETWEEN_LINES = 10.0


@contextmanager
def progress_bars(unit: str) -> Iterator[Callable[[str], Report]]:
    """Give a function that opens a bar of some name, and returns what to call with the number done and of all.

    Bars where the error output is a terminal and rich is installed; otherwise a line at the end of each bar, and
    one every ten seconds before.
    """
    if sys.stderr.isatty():
        try:
            import rich.progress
            from rich.console import Console
        except ImportError:
            pass
        else:
            columns = (
                rich.progress.TextColumn("{task.description:>22}"),
                rich.progress.BarColumn(),
                rich.progress.TextColumn(f"{{task.completed}} of {{task.total}} {unit}"),
                rich.progress.TimeElapsedColumn(),
                rich.progress.TextColumn("left:"),
                rich.progress.TimeRemainingColumn(),
            )
            with rich.progress.Progress(*columns, console=Console(stderr=True)) as bars:

                def open_bar(name: str) -> Report:
                    task = bars.add_task(name, total=None)
                    return lambda done, total: bars.update(task, completed=done, total=total)

                yield open_bar
            return
    yield lambda name: _lines(name, unit)


def _lines(name: str, unit: str) -> Report:
    start = last = monotonic()

    def report(done: int, total: int) -> None:
        nonlocal last
        now = monotonic()
        if done == total or now - last >= SECONDS_BETWEEN_LINES:
            last = now
            left = "" if done == total else f", about {(now - start) * (total - done) / done:.0f} s left"
            print(f"{name}: {done} of {total} {unit} in {now - start:.1f} s{left}", file=sys.stderr, flush=True)

    return report
