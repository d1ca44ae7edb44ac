"""The entry point of the ``quickdraw`` command."""

import os
import sys
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor

from quickdraw_cli.parser import build_parser

REFUSED, STOPPED = 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0, 1 if runs failed, 2 for bad input, 130 if interrupted.

    Bad input is reported in one line on the error output. It raises ``ValueError`` in the library, ``OSError`` in the
    system, ``ImportError`` for a missing extra, and ``BrokenExecutor`` for a worker process that died.
    """
    name = "quickdraw"
    try:
        arguments = build_parser().parse_args(argv)
        name = f"quickdraw {arguments.command}"
        return int(arguments.run(arguments))
    except SystemExit as leaving:  # argparse has printed help, version or an error
        return int(leaving.code or 0)
    except BrokenPipeError:  # the reader of a pipe has closed it
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - nothing more can be printed
        return 0
    except (ValueError, OSError, ImportError, MemoryError, BrokenExecutor) as error:
        print(f"{name}: error: {_one_line(error)}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        print(f"\n{name}: stopped", file=sys.stderr)
        return STOPPED


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__
