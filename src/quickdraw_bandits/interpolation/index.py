"""The arms of the largest index, compiled."""

import numpy as np

from quickdraw_bandits.interpolation import reference
from quickdraw_bandits.numerics.jit import compiled

TIE = 1e-12
"""Relative difference of two indices up to which they count as equal."""

upper_bound = compiled(reference.upper_bound, inner=True)


@compiled
def largest_index(mean, std, gamma, cap, positions):
    """Fill ``positions`` with the entries of the largest index (E4), in order, and return how many there are."""
    largest = -np.inf
    for k in range(mean.shape[0]):
        index = upper_bound(mean[k], std[k], gamma, cap)
        largest = index if index > largest else largest
    if abs(largest) < np.inf:
        largest -= TIE * abs(largest)
    ties = 0
    for k in range(mean.shape[0]):
        if upper_bound(mean[k], std[k], gamma, cap) >= largest:
            positions[ties] = k
            ties += 1
    return ties
