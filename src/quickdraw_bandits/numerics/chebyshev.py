"""Interpolation at Chebyshev nodes.

The m nodes cos((2k + 1) pi / (2m)) are the zeros of Chebyshev's polynomial T_m. Interpolating there is nearly the
best that a polynomial of degree m - 1 can do, and enlarges errors of the values at the nodes by no more than
1 + (2 / pi) ln(m).
"""

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.numerics.jit import inlined


def nodes_and_weights(m: int) -> tuple[Floats, Floats]:
    """Return the ``m`` Chebyshev nodes on [-1, 1], and their weights in the barycentric formula.

    Examples
    --------
    >>> nodes_and_weights(2)[0].round(3)
    array([ 0.707, -0.707])
    """
    angles = (2 * np.arange(m) + 1) * np.pi / (2 * m)
    return np.cos(angles), np.sin(angles) * (-1.0) ** np.arange(m)


def largest_growth(m: int) -> float:
    """Return a bound of the sum of the sizes of the ``m`` Lagrange polynomials anywhere on [-1, 1]."""
    return float(1 + 2 / np.pi * np.log(m))


@inlined
def lagrange_basis(u: float, nodes: Floats, weights: Floats, out: Floats) -> None:
    """Fill ``out`` with the Lagrange polynomials of the nodes at ``u``, by the barycentric formula."""
    total = 0.0
    for k in range(nodes.shape[0]):
        if u == nodes[k]:
            for h in range(nodes.shape[0]):
                out[h] = 1.0 if h == k else 0.0
            return
        out[k] = weights[k] / (u - nodes[k])
        total += out[k]
    for k in range(nodes.shape[0]):
        out[k] /= total


def lagrange_bases(u: Floats, nodes: Floats, weights: Floats) -> Floats:
    """Return the Lagrange polynomials of the nodes, one row for each, at many places.

    Examples
    --------
    >>> lagrange_bases(np.array([0.0, 1.0]), *nodes_and_weights(2)).round(3)
    array([[ 0.5  ,  1.207],
           [ 0.5  , -0.207]])
    """
    apart = u - nodes[:, None]
    at_node = apart == 0
    with np.errstate(divide="ignore", invalid="ignore"):
        basis = weights[:, None] / apart
        basis /= basis.sum(axis=0)
    return np.where(at_node.any(axis=0), at_node, basis)
