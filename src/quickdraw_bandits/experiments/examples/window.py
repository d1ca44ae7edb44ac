"""F10 and F11: what SW-GP-UCB believes in one round, and what is true."""

from pathlib import Path

import numpy as np

from quickdraw_bandits.environments import Environment, Recorded
from quickdraw_bandits.evaluation import simulate
from quickdraw_bandits.experiments.bed import Bed, Setting
from quickdraw_bandits.experiments.files import write_csv
from quickdraw_bandits.experiments.plots.style import save_both
from quickdraw_bandits.experiments.plots.window import Belief, draw_belief
from quickdraw_bandits.policies import SlidingGPUCB

FIELD = 0
"""The number of the field that is shown."""

ROUNDS = {"F10": 0.22, "F11": 0.52}
"""Which round is shown, as a share of all rounds: 220 and 520 of 1000."""


def make_window(piece: str, bed: Bed, out: Path) -> list[str]:
    """Play up to a round, and write the belief over all arms, the window and the picture."""
    env = bed.environment(FIELD, Setting())
    belief = belief_at(env, max(bed.warmup, int(ROUNDS[piece] * env.n_rounds)), bed.warmup)
    x = env.arms.points[:, 0].tolist()
    columns = (x, belief.true_mean.tolist(), belief.mean.tolist(), belief.std.tolist(), belief.bound.tolist())
    names = ("arm", "true_mean", "mean", "std", "upper_bound")
    write_csv(out / f"{piece}.csv", (dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)))
    write_csv(
        out / f"{piece}_samples.csv",
        (
            {"round": round, "arm": x[arm], "reward": reward}
            for round, arm, reward in zip(
                belief.rounds.tolist(), belief.arms.tolist(), belief.rewards.tolist(), strict=True
            )
        ),
    )
    return [f"{piece}.csv", f"{piece}_samples.csv", *save_both(draw_belief(env, belief), out, piece)]


def belief_at(env: Environment, round: int, warmup: int) -> Belief:
    """Return what the policy believes before it chooses in ``round``: it plays an environment that ends there."""
    policy = SlidingGPUCB(env.arms, seed=env.seed)
    before = Recorded(env.mean[:round], env.arms, env.times[:round])
    trace = simulate(policy, before, warmup, env.seed)
    time = float(env.times[round])
    mean, std = policy.estimate(time)
    window = np.arange(round)[-policy.window :]
    return Belief(
        round, env.mean[round], mean, std, policy.index(time), window, trace.arms[window], trace.rewards[window]
    )
