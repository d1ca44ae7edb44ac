"""One round of each policy against the same formulas in vectorised NumPy, without input checks.

``PLAIN`` has one entry per policy: its parameters, and a function that builds the same round in NumPy. To add a policy,
add an entry.
"""

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np

import quickdraw_bandits as qd
from benchmarks.row import Row, at_most, best_of

N_ARMS, N_SEEN, N_ROUNDS = 1000, 2000, 100
Round = Callable[[int], None]


def run() -> list[Row]:
    """Compare the processor time of rounds after 2,000 observations; both take turns, and the best of twenty counts."""
    arms = qd.Arms.grid(-1, 1, N_ARMS)
    random = np.random.default_rng(0)
    # Every arm once, so that policies have finished trying each arm.
    seen = np.concatenate([np.arange(N_ARMS), random.integers(N_ARMS, size=N_SEEN - N_ARMS)])
    rewards = 1 - (arms.points[seen, 0] - 0.3) ** 2 / 2 + 0.1 * random.standard_normal(N_SEEN)
    rows = []
    for name, (arguments, plain) in PLAIN.items():
        policy = getattr(qd.policies, name)(arms, seed=0, **arguments)
        policy.update(np.arange(N_SEEN) * 1e-3, seen, rewards)
        ours, other = best_of(
            20,
            _rounds(_of_policy(policy)),
            _rounds(plain(arms.points[:, 0], seen, rewards, random)),
            clock=process_time,
        )
        rows.append(at_most(f"one round of {name}, against vectorised NumPy", ours / N_ROUNDS, other / N_ROUNDS, 10))
    return rows


def _rounds(play: Round) -> Callable[[], None]:
    first = iter(range(N_SEEN, 10**9, N_ROUNDS))

    def work() -> None:
        start = next(first)
        for k in range(start, start + N_ROUNDS):
            play(k)

    return work


def _paid(x: float) -> float:
    return 1 - (x - 0.3) ** 2 / 2


def _of_policy(policy: Any) -> Round:
    points = policy.arms.points[:, 0]

    def play(k: int) -> None:
        time = k * 1e-3
        arm = policy.select(time)
        policy.update(time, arm, _paid(points[arm]))

    return play


def _tallied(choose: Callable[[Any, Any, Any, int], Any]) -> Any:
    """Return a builder of rounds that keep counts and sums per arm and choose from them."""

    def build(x: Any, seen: Any, rewards: Any, random: Any) -> Round:
        counts = np.bincount(seen, minlength=len(x)).astype(float)
        totals = np.bincount(seen, weights=rewards, minlength=len(x))

        def play(k: int) -> None:
            arm = choose(counts, totals, random, k)
            counts[arm] += 1
            totals[arm] += _paid(x[arm])

        return play

    return build


def _explore_first(counts: Any, totals: Any, random: Any, k: int) -> Any:
    least = np.flatnonzero(counts == counts.min())
    return least[random.integers(len(least))]


def _epsilon_greedy(counts: Any, totals: Any, random: Any, k: int) -> Any:
    return random.integers(len(counts)) if random.random() < 0.1 else np.argmax(totals / counts)


def _softmax(counts: Any, totals: Any, random: Any, k: int) -> Any:
    means = totals / counts
    return np.searchsorted(np.cumsum(np.exp((means - means.max()) / 0.1)), random.random())


def _thompson(counts: Any, totals: Any, random: Any, k: int) -> Any:
    return np.argmax(totals / (counts + 1) + np.sqrt(1 / (counts + 1)) * random.standard_normal(len(counts)))


def _zooming(x: Any, seen: Any, rewards: Any, random: Any) -> Round:
    """Compare all balls with all arms in every round, to see whether an arm is uncovered."""
    counts = np.bincount(seen, minlength=len(x)).astype(float)
    totals = np.bincount(seen, weights=rewards, minlength=len(x))
    apart = np.abs(x[:, None] - x) / 2

    def play(k: int) -> None:
        radius = np.sqrt(0.01 * np.log(1000) / (counts + 1))
        (apart <= radius).any(axis=1).all()
        arm = np.argmax(totals / counts + 2 * radius)
        counts[arm] += 1
        totals[arm] += _paid(x[arm])

    return play


