"""Policies in files, without pickle."""

from quickdraw_bandits.saving.files import load, save

__all__ = ["load", "save"]
