"""F1: Quick-Draw and GP-UCB on a known function, and their run time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats
from quickdraw_bandits.environments import Environment, KnownFunction
from quickdraw_bandits.evaluation import Trace, simulate
from quickdraw_bandits.plots.style import Style, drawing, style_of
from quickdraw_bandits.policies import GPUCB, QuickDraw
from quickdraw_lab.figures.figure import SimulatedFigure
from quickdraw_lab.files import write_csv
from quickdraw_lab.pictures import save_both
from quickdraw_lab.result_tables import Row
from quickdraw_lab.testbed import TestBed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Player = QuickDraw[int] | GPUCB

SHOWN = 15
"""Number of rounds after which the estimates are shown."""

ROUNDS = 100
"""Number of rounds that are timed."""

REPEATS = 3
"""Number of repetitions. The shortest time of each round counts, as other programs may use the machine."""

LENGTH_SCALE = 0.3
"""l_x of Quick-Draw, tuned on this function as in the paper. GP-UCB fits its parameters every round."""

SCALES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Length scales over which sensitivity is measured."""

FUNCTIONS = 20
"""Number of functions on which claims are tested: the known function, shifted at random."""

_STYLES = {
    "QuickDraw": style_of("QuickDraw"),
    "GPUCB (scikit-learn)": Style("#332288", (0, (5, 1.5)), "GP-UCB (scikit-learn)"),
    "GPUCB (george)": Style("#44AA99", (0, (5, 1.5, 1, 1.5)), "GP-UCB (george)"),
}


@dataclass(frozen=True, eq=False)
class Curve:
    """The estimate of a policy after a few rounds, and those rounds."""

    policy: str
    mean: Floats
    std: Floats
    bound: Floats
    trace: Trace


def reward(x: Floats, shift: float = 0.0) -> Floats:
    """Return the known function: two hills on a slope, the higher one at 0.45 + shift."""
    hills = 0.75 * np.exp(-(((x - 0.45 - shift) / 0.18) ** 2)) + 0.5 * np.exp(-(((x + 0.5 - shift) / 0.25) ** 2))
    return np.asarray(0.05 + hills + 0.05 * x)


def contestants() -> dict[str, Callable[[Arms, int], Player]]:
    """Return a function per policy that builds it."""
    return {
        "QuickDraw": lambda arms, seed: QuickDraw(arms, length_scale=LENGTH_SCALE, time_scale=None, seed=seed),
        "GPUCB (scikit-learn)": lambda arms, seed: GPUCB(arms, library="scikit-learn", seed=seed),
        "GPUCB (george)": lambda arms, seed: GPUCB(arms, library="george", seed=seed),
    }


def make_run_time(figure_id: str, test_bed: TestBed, out: Path) -> list[str]:
    """Play and time the policies; write rounds, estimates and sensitivity, and draw them."""
    builders = contestants()
    env = KnownFunction(lambda x: reward(x), n_arms=test_bed.n_arms, n_rounds=ROUNDS)
    traces: dict[str, Trace] = {}
    for name, build in builders.items():
        simulate(
            build(env.arms, test_bed.seed), _known(test_bed.n_arms, 3), 0, test_bed.seed
        )  # compile and import before timing
        traces[name] = _timed([simulate(build(env.arms, test_bed.seed), env, 0, test_bed.seed) for _ in range(REPEATS)])
    curves = [_curve(name, build(env.arms, test_bed.seed), test_bed) for name, build in builders.items()]
    x = env.arms.points[:, 0].astype(np.float64)

    write_csv(out / f"{figure_id}.csv", _round_rows(traces, x))
    write_csv(
        out / f"{figure_id}_estimates.csv",
        (
            {"policy": c.policy, "arm": a, "true_mean": t, "mean": m, "std": s, "upper_bound": b}
            for c in curves
            for a, t, m, s, b in zip(
                x.tolist(), env.mean[0].tolist(), c.mean.tolist(), c.std.tolist(), c.bound.tolist(), strict=True
            )
        ),
    )
    write_csv(out / f"{figure_id}_found.csv", _found_rows(test_bed))
    write_csv(out / f"{figure_id}_sensitivity.csv", _sensitivity_rows(test_bed))
    return [
        *(f"{figure_id}{table}.csv" for table in ("", "_estimates", "_found", "_sensitivity")),
        *save_both(draw_run_time(x, env.mean[0], curves[:2], traces), out, figure_id),
    ]


def _timed(traces: list[Trace]) -> Trace:
    """Return the trace, which is the same in every repetition, with the shortest time of each round."""
    return replace(traces[0], choice_seconds=np.min([trace.choice_seconds for trace in traces], axis=0))


def _known(n_arms: int, n_rounds: int, shift: float = 0.0) -> Environment:
    return KnownFunction(lambda x: reward(x, shift), n_arms=n_arms, n_rounds=n_rounds)


def _curve(name: str, policy: Player, test_bed: TestBed) -> Curve:
    trace = simulate(policy, _known(test_bed.n_arms, SHOWN), 0, test_bed.seed)
    mean, std = policy.estimate(1.0)
    return Curve(name, mean, std, policy.index(1.0), trace)


