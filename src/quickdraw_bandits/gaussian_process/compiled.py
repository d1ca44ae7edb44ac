"""The loops that run many times a round: the kernel, the profiled likelihood and its maximisation.

Imported only where it is used, because it loads the compiler. Plain loops serve matrices of this size as well as
BLAS does, whose threads wait for each other wherever several processes share the cores.
"""

# mypy: allow-untyped-decorators

import math

import numba
import numpy as np

from quickdraw_bandits.checks import Floats

# Sums may be reordered, so that they use the vector units; infinities and NaN keep their meaning.
_compile = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"})

LIMIT = math.log(1e5)
"""Parameters stay within a factor of 1e5 of their units, upwards and downwards."""


@_compile
def rbf(a: Floats, b: Floats, length: float) -> Floats:
    """Return ``exp(-|a_i - b_j|² / (2 l²))`` for the rows of ``a`` and ``b``."""
    result = squared_distances(a, b)
    factor = -0.5 / (length * length)
    for i in range(result.shape[0]):
        for j in range(result.shape[1]):
            result[i, j] = math.exp(factor * result[i, j])
    return result


@_compile
def squared_distances(a: Floats, b: Floats) -> Floats:
    """Return ``|a_i - b_j|²`` for the rows of ``a`` and ``b``."""
    result = np.empty((a.shape[0], b.shape[0]))
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            total = 0.0
            for k in range(a.shape[1]):
                difference = a[i, k] - b[j, k]
                total += difference * difference
            result[i, j] = total
    return result


@_compile
def cholesky(matrix: Floats) -> tuple[bool, Floats]:
    """Return whether A is positive definite, and if so the lower triangular L with A = L L'."""
    n = matrix.shape[0]
    factor = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= factor[i, k] * factor[j, k]
            if i != j:
                factor[i, j] = total / factor[j, j]
            elif total > 0.0:
                factor[i, i] = math.sqrt(total)
            else:
                return False, factor
    return True, factor


@_compile
def invert(matrix: Floats) -> tuple[bool, float, Floats]:
    """Return whether A is positive definite, and if so log|A| and the lower triangle of A⁻¹."""
    n = matrix.shape[0]
    positive, factor = cholesky(matrix)
    if not positive:
        return False, 0.0, factor
    log_determinant = 0.0
    for i in range(n):
        log_determinant += 2.0 * math.log(factor[i, i])
    # M = L⁻¹ row by row: M_i = (e_i - sum_{k<i} L_ik M_k) / L_ii
    root = np.zeros((n, n))
    for i in range(n):
        for k in range(i):
            weight = factor[i, k]
            for j in range(k + 1):
                root[i, j] -= weight * root[k, j]
        scale = 1.0 / factor[i, i]
        for j in range(i):
            root[i, j] *= scale
        root[i, i] = scale
    # A⁻¹ = M' M
    inverse = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            weight = root[i, j]
            for k in range(j + 1):
                inverse[j, k] += weight * root[i, k]
    return True, log_determinant, inverse


@_compile
def profile(
    squared: Floats, counts: Floats, means: Floats, spread: float, log_length: float, log_ratio: float
) -> tuple[float, float, float, float]:
    """Return -log p(y) with the best signal variance, its gradient in (log l, log η), and that variance.

    With η = σ²/s² the covariance of the m merged values is s² B, B = C + η diag(1/count), and with α = B⁻¹ ȳ::

        -2 log p(y) = Q/s² + n log s² + log|B| + (n-m) log η + sum log count + n log(2π)
        Q           = ȳ'α + spread/η

    whose minimum in s² is Q/n, kept so that both s² and σ² are within the limits. The derivatives of
    -2 log p(y) at a given s² are::

        in log l:  tr(B⁻¹ dB) - α'dB α/s²                                            dB = C ∘ |x - x'|²/l²
        in log η:  η sum B⁻¹_ii/count_i + n - m - (η sum α_i²/count_i + spread/η)/s²
        in log s²: n - Q/s²

    The last is 0 at the best s². Where σ² = η s² is held at a limit, log s² falls as log η rises.
    """
    m = len(counts)
    n = counts.sum()
    ratio = math.exp(log_ratio)
    inverse_l2 = math.exp(-2.0 * log_length)
    correlation = np.empty((m, m))
    matrix = np.empty((m, m))
    for i in range(m):
        for j in range(i):
            correlation[i, j] = math.exp(-0.5 * inverse_l2 * squared[i, j])
            matrix[i, j] = correlation[i, j]
        matrix[i, i] = 1.0 + ratio / counts[i]
    positive, log_determinant, inverse = invert(matrix)
    if not positive:
        return math.inf, 0.0, 0.0, 1.0

    alpha = np.zeros(m)
    for i in range(m):
        for j in range(i):
            alpha[i] += inverse[i, j] * means[j]
            alpha[j] += inverse[i, j] * means[i]
        alpha[i] += inverse[i, i] * means[i]
    quadratic = spread / ratio
    by_noise = spread / ratio
    trace_noise = 0.0
    by_length = 0.0
    trace_length = 0.0
    log_counts = 0.0
    for i in range(m):
        quadratic += means[i] * alpha[i]
        by_noise += ratio * alpha[i] * alpha[i] / counts[i]
        trace_noise += ratio * inverse[i, i] / counts[i]
        log_counts += math.log(counts[i])
        row_length, row_trace = 0.0, 0.0
        for j in range(i):
            change = correlation[i, j] * squared[i, j]
            row_length += change * alpha[j]
            row_trace += change * inverse[i, j]
        by_length += 2.0 * inverse_l2 * alpha[i] * row_length
        trace_length += 2.0 * inverse_l2 * row_trace

    largest = LIMIT - max(log_ratio, 0.0)
    smallest = -LIMIT - min(log_ratio, 0.0)
    best = math.log(quadratic / n) if quadratic > 0.0 else -math.inf
    log_s2 = min(max(best, smallest), largest)
    s2 = math.exp(log_s2)
    value = quadratic / s2 + n * log_s2 + log_determinant + (n - m) * log_ratio + log_counts + n * math.log(2 * math.pi)
    in_length = trace_length - by_length / s2
    in_ratio = trace_noise + n - m - by_noise / s2
    noise_held = (best > largest and log_ratio > 0.0) or (best < smallest and log_ratio < 0.0)
    if noise_held:
        in_ratio -= n - quadratic / s2
    return value / 2, in_length / 2, in_ratio / 2, s2


