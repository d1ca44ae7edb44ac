"""The adaptive policy with a product of a function of distance and one of age, in place of its joint correlation.

For the ablation alone: plain NumPy, and several times as slow.
"""

from typing import Any

import numpy as np

from quickdraw_bandits.numerics.ties import argmaxes
from quickdraw_bandits.policies import adaptive_quick_draw
from quickdraw_bandits.policies.adaptive import model
from quickdraw_bandits.policies.adaptive.correlation import Rates, correlation

Floats = np.ndarray


def product_correlation(squared: Floats, lateness: Any, same: Any, rates: Rates) -> Floats:
    """Return (1 - share) c0(distance) c0(age) + share [same arm], with c0 that of the family."""
    alone = rates._replace(share=0.0)
    near = correlation(squared, 0.0, False, alone)
    recent = correlation(np.zeros(1), lateness, False, alone)
    return np.asarray((1.0 - rates.share) * near * recent + rates.share * np.asarray(same))


def fill_product(
    columns: Floats,
    matrix: Floats,
    arms: Floats,
    times: Floats,
    rates: Rates,
    noises: Floats,
    values: Floats,
    out: Floats,
) -> float:
    """Fill ``out`` as ``covariance.fill_covariance`` does, with the product."""
    n = len(times)
    squared = matrix[np.ix_(arms, arms)].copy() if len(matrix) else np.zeros((n, n))
    for column in columns:
        squared += (column[:, None] - column) ** 2
    lateness = rates.recent * (times[:, None] - times) ** 2
    found = product_correlation(squared, lateness, arms[:, None] == arms, rates)
    found[np.diag_indices(n)] = 1.0 + noises
    out[:, :n], out[:, n], out[:, n + 1] = found, values, 1.0
    return float(found.sum(axis=1).max())


def best_of_all(
    belief: Any, gamma: float, space: Any, shortlist: Any, among: Any, random: Any
) -> tuple[Floats, Floats]:
    """Return the arms of the largest index, by the index of every arm."""
    targets = space.towards(None if among is None else among.positions, belief.sample.arms)
    mean, deviation = belief.estimate(targets)
    index = mean + gamma * deviation
    best = argmaxes(index)
    return np.asarray(targets.arms[best]), index[best]


def product_form() -> list[tuple[Any, str, Any]]:
    """Return what to change in which module."""
    return [
        (model, "correlation", product_correlation),
        (model, "fill_covariance", fill_product),
        (adaptive_quick_draw, "best_arms", best_of_all),
    ]
