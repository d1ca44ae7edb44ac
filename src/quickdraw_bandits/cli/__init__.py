"""The command line: parses, calls, prints."""

from quickdraw_bandits.cli.main import main

__all__ = ["main"]
