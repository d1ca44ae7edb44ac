"""A program with types: mypy in strict mode accepts it, and knows what every call returns.

A wrong argument, such as a metric or an engine that does not exist, is an error before the program runs.
"""

import numpy as np
from numpy.typing import NDArray

import quickdraw_bandits as qd

Floats = NDArray[np.float64]
Positions = NDArray[np.int64]


class Greedy:
    """A policy of one's own need not derive from anything: ``qd.simulate`` takes what selects and updates."""

    def __init__(self, arms: qd.Arms, seed: int | None = None) -> None:
        self._rewards: Floats = np.zeros(len(arms))

    def select(self, time: float) -> int:
        """Return the arm whose last reward was largest."""
        return int(self._rewards.argmax())

    def update(self, time: float, arm: int, reward: float) -> None:
        """Keep the last reward of an arm."""
        self._rewards[arm] = reward


def choose(arms: qd.Arms) -> int:
    """Choose, learn from three rewards, and choose again."""
    policy = qd.QuickDraw(arms, length_scale=0.3, time_scale=10.0, seed=0)
    arm: int = policy.select(0.0)
    policy.update(0.0, arm, 0.7)
    policy.update([1.0, 2.0], [3, 5], [0.2, 0.9])
    mean, deviation = policy.estimate(3.0, arms=[3, 5])
    index: Floats = policy.index(3.0)
    chances: Floats = policy.probabilities(3.0)
    seen: int = policy.n_observations
    held: qd.Arms = policy.arms
    assert len(held) == len(arms)
    assert len(mean) == len(deviation) == 2
    assert len(index) == len(chances) == len(arms)
    assert seen == 3
    several: Positions = policy.select(3.0, count=2)
    policy.expect(3.0, several[0])
    times, pulled = policy.pending
    assert (len(times), pulled[0]) == (1, several[0])
    decision: qd.Decision[int] = policy.decide(3.0, among=[1, 4])
    return decision.arm


def choose_in_a_box(box: qd.Box) -> Floats:
    """Choose coordinates out of a continuum."""
    policy = qd.QuickDraw(box, length_scale=0.3, time_scale=10.0, seed=0)
    held: qd.Box = policy.arms
    assert held.dimension == 2
    policy.update([0.0, 1.0], [[0.2, 0.2], [0.8, 0.4]], [0.1, 0.9])
    _, pulled, rewards = policy.observations
    assert pulled.shape == (len(rewards), 2)
    place: Floats = policy.select(2.0)
    return place


def learn_scales(arms: qd.Arms) -> float | None:
    """Return the length scale that the adaptive policy has learned."""
    policy = qd.AdaptiveQuickDraw(arms, seed=np.random.default_rng(0))
    for day in range(30):
        arm: int = policy.select(day)
        policy.update(day, arm, reward=-abs(arm / len(arms) - 0.3))
    why = policy.explain(30.0, arm=2)
    weights: Floats = why.weights
    assert len(weights) == len(why.arms)
    return None if policy.scales is None else policy.scales.length_scale


def compare(rewards: Floats, arms: qd.Arms) -> dict[str, float]:
    """Return the mean regret of three policies on recorded rewards, one row per round and one column per arm."""
    env = qd.environments.Recorded(rewards, arms, noise=0.05, seed=1)
    policies = [qd.QuickDraw(env.arms, seed=0), qd.policies.SlidingEpsilonGreedy(env.arms, epsilon=0.1, seed=0)]
    traces: list[qd.Trace] = [qd.simulate(policy, env, warmup=20) for policy in policies]
    traces.append(qd.simulate(Greedy(env.arms), env, warmup=20))
    played: Positions = traces[0].arms
    paid: Floats = traces[0].rewards
    assert len(played) == len(paid) == env.n_rounds
    return {trace.policy: trace.regret_per_round for trace in traces}


def main() -> None:
    """Print what each part found."""
    arms = qd.Arms(np.linspace(0.0, 1.0, 20), metric="euclidean")
    print(f"chosen: arm {choose(arms)}")
    print(f"place chosen: {choose_in_a_box(qd.Box([0.0, 0.0], [1.0, 1.0]))}")
    print(f"length scale learned: {learn_scales(arms)}")
    rounds, places = np.arange(200)[:, None], arms.points[:, 0]
    rewards: Floats = 1 - np.abs(places - 0.5 - 0.4 * np.sin(rounds / 40))
    for name, regret in compare(rewards, arms).items():
        print(f"{name}: mean regret {regret:.3f}")
    env = qd.environments.Recorded(rewards, arms)
    result = qd.tune(qd.policies.SlidingEpsilonGreedy, {"window": [10, 50], "epsilon": [0.1, 0.3]}, env, warmup=20)
    table: str = result.table()
    print(table)


if __name__ == "__main__":
    main()
