"""Errors for optional libraries that are not installed."""

from typing import Literal

Extra = Literal[
    "fields", "plots", "terminal", "parquet", "tables", "gym", "gaussian-processes", "ray", "lab", "service"
]


def missing_extra(purpose: str, library: str, extra: Extra) -> ImportError:
    """Return the error to raise when an optional library cannot be imported.

    Examples
    --------
    >>> print(missing_extra("figures", "matplotlib", "plots"))
    figures need matplotlib: pip install "quickdraw-bandits[plots]" (from a clone: pip install ".[plots]")
    """
    return ImportError(
        f'{purpose} need {library}: pip install "quickdraw-bandits[{extra}]" (from a clone: pip install ".[{extra}]")'
    )
