"""The command line: parses, calls, prints. Commands are in ``commands/``, one module each."""

from quickdraw_cli.main import main

__all__ = ["main"]
