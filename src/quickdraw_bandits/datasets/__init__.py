"""Logged data: readers of public and of one's own logs, and a generator of logs whose truth is known."""

from quickdraw_bandits.datasets.generate import ClickRates, generate_log
from quickdraw_bandits.datasets.log import Log
from quickdraw_bandits.datasets.open_bandit import open_bandit
from quickdraw_bandits.datasets.read_log import read_log

__all__ = ["ClickRates", "Log", "generate_log", "open_bandit", "read_log"]
