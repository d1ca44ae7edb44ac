"""The command line: parses, calls, prints."""

from quickdraw_cli.main import main

__all__ = ["main"]