def _round_rows(traces: dict[str, Trace], x: Floats) -> Iterator[Row]:
    for name, trace in traces.items():
        total = np.cumsum(trace.choice_seconds).tolist()
        for round, (arm, paid, regret) in enumerate(
            zip(trace.arms.tolist(), trace.rewards.tolist(), trace.regret.tolist(), strict=True)
        ):
            yield {
                "policy": name,
                "round": round + 1,
                "arm": float(x[arm]),
                "reward": paid,
                "regret": regret,
                "cumulative_seconds": total[round],
            }


def _shifts(test_bed: TestBed) -> list[float]:
    return np.random.default_rng(test_bed.seed).uniform(-0.3, 0.3, FUNCTIONS).tolist()  # type: ignore[no-any-return]


def _found_rows(test_bed: TestBed) -> Iterator[Row]:
    """Yield the shortfall of the arm with the highest estimate from the best arm, after the rounds shown."""
    for number, shift in enumerate(_shifts(test_bed)):
        env = _known(test_bed.n_arms, SHOWN, shift)
        players: dict[str, Player] = {
            "QuickDraw": QuickDraw(env.arms, length_scale=LENGTH_SCALE, time_scale=None, seed=test_bed.seed),
            "GPUCB": GPUCB(env.arms, seed=test_bed.seed),
        }
        for name, player in players.items():
            simulate(player, env, 0, test_bed.seed)
            mean, _ = player.estimate(1.0)
            shortfall = float(env.mean[0].max() - env.mean[0][mean.argmax()])
            yield {"policy": name, "function": number, "shortfall": shortfall}


def _sensitivity_rows(test_bed: TestBed) -> Iterator[Row]:
    """Yield the regret per round of each policy at each fixed length scale, on functions shifted at random."""
    for number, shift in enumerate(_shifts(test_bed)):
        env = _known(test_bed.n_arms, 2 * SHOWN, shift)
        for scale in SCALES:
            players: dict[str, Player] = {
                "QuickDraw": QuickDraw(env.arms, length_scale=scale, time_scale=None, seed=test_bed.seed),
                "GPUCB": GPUCB(env.arms, fit=False, length_scale=scale, seed=test_bed.seed),
            }
            for name, player in players.items():
                regret = simulate(player, env, 0, test_bed.seed).regret_per_round
                yield {"policy": name, "length_scale": scale, "function": number, "regret_per_round": regret}


def draw_run_time(x: Floats, true_mean: Floats, curves: Sequence[Curve], traces: Mapping[str, Trace]) -> "Figure":
    """Return a figure with one panel per curve, and one with the cumulative run time of all traces."""
    with drawing():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6.2, 2.5 * (len(curves) + 1)), layout="constrained")
        panels = figure.subplots(len(curves) + 1, 1)
        for panel, curve in zip(panels, curves, strict=False):
            _draw_curve(panel, x, true_mean, curve)
        panels[0].legend(loc="upper left", ncols=2, fontsize="small")
        panels[len(curves) - 1].set_xlabel("arm")
        times = panels[-1]
        for name, trace in traces.items():
            style = _STYLES[name]
            rounds = np.arange(1, len(trace.arms) + 1)
            total = np.cumsum(trace.choice_seconds)
            times.plot(rounds, total, color=style.colour, linestyle=style.dashes, label=style.label)
        times.set_yscale("log")
        times.set_xlabel("round")
        times.set_ylabel("cumulative seconds")
        times.set_title("Run time, one thread")
        times.grid(True)
        times.legend(loc="upper center", ncols=3, handlelength=3.2, fontsize="small")
        times.set_ylim(top=20 * max(trace.choice_seconds.sum() for trace in traces.values()))
        return figure


def _draw_curve(panel: "Axes", x: Floats, true_mean: Floats, curve: Curve) -> None:
    style = _STYLES[curve.policy]
    panel.fill_between(x, curve.mean, np.minimum(curve.bound, 1.6), color=style.colour, alpha=0.18, linewidth=0)
    panel.plot(x, curve.mean, color=style.colour, label="mean, to upper bound")
    panel.plot(x, true_mean, color="#222222", linestyle=(0, (4, 2)), label="true reward")
    panel.scatter(
        x[curve.trace.arms], curve.trace.rewards, s=20, color=style.colour, edgecolors="#222222", linewidths=0.5,
        zorder=3, label="rounds played",
    )  # fmt: skip
    panel.set_ylim(-0.15, 1.6)
    panel.set_ylabel("reward")
    panel.set_title(f"{style.label} after {len(curve.trace.arms)} rounds", color=style.colour)


FIGURES = {
    "F1": SimulatedFigure(
        title="Quick-Draw and Gaussian processes on a known function",
        caption="Top and middle: estimates of Quick-Draw and GP-UCB after 15 rounds. Bottom: cumulative run time, "
        "one thread each, the shortest of three runs.",
        example=make_run_time,
    ),
}
