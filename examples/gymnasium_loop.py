"""Our policies on a gymnasium environment with late rewards. Nothing is trained in advance: they just play.

The loop is written out as for any other agent; `quickdraw_bandits.gym.play` is the same in one call. Run it with
`python examples/gymnasium_loop.py`. It needs the extras `gym` and `fields`.
"""

import gymnasium

import quickdraw_bandits as qd
import quickdraw_bandits.gym  # registers the ids that begin with "quickdraw/"


def episode(env: gymnasium.Env, policy: qd.policies.Policy, seed: int) -> tuple[float, float]:
    """Return the mean reward and the mean regret of one episode."""
    earned = lost = 0.0
    observation, _ = env.reset(seed=seed)
    rounds, over = 0, False
    while not over:
        time = float(observation[0])
        arm = policy.select(time)
        policy.expect(time, arm)  # its reward may come later
        observation, reward, over, _, info = env.step(arm)
        for arrival in info["arrivals"]:  # the time and the arm of the pull, and what it paid
            policy.update(*arrival)
        earned, lost, rounds = earned + reward, lost + info["regret"], rounds + 1
    return earned / rounds, lost / rounds


def play(n_arms: int = 300, n_rounds: int = 600) -> dict[str, tuple[float, float]]:
    """Return the mean reward and regret of some policies; a reward arrives 5 to 20 rounds after its pull."""
    env = gymnasium.make("quickdraw/RandomField-v0", n_arms=n_arms, n_rounds=n_rounds, noise=0.05, delay=(5, 20))
    kinds = (qd.AdaptiveQuickDraw, qd.QuickDraw, qd.policies.SlidingEpsilonGreedy, qd.policies.Random)
    return {kind.__name__: episode(env, kind(env.unwrapped.arms, seed=0), seed=1) for kind in kinds}


if __name__ == "__main__":
    print(f"{'policy':<22} {'mean reward':>11} {'mean regret':>11}")
    for name, (reward, regret) in play().items():
        print(f"{name:<22} {reward:>11.3f} {regret:>11.3f}")
