"""Progress of a command, on the error output."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

Report = Callable[[int, int], None]
"""Called with the number done and the number of all."""

SECONDS_BETWEEN_LINES = 10.0

WIDE = 90
"""Columns of a terminal from which on there is room for a bar and for words; in a narrower one, the time left is shown,
and at the end the time taken."""


@contextmanager
def progress_bars(unit: str) -> Iterator[Callable[[str], Report]]:
    """Yield a function that opens a named bar and returns the function to report progress to.

    Bars are drawn if the error output is a terminal and rich is installed. Otherwise a line is printed at the start, at
    the end, and every ten seconds in between. A report of 0 done starts the clock.
    """
    if sys.stderr.isatty():
        try:
            import rich.progress
            from rich.console import Console
        except ImportError:
            pass
        else:
            console = Console(stderr=True)
            wide = console.width >= WIDE
            name = rich.progress.TextColumn("{task.description}", justify="right")
            count = rich.progress.TextColumn("{task.fields[count]}")
            columns: tuple[rich.progress.ProgressColumn, ...] = (
                name,
                count,
                rich.progress.TimeRemainingColumn(elapsed_when_finished=True),
            )
            if wide:
                columns = (
                    name,
                    rich.progress.BarColumn(),
                    count,
                    rich.progress.TimeElapsedColumn(),
                    rich.progress.TextColumn("left:"),
                    rich.progress.TimeRemainingColumn(),
                )
            with rich.progress.Progress(*columns, console=console) as bars:

                def open_bar(name: str) -> Report:
                    task = bars.add_task(name, total=None, count="getting ready")

                    def report(done: int, total: int) -> None:
                        count = f"{done} of {total} {unit}" if wide else f"{done}/{total}"
                        if done == 0:
                            bars.reset(task, total=total, count=count)
                        else:
                            bars.update(task, completed=done, total=total, count=count)

                    return report

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
