"""The pictures of F10 and F11: samples in the window by age, the upper bound, and the true mean."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.environments import Environment
from quickdraw_lab.plots.play import arm_axis
from quickdraw_lab.plots.style import drawing, look_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Belief:
    """What a policy believes before it chooses in a round.

    Attributes
    ----------
    round
        Which round.
    true_mean
        What every arm truly pays in it, on average.
    mean, std, bound
        The estimate of every arm, and its upper bound.
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


def draw_belief(env: Environment, belief: Belief) -> "Figure":
    """Return the figure; recent samples are bright and stand out against old, dark ones."""
    with drawing():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6.4, 3.6), layout="constrained")
        panel = figure.subplots()
        axis = arm_axis(env)
        look = look_of("SlidingGPUCB")
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
        panel.axvline(axis.values[choice], color=look.colour, linewidth=1.0, linestyle=(0, (1, 1.5)), label="choice")
        panel.set_title(look.label, color=look.colour)
        panel.set_title(f"round {belief.round}", loc="right", fontweight="normal")
        panel.set_xlabel(axis.label)
        panel.set_ylabel("reward")
        panel.set_xlim(*axis.edges)
        figure.colorbar(dots, ax=panel, label="round of the sample", fraction=0.05, pad=0.02)
        figure.legend(loc="outside lower center", ncols=5, fontsize="small")
        return figure
