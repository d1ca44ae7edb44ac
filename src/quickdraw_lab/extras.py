"""Errors for optional libraries that are not installed: those of the library, under the name that the lab uses."""

from quickdraw_bandits.extras import Extra, missing_extra

__all__ = ["Extra", "missing_extra"]
