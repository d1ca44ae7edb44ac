"""The likelihood with the signal variance at its best: a function of length scale and noise ratio."""

import math

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.gaussian_process.sample import Sample
from quickdraw_bandits.numerics.cholesky import factorise
from quickdraw_bandits.numerics.jit import compiled

LIMIT = math.log(1e5)
"""Parameters stay within a factor of 1e5 of their units, upwards and downwards."""


class Profile:
    """-log p(y) of a sample as a function of (log l, log η), η = σ²/s² being the noise ratio.

    The covariance of the m merged values is s² B, B = C + η diag(1/count), and with α = B⁻¹ ȳ::

        -2 log p(y) = Q/s² + n log s² + log|B| + (n-m) log η + sum log count + n log(2π)
        Q           = ȳ'α + spread/η

    whose minimum in s² is Q/n, kept so that both s² and σ² are within the limits. The derivatives of
    -2 log p(y) at a given s² are::

        in log l:  tr(B⁻¹ dB) - α'dB α/s²                                            dB = C ∘ |x - x'|²/l²
        in log η:  η sum B⁻¹_ii/count_i + n - m - (η sum α_i²/count_i + spread/η)/s²
        in log s²: n - Q/s²

    The last is 0 at the best s². Where σ² = η s² is held at a limit, log s² falls as log η rises.

    Parameters
    ----------
    sample
        The observations.
    squared
        Squared distances between its points.
    """

    def __init__(self, sample: Sample, squared: Floats) -> None:
        self._sample, self._squared = sample, squared
        self._observed = float(sample.counts.sum())
        # What does not depend on the parameters.
        self._constant = float(np.log(sample.counts).sum()) + self._observed * math.log(2 * math.pi)
        self._none = np.zeros(len(sample.counts))

    def __call__(self, log_length: float, log_ratio: float) -> tuple[float, float, float, float]:
        """Return -log p(y), its derivatives in log l and log η, and the best s²; infinity where B is singular."""
        sample, n, m = self._sample, self._observed, len(self._none)
        ratio, inverse_l2 = math.exp(log_ratio), math.exp(-2.0 * log_length)
        correlation = np.exp(self._squared * (-0.5 * inverse_l2))
        upper = correlation.copy()
        upper.ravel()[:: m + 1] += ratio / sample.counts
        if not factorise(upper, self._none):
            return math.inf, 0.0, 0.0, 1.0
        log_determinant = 2.0 * float(np.log(upper.diagonal()).sum())
        inverse = invert(upper)
        alpha = np.empty(m)
        trace_length, by_length = length_slopes(inverse, correlation, self._squared, sample.means, alpha)
        trace_length, by_length = inverse_l2 * trace_length, inverse_l2 * by_length
        quadratic = sample.spread / ratio + float(sample.means @ alpha)
        by_noise = sample.spread / ratio + ratio * float((alpha * alpha / sample.counts).sum())
        trace_noise = ratio * float((inverse.diagonal() / sample.counts).sum())

        largest, smallest = LIMIT - max(log_ratio, 0.0), -LIMIT - min(log_ratio, 0.0)
        best = math.log(quadratic / n) if quadratic > 0.0 else -math.inf
        log_s2 = min(max(best, smallest), largest)
        s2 = math.exp(log_s2)
        value = quadratic / s2 + n * log_s2 + log_determinant + (n - m) * log_ratio + self._constant
        in_length = trace_length - by_length / s2
        in_ratio = trace_noise + n - m - by_noise / s2
        noise_held = (best > largest and log_ratio > 0.0) or (best < smallest and log_ratio < 0.0)
        if noise_held:
            in_ratio -= n - quadratic / s2
        return value / 2, in_length / 2, in_ratio / 2, s2


@compiled
def invert(upper: Floats) -> Floats:
    """Return the lower triangle of A⁻¹, of which U is the Cholesky factor."""
    n = upper.shape[0]
    # M = L⁻¹ row by row: M_i = (e_i - sum_{k<i} U_ki M_k) / U_ii
    root = np.zeros((n, n))
    for i in range(n):
        row = root[i]
        for k in range(i):
            weight, other = upper[k, i], root[k]
            for j in range(k + 1):
                row[j] -= weight * other[j]
        scale = 1.0 / upper[i, i]
        for j in range(i):
            row[j] *= scale
        row[i] = scale
    # A⁻¹ = M' M
    inverse = np.zeros((n, n))
    for i in range(n):
        row = root[i]
        for j in range(i + 1):
            weight, out = row[j], inverse[j]
            for k in range(j + 1):
                out[k] += weight * row[k]
    return inverse


@compiled
def length_slopes(
    inverse: Floats, correlation: Floats, squared: Floats, means: Floats, alpha: Floats
) -> tuple[float, float]:
    """Fill ``alpha`` with B⁻¹ ȳ; return tr(B⁻¹ dB) and α'dB α for dB = C ∘ D², from the lower triangle of B⁻¹."""
    m = len(means)
    for i in range(m):
        row = inverse[i]
        alpha[i] = row[i] * means[i]
        total, mean = 0.0, means[i]
        for j in range(i):
            total += row[j] * means[j]
            alpha[j] += row[j] * mean
        alpha[i] += total
    trace, form = 0.0, 0.0
    for i in range(m):
        by_alpha, by_inverse = 0.0, 0.0
        row, c, d = inverse[i], correlation[i], squared[i]
        for j in range(i):
            change = c[j] * d[j]
            by_alpha += change * alpha[j]
            by_inverse += change * row[j]
        form += 2.0 * alpha[i] * by_alpha
        trace += 2.0 * by_inverse
    return trace, form
