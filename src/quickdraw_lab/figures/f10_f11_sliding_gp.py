"""F10 and F11: the estimate of SW-GP-UCB in one round, and the truth."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.environments import Environment, Recorded
from quickdraw_bandits.evaluation import simulate
from quickdraw_bandits.plots.fields import arm_axis
from quickdraw_bandits.plots.style import drawing, style_of
from quickdraw_bandits.policies import SlidingGPUCB
from quickdraw_lab.figures.figure import SimulatedFigure
from quickdraw_lab.files import write_csv
from quickdraw_lab.pictures import save_both
from quickdraw_lab.result_tables import Row
from quickdraw_lab.testbed import FieldSetting, TestBed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIELD = 12
"""The number of the field that is shown: one of the first thirty of seed 0 in which one round goes well and another
does not. How often each happens is measured over many fields."""

ROUNDS = {"F10": 0.22, "F11": 0.52}
"""The round that is shown, as a share of all rounds: 220 and 520 of 1000."""

BOUNDS = 20
"""Number of fields on which the upper bound is compared with the true mean."""


@dataclass(frozen=True, eq=False)
class Belief:
    """The estimate of a policy before its choice in a round.

    Attributes
    ----------
    round
        The round.
    true_mean
        The true mean reward of every arm in it.
    mean, std, bound
        The estimate of every arm and its upper bound.
    rounds, arms, rewards
        The observations in the window.
    """

    round: int
    true_mean: Floats
    mean: Floats
    std: Floats
    bound: Floats
    rounds: Integers
    arms: Integers
    rewards: Floats


def make_window(figure_id: str, test_bed: TestBed, out: Path) -> list[str]:
    """Play up to a round; write the belief over all arms and the window, and draw them."""
    env = test_bed.environment(FIELD, FieldSetting())
    belief = belief_at(env, round_of(figure_id, test_bed), test_bed.warmup)
    x = env.arms.points[:, 0].tolist()
    columns = (x, belief.true_mean.tolist(), belief.mean.tolist(), belief.std.tolist(), belief.bound.tolist())
    names = ("arm", "true_mean", "mean", "std", "upper_bound")
    write_csv(
        out / f"{figure_id}.csv", (dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True))
    )
    write_csv(
        out / f"{figure_id}_samples.csv",
        (
            {"round": round, "arm": x[arm], "reward": reward}
            for round, arm, reward in zip(
                belief.rounds.tolist(), belief.arms.tolist(), belief.rewards.tolist(), strict=True
            )
        ),
    )
    written = [f"{figure_id}.csv", f"{figure_id}_samples.csv"]
    if figure_id == "F11":
        write_csv(out / "F11_bounds.csv", _bound_rows(test_bed))
        written.append("F11_bounds.csv")
    return [*written, *save_both(draw_belief(env, belief), out, figure_id)]


def _bound_rows(test_bed: TestBed) -> Iterator[Row]:
    """Yield for several fields the share of arms whose true mean is above the upper bound."""
    for field in range(BOUNDS):
        env = test_bed.environment(field, FieldSetting())
        belief = belief_at(env, round_of("F11", test_bed), test_bed.warmup)
        yield {"field": field, "round": belief.round, "above_share": float((belief.true_mean > belief.bound).mean())}


def round_of(figure_id: str, test_bed: TestBed) -> int:
    """Return the round that a figure shows, late enough for the policy to have chosen at least once."""
    return min(max(test_bed.warmup + 1, int(ROUNDS[figure_id] * test_bed.n_rounds)), test_bed.n_rounds - 1)


def belief_at(env: Environment, round: int, warmup: int) -> Belief:
    """Return the belief of the policy before its choice in ``round``, from playing the rounds before."""
    policy = SlidingGPUCB(env.arms, seed=env.seed)
    before = Recorded(env.mean[:round], env.arms, env.times[:round])
    trace = simulate(policy, before, warmup, env.seed)
    time = float(env.times[round])
    mean, std = policy.estimate(time)
    window = np.arange(round)[-policy.window :]
    return Belief(
        round, env.mean[round], mean, std, policy.index(time), window, trace.arms[window], trace.rewards[window]
    )


def draw_belief(env: Environment, belief: Belief) -> "Figure":
    """Return the figure. Recent samples are bright, old ones dark."""
    with drawing():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6.4, 3.6), layout="constrained")
        panel = figure.subplots()
        axis = arm_axis(env.arms)
        style = style_of("SlidingGPUCB")
        panel.fill_between(
            axis.values, belief.mean, belief.bound, color="#999999", alpha=0.25, linewidth=0, label="mean to bound"
        )
        panel.plot(axis.values, belief.bound, color="#777777", linewidth=1.4, label="upper bound")
        panel.plot(axis.values, belief.true_mean, color="#D62728", linestyle=(0, (5, 1.5)), label="true mean now")
        dots = panel.scatter(
            axis.values[belief.arms],
            belief.rewards,
            c=belief.rounds,
            cmap="viridis",
            s=22,
            edgecolors="#222222",
            linewidths=0.4,
            zorder=3,
            label="samples",
        )
        choice = int(belief.bound.argmax())
        panel.axvline(axis.values[choice], color=style.colour, linewidth=1.0, linestyle=(0, (1, 1.5)), label="choice")
        panel.set_title(style.label, color=style.colour)
        panel.set_title(f"round {belief.round}", loc="right", fontweight="normal")
        panel.set_xlabel(axis.label)
        panel.set_ylabel("reward")
        panel.set_xlim(*axis.edges)
        figure.colorbar(dots, ax=panel, label="round of the sample", fraction=0.05, pad=0.02)
        figure.legend(loc="outside lower center", ncols=5, fontsize="small")
        return figure


FIGURES = {
    "F10": SimulatedFigure(
        title="SW-GP-UCB when it fits well",
        caption="Samples in the window coloured by their round, the upper bound that the policy maximises, and the "
        "true mean.",
        example=make_window,
    ),
    "F11": SimulatedFigure(
        title="SW-GP-UCB when it fails",
        caption="As F10, in a later round of the same field, which was picked to show both cases: here the bound lies "
        "below the true mean of some arms and the choice is a bad one, though not at the edge. How often the bound is "
        "too low, and the edge played, is measured over many fields.",
        example=make_window,
    ),
}
