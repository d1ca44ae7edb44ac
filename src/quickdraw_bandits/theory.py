"""The paper's constants, its exploration schedule, and its regret bound as printed and as derived from its proof.

| argument | symbol | meaning |
|---|---|---|
| rounds | T | rounds played |
| lipschitz | L | Lipschitz constant: mu(x) and mu(x') differ by at most L · D(x, x') |
| length_scale | l_x | E1 |
| noise_variance | rho² | E1 |
| failure_probability | delta | the bounds hold with probability 1 - delta |

All of this is for the stationary policy with sharpness 1 and distances scaled to at most 1.
``docs/theory.md`` shows where each bound exceeds the trivial bound R_T <= T.
"""

import math

from quickdraw_bandits.checks import integer, not_negative, number, positive, scale


def constant_c(length_scale: float, noise_variance: float) -> float:
    """Return C = sqrt(rho² + 1 / l_x²), the largest standard deviation of any arm after one observation (T3).

    Examples
    --------
    >>> constant_c(length_scale=1.0, noise_variance=3.0)
    2.0
    """
    rho2 = scale("noise_variance", noise_variance)
    return math.sqrt(rho2 + 1 / scale("length_scale", length_scale) ** 2)


def constant_c1(length_scale: float, noise_variance: float) -> float:
    """Return C1 = sqrt(rho² + 1 / l_x²) / rho² (T1).

    Examples
    --------
    >>> constant_c1(length_scale=1.0, noise_variance=3.0)
    0.6666666666666666
    """
    return constant_c(length_scale, noise_variance) / scale("noise_variance", noise_variance)


def largest_length_scale(rounds: int, noise_variance: float) -> float:
    """Return 1 / sqrt(T_max - rho²), the largest l_x for which theorem 1 holds (T1).

    Examples
    --------
    >>> largest_length_scale(rounds=101, noise_variance=1.0)
    0.1
    """
    rounds = integer("rounds", rounds, at_least=1)
    rho2 = positive("noise_variance", noise_variance)
    if rho2 >= rounds:
        return math.inf  # no l_x is too large: the noise outweighs every distance
    return 1 / math.sqrt(rounds - rho2)


def gamma(
    rounds: int, lipschitz: float, length_scale: float, noise_variance: float, failure_probability: float
) -> float:
    """Return gamma_T = 2 L + 4 C1 ln²(2 T² / delta) (T1).

    Examples
    --------
    >>> round(gamma(100, lipschitz=1.0, length_scale=1.0, noise_variance=3.0, failure_probability=0.05), 2)
    445.71
    """
    slope = not_negative("lipschitz", lipschitz)
    return 2 * slope + 4 * constant_c1(length_scale, noise_variance) * _log_squared(rounds, failure_probability)


def round_regret_bound(gamma: float, deviation: float) -> float:
    """Return 2 gamma_{t+1} Sigma_t(x_t), a bound of the regret of one round if theorem 1's event holds (T2).

    Examples
    --------
    >>> round_regret_bound(gamma=2.0, deviation=0.1)
    0.4
    """
    return 2 * not_negative("gamma", gamma) * not_negative("deviation", deviation)


def regret_bound_printed(
    rounds: int, lipschitz: float, length_scale: float, noise_variance: float, failure_probability: float
) -> float:
    """Return 4 C L + 8 C² sqrt(T) ln²(2 T² / delta), as theorem 2 states it (T3).

    It does not follow from the printed proof; ``regret_bound_derived`` does.

    Examples
    --------
    >>> round(regret_bound_printed(100, 1.0, length_scale=1.0, noise_variance=3.0, failure_probability=0.05))
    53253
    """
    c = constant_c(length_scale, noise_variance)
    slope = not_negative("lipschitz", lipschitz)
    return 4 * c * slope + 8 * c**2 * _log_squared(rounds, failure_probability) * math.sqrt(rounds)


def regret_bound_last_step(
    rounds: int, lipschitz: float, length_scale: float, noise_variance: float, failure_probability: float
) -> float:
    """Return 4 C L sqrt(T) + 8 (C² / rho²) sqrt(T) ln²(2 T² / delta), the last line of the proof multiplied out.

    The printed statement lacks sqrt(T) in the first term and 1 / rho² in the second. The line itself uses
    sum 1/sqrt(t) <= sqrt(T), which is false.

    Examples
    --------
    >>> round(regret_bound_last_step(100, 1.0, length_scale=1.0, noise_variance=3.0, failure_probability=0.05))
    17828
    """
    return (
        2
        * gamma(rounds, lipschitz, length_scale, noise_variance, failure_probability)
        * constant_c(length_scale, noise_variance)
        * math.sqrt(rounds)
    )


def regret_bound_derived(
    rounds: int, lipschitz: float, length_scale: float, noise_variance: float, failure_probability: float
) -> float:
    """Return 2 gamma_{T+1} · 2 C sqrt(T), the result of the proof with each step corrected (T3).

    R_T <= 2 gamma_{T+1} sum_t Sigma_t, Sigma_t <= C / sqrt(t), and sum_t 1/sqrt(t) <= 2 sqrt(T).

    Examples
    --------
    >>> round(regret_bound_derived(100, 1.0, length_scale=1.0, noise_variance=3.0, failure_probability=0.05))
    35766
    """
    return (
        2
        * gamma(integer("rounds", rounds, at_least=1) + 1, lipschitz, length_scale, noise_variance, failure_probability)
        * 2
        * constant_c(length_scale, noise_variance)
        * math.sqrt(rounds)
    )


def _log_squared(rounds: int, failure_probability: float) -> float:
    delta = number("failure_probability", failure_probability)
    if not 0 < delta < 1:
        raise ValueError(f"failure_probability must be above 0 and below 1, got {failure_probability!r}")
    return math.log(2 * integer("rounds", rounds, at_least=1, at_most=10**100) ** 2 / delta) ** 2
