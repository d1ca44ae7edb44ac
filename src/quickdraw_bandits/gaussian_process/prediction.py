"""Mean and explained variance at many arms, from the Cholesky factor of the observations."""

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.numerics.cholesky import TILE, solve_tile
from quickdraw_bandits.numerics.jit import compiled


@compiled
def predict(
    upper: Floats, rows: Floats, first: int, scales: Floats, white: Floats, mean: Floats, explained: Floats
) -> None:
    """Fill ``mean`` with (L⁻¹ k)' ``white`` and ``explained`` with |L⁻¹ k|², for the covariances k of every arm.

    Element i of k is ``scales[i]`` times row ``first + i`` of ``rows``, a ring buffer: its first row follows its last.
    It has one column per arm.
    """
    n, n_arms = len(scales), rows.shape[1]
    tile = np.zeros((n + 1) * TILE)
    for start in range(0, n_arms, TILE):
        stop = min(start + TILE, n_arms)
        for i in range(n):
            row, given = tile[i * TILE : (i + 1) * TILE], rows[(first + i) % len(rows), start:stop]
            scale = scales[i]
            for j in range(stop - start):
                row[j] = scale * given[j]
        solve_tile(upper, tile, n)
        means, squares = mean[start:stop], explained[start:stop]
        means[:] = 0.0
        squares[:] = 0.0
        for i in range(n):
            row, weight = tile[i * TILE : (i + 1) * TILE], white[i]
            for j in range(stop - start):
                means[j] += weight * row[j]
                squares[j] += row[j] * row[j]
