"""Choose one of a million prices in every round, while demand drifts.

Run it with ``python examples/million_arms.py``. It takes a few seconds, and longer the first time, to compile code.
"""

import time

import numpy as np

import quickdraw_bandits as qd


def revenue(price: float, now: float) -> float:
    """Return the revenue at a price: a narrow peak around a best price that moves over time."""
    best = 0.5 + 0.3 * np.sin(2 * np.pi * now / 3) + 0.1 * np.sin(2 * np.pi * now / 0.7)
    return float(0.2 + 0.8 * np.exp(-(((price - best) / 0.15) ** 2)))


def play(n_arms: int = 1_000_000, n_rounds: int = 2000) -> tuple[float, float, float]:
    """Return mean revenue per round in the second half, the same for random prices, and milliseconds per round."""
    arms = qd.Arms.grid(0.0, 1.0, n_arms)
    policy = qd.QuickDraw(arms, seed=0)
    policy.update(-1.0, 0, revenue(arms.points[0, 0], -1.0))
    policy.select(-1.0)  # compile, or load cached code, before the clock starts
    earned, start = [], time.perf_counter()
    for i in range(n_rounds):
        now = i * 1e-3
        arm = policy.select(now)
        earned.append(revenue(arms.points[arm, 0], now))
        policy.update(now, arm, earned[-1])
    milliseconds = 1e3 * (time.perf_counter() - start) / n_rounds
    random = np.random.default_rng(0)
    at_random = [revenue(random.random(), i * 1e-3) for i in range(n_rounds)]
    half = n_rounds // 2
    return float(np.mean(earned[half:])), float(np.mean(at_random[half:])), milliseconds


def main() -> None:
    earned, at_random, milliseconds = play()
    print(f"a million arms: {milliseconds:.2f} ms per round")
    print(f"revenue per round: {earned:.3f}, random prices {at_random:.3f}, at best 1.000")


if __name__ == "__main__":
    main()
