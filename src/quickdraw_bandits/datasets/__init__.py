"""Logged data: readers for the Open Bandit Dataset and for your own logs, and a generator of logs with known truth."""

from quickdraw_bandits.datasets.generate import ClickRates, generate_log
from quickdraw_bandits.datasets.log import Log
from quickdraw_bandits.datasets.open_bandit import open_bandit
from quickdraw_bandits.datasets.read_log import read_log

__all__ = ["ClickRates", "Log", "generate_log", "open_bandit", "read_log"]