def _hoo(x: Any, seen: Any, rewards: Any, random: Any) -> Round:
    """Keep the full binary tree, with one array per level."""
    levels = 10
    cell = np.arange(len(x)) * 2**levels // len(x)
    counts = [np.bincount(cell[seen] >> (levels - h), minlength=2**h) + 1e-9 for h in range(levels + 1)]
    totals = [np.bincount(cell[seen] >> (levels - h), weights=rewards, minlength=2**h) for h in range(levels + 1)]

    def play(k: int) -> None:
        bounds = [
            t / n + np.sqrt(0.01 * np.log(k) / n) + 0.5**h for h, (n, t) in enumerate(zip(counts, totals, strict=True))
        ]
        for h in range(levels - 1, -1, -1):
            bounds[h] = np.minimum(bounds[h], bounds[h + 1].reshape(-1, 2).max(axis=1))
        node = 0
        for h in range(1, levels + 1):
            node = 2 * node + int(bounds[h][2 * node + 1] > bounds[h][2 * node])
        paid = _paid(x[node * len(x) >> levels])
        for h in range(levels + 1):
            counts[h][node >> (levels - h)] += 1
            totals[h][node >> (levels - h)] += paid

    return play


def _bandit_convex(x: Any, seen: Any, rewards: Any, random: Any) -> Round:
    """Move five experts along a gradient every second round."""
    experts, log_weights, steps = np.zeros((5, 1)), np.zeros(5), 0.08 * 2.0 ** np.arange(5)
    first = [0.0, 0.0]

    def play(k: int) -> None:
        weights = np.exp(log_weights - log_weights.max())
        middle = weights @ experts / weights.sum()
        if k % 2 == 0:
            first[1] = 2.0 * random.integers(2) - 1
            first[0] = _paid(x[int(np.rint((middle[0] + first[1] * 0.05 + 1) / 2 * (len(x) - 1)))])
        else:
            second = _paid(x[int(np.rint((middle[0] - first[1] * 0.05 + 1) / 2 * (len(x) - 1)))])
            gradient = np.array([(second - first[0]) * first[1] / 0.1])
            log_weights[:] -= 0.5 / np.sqrt(k) * ((experts - middle) @ gradient)
            experts[:] = np.clip(experts - steps[:, None] * gradient, -0.95, 0.95)

    return play


def _linear(discount: float) -> Any:
    def build(x: Any, seen: Any, rewards: Any, random: Any) -> Round:
        features = np.column_stack([x, np.ones(len(x))])
        v, w, b = np.eye(2), np.eye(2), np.zeros(2)

        def play(k: int) -> None:
            nonlocal v, w, b
            inverse = np.linalg.inv(v)
            spread = inverse @ w @ inverse if discount < 1 else inverse
            index = features @ (inverse @ b) + 2 * np.sqrt(((features @ spread) * features).sum(axis=1))
            arm = np.argmax(index)
            a = features[arm]
            v = discount * v + np.outer(a, a) + (1 - discount) * np.eye(2)
            if discount < 1:
                w = discount**2 * w + np.outer(a, a) + (1 - discount**2) * np.eye(2)
            b = discount * b + _paid(x[arm]) * a

        return play

    return build


PLAIN: dict[str, tuple[dict[str, Any], Any]] = {
    "ExploreFirst": ({"explore": 10**9}, _tallied(_explore_first)),
    "EpsilonGreedy": ({}, _tallied(_epsilon_greedy)),
    "UCB1": (
        {},
        _tallied(lambda counts, totals, random, k: np.argmax(totals / counts + np.sqrt(2 * np.log(k) / counts))),
    ),
    "ThompsonSampling": ({}, _tallied(_thompson)),
    "Softmax": ({}, _tallied(_softmax)),
    "Zooming": ({"exploration": 0.01}, _zooming),
    "HOO": ({"exploration": 0.01}, _hoo),
    "BanditConvex": ({}, _bandit_convex),
    "DiscountedLinUCB": ({}, _linear(0.99)),
    "RestartedLinUCB": ({}, _linear(1.0)),
}
"""For each policy: its parameters, and a function of coordinates, played arms and rewards that builds its round."""
