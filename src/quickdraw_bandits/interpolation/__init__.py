"""The estimate at every arm (E1-E3), and the engines that compute it.

The engines import compiled code, and with it numba, so they are imported from their modules where they are needed.
"""

from quickdraw_bandits.interpolation.kernel import Kernel
from quickdraw_bandits.interpolation.reference import plain_estimate, upper_bound

__all__ = ["Kernel", "plain_estimate", "upper_bound"]