@_compile
def minimise(
    squared: Floats,
    counts: Floats,
    means: Floats,
    spread: float,
    start: Floats,
    curvature: Floats,
    tolerance: float,
    evaluations: int,
) -> tuple[float, float, Floats, Floats]:
    """Return the least -log p(y), its s², its (log l, log η) and the curvature there, searching from ``start``.

    BFGS with steps back until Armijo's condition holds, in the box |log l| <= LIMIT, |log η| <= 2 LIMIT.
    ``curvature`` approximates the Hessian, and may come from a similar problem; the search ends where no free
    derivative exceeds ``tolerance``, where steps no longer help, or after so many ``evaluations``.
    """
    box = np.array([LIMIT, 2 * LIMIT])
    hessian = curvature.copy()
    x = np.minimum(np.maximum(start, -box), box)
    value, g0, g1, s2 = profile(squared, counts, means, spread, x[0], x[1])
    gradient = np.array([g0, g1])
    fresh = False
    used = 1
    while used < evaluations:
        # A parameter at a limit that the gradient pushes against is not free.
        free0 = not ((x[0] <= -box[0] and gradient[0] > 0) or (x[0] >= box[0] and gradient[0] < 0))
        free1 = not ((x[1] <= -box[1] and gradient[1] > 0) or (x[1] >= box[1] and gradient[1] < 0))
        left0 = abs(gradient[0]) if free0 else 0.0
        left1 = abs(gradient[1]) if free1 else 0.0
        if max(left0, left1) <= tolerance:
            break
        step = np.zeros(2)
        determinant = hessian[0, 0] * hessian[1, 1] - hessian[0, 1] * hessian[0, 1]
        # Updates can round it to a matrix that is no longer positive definite; then it says nothing.
        if not (hessian[0, 0] > 0 and determinant > 1e-12 * hessian[0, 0] * hessian[1, 1]):
            hessian = np.eye(2) * max(1.0, left0, left1)
            determinant = hessian[0, 0] * hessian[1, 1]
        if free0 and free1:
            step[0] = -(hessian[1, 1] * gradient[0] - hessian[0, 1] * gradient[1]) / determinant
            step[1] = -(hessian[0, 0] * gradient[1] - hessian[0, 1] * gradient[0]) / determinant
        elif free0:
            step[0] = -gradient[0] / hessian[0, 0]
        else:
            step[1] = -gradient[1] / hessian[1, 1]
        longest = max(abs(step[0]), abs(step[1]))
        if not (0.0 < longest < math.inf):
            break
        # No step multiplies a parameter by more than e².
        step *= min(1.0, 2.0 / longest)
        accepted = False
        for _ in range(12):
            trial = np.minimum(np.maximum(x + step, -box), box)
            moved = trial - x
            new_value, g0, g1, new_s2 = profile(squared, counts, means, spread, trial[0], trial[1])
            used += 1
            slope = gradient[0] * moved[0] + gradient[1] * moved[1]
            if new_value <= value + 1e-4 * slope and slope < 0:
                accepted = True
                break
            step *= 0.3
        if not accepted:
            if fresh:
                break
            hessian = np.eye(2) * max(1.0, left0, left1)
            fresh = True
            continue
        new_gradient = np.array([g0, g1])
        turned = new_gradient - gradient
        bend = turned[0] * moved[0] + turned[1] * moved[1]
        pressed = hessian[0] * moved[0] + hessian[1] * moved[1]
        pressure = pressed[0] * moved[0] + pressed[1] * moved[1]
        if bend > 1e-3 * pressure:
            hessian += np.outer(turned, turned) / bend - np.outer(pressed, pressed) / pressure
        fresh = False
        x, value, gradient, s2 = trial, new_value, new_gradient, new_s2
    return value, s2, x, hessian
