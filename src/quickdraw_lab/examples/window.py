"""F10 and F11: what SW-GP-UCB believes in one round, and what is true."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from quickdraw_bandits.environments import Environment, Recorded
from quickdraw_bandits.evaluation import simulate
from quickdraw_bandits.policies import SlidingGPUCB
from quickdraw_lab.bed import Bed, Setting
from quickdraw_lab.files import write_csv
from quickdraw_lab.plots.style import save_both
from quickdraw_lab.plots.window import Belief, draw_belief

FIELD = 12
"""The number of the field that is shown: of the first thirty of seed 0, one that shows both a round that goes well and
one that does not. How often each happens is measured over many fields."""

ROUNDS = {"F10": 0.22, "F11": 0.52}
"""Which round is shown, as a share of all rounds: 220 and 520 of 1000."""

BOUNDS = 20
"""On how many fields the upper bound is compared with the truth."""


def make_window(piece: str, bed: Bed, out: Path) -> list[str]:
    """Play up to a round, and write the belief over all arms, the window and the picture."""
    env = bed.environment(FIELD, Setting())
    belief = belief_at(env, round_of(piece, bed), bed.warmup)
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
    written = [f"{piece}.csv", f"{piece}_samples.csv"]
    if piece == "F11":
        write_csv(out / "F11_bounds.csv", _bound_rows(bed))
        written.append("F11_bounds.csv")
    return [*written, *save_both(draw_belief(env, belief), out, piece)]


def _bound_rows(bed: Bed) -> Iterator[dict[str, Any]]:
    """Yield on several fields the share of arms whose true mean is above the upper bound."""
    for field in range(BOUNDS):
        env = bed.environment(field, Setting())
        belief = belief_at(env, round_of("F11", bed), bed.warmup)
        yield {"field": field, "round": belief.round, "above_share": float((belief.true_mean > belief.bound).mean())}


def round_of(piece: str, bed: Bed) -> int:
    """Return the round that a piece shows; the policy itself has chosen at least once before, in a short game too."""
    return min(max(bed.warmup + 1, int(ROUNDS[piece] * bed.n_rounds)), bed.n_rounds - 1)


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
