"""Reporting runs that failed."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

FAILED = 1
"""Exit status of a command of which some runs failed."""


def report_failures(failed: Sequence[Mapping[str, object]], path: Path) -> list[str]:
    """Write the runs that failed and print the first with its traceback; return the names of the files written.

    Without failures, a file of an earlier command is removed.
    """
    from quickdraw_lab.files import write_csv

    if not failed:
        path.unlink(missing_ok=True)
        return []
    write_csv(path, failed)
    first = failed[0]
    print(f"{counted(len(failed), 'run')} failed; the first was {first['policy']}: {first['message']}", file=sys.stderr)
    if first.get("traceback"):
        print(first["traceback"], file=sys.stderr)
    return [path.name]


def counted(n: int, what: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> counted(1, "run"), counted(2, "run")
    ('1 run', '2 runs')
    """
    return f"{n} {what}" if n == 1 else f"{n} {what}s"
