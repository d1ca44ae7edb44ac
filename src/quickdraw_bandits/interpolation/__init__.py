"""The estimate at every arm (E1-E3), and the engines that compute it."""

from quickdraw_bandits.interpolation.exact import ExactEngine
from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.plain import plain_estimate
from quickdraw_bandits.interpolation.running_sums import RunningSums

__all__ = ["ExactEngine", "Kernel", "RunningSums", "plain_estimate"]
