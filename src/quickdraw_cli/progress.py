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

    Bars where the error output is a terminal and rich is installed; otherwise a line at the beginning and at the end
    of each, and one every ten seconds between. A report of 0 done says that getting ready is over.
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
                rich.progress.TextColumn("{task.fields[count]}"),
                rich.progress.TimeElapsedColumn(),
                rich.progress.TextColumn("left:"),
                rich.progress.TimeRemainingColumn(),
            )
            with rich.progress.Progress(*columns, console=Console(stderr=True)) as bars:

                def open_bar(name: str) -> Report:
                    task = bars.add_task(name, total=None, count="getting ready")
                    return lambda done, total: bars.update(
                        task, completed=done, total=total, count=f"{done} of {total} {unit}"
                    )

                yield open_bar
            return
    yield lambda name: _lines(name, unit)


def _lines(name: str, unit: str) -> Report:
    print(f"{name}: getting ready", file=sys.stderr, flush=True)
    start = last = monotonic()

    def report(done: int, total: int) -> None:
        nonlocal start, last
        now = monotonic()
        if done == 0:
            start = last = now
            return
        if done == total or now - last >= SECONDS_BETWEEN_LINES:
            last = now
            left = "" if done == total else f", about {(now - start) * (total - done) / done:.0f} s left"
            print(f"{name}: {done} of {total} {unit} in {now - start:.1f} s{left}", file=sys.stderr, flush=True)

    return report
