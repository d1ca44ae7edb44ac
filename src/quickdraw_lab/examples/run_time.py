"""F1: Quick-Draw and GP-UCB on one known function, and the time they take."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats
from quickdraw_bandits.environments import Environment, KnownFunction
from quickdraw_bandits.evaluation import Trace, simulate
from quickdraw_bandits.policies import GPUCB, QuickDraw
from quickdraw_lab.bed import Bed
from quickdraw_lab.files import write_csv
from quickdraw_lab.plots.run_time import Curve, draw_run_time
from quickdraw_lab.plots.style import save_both

SHOWN = 15
"""After how many rounds the estimates are shown."""

ROUNDS = 100
"""How many rounds are timed."""

REPEATS = 3
"""Every policy plays this often, and the shortest time of each round counts: others may use the machine as well."""

LENGTH_SCALE = 0.3
"""l_x of Quick-Draw, tuned on this function as the paper did on its own; GP-UCB fits its parameters every round."""

SCALES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Length scales, in units of the arms' scaled distance, over which sensitivity is measured."""

FUNCTIONS = 20
"""On how many functions, the known one shifted at random, claims are tested."""


def reward(x: Floats, shift: float = 0.0) -> Floats:
    """Return the known function: two hills on a slope, the higher one at 0.45 + shift."""
    hills = 0.75 * np.exp(-(((x - 0.45 - shift) / 0.18) ** 2)) + 0.5 * np.exp(-(((x + 0.5 - shift) / 0.25) ** 2))
    return np.asarray(0.05 + hills + 0.05 * x)


def contestants() -> dict[str, Callable[[Arms, int], Any]]:
    """Return what builds each policy."""
    return {
        "QuickDraw": lambda arms, seed: QuickDraw(arms, length_scale=LENGTH_SCALE, time_scale=None, seed=seed),
        "GPUCB (scikit-learn)": lambda arms, seed: GPUCB(arms, library="scikit-learn", seed=seed),
        "GPUCB (george)": lambda arms, seed: GPUCB(arms, library="george", seed=seed),
    }


def make_run_time(piece: str, bed: Bed, out: Path) -> list[str]:
    """Play, time, and write rounds, estimates, sensitivity and the picture."""
    builders = contestants()
    env = KnownFunction(lambda x: reward(x), n_arms=bed.n_arms, n_rounds=ROUNDS)
    traces: dict[str, Trace] = {}
    for name, build in builders.items():
        simulate(build(env.arms, bed.seed), _known(bed.n_arms, 3), 0, bed.seed)  # compiles and imports, untimed
        traces[name] = _timed([simulate(build(env.arms, bed.seed), env, 0, bed.seed) for _ in range(REPEATS)])
    curves = [_curve(name, build(env.arms, bed.seed), bed) for name, build in builders.items()]
    x = env.arms.points[:, 0].astype(np.float64)

    write_csv(out / f"{piece}.csv", _round_rows(traces, x))
    write_csv(
        out / f"{piece}_estimates.csv",
        (
            {"policy": c.policy, "arm": a, "true_mean": t, "mean": m, "std": s, "upper_bound": b}
            for c in curves
            for a, t, m, s, b in zip(
                x.tolist(), env.mean[0].tolist(), c.mean.tolist(), c.std.tolist(), c.bound.tolist(), strict=True
            )
        ),
    )
    write_csv(out / f"{piece}_found.csv", _found_rows(bed))
    write_csv(out / f"{piece}_sensitivity.csv", _sensitivity_rows(bed))
    return [
        *(f"{piece}{table}.csv" for table in ("", "_estimates", "_found", "_sensitivity")),
        *save_both(draw_run_time(x, env.mean[0], curves[:2], traces), out, piece),
    ]


def _timed(traces: list[Trace]) -> Trace:
    """Return the trace, which is the same every time, with the shortest time of each round."""
    return replace(traces[0], choice_seconds=np.min([trace.choice_seconds for trace in traces], axis=0))


def _known(n_arms: int, n_rounds: int, shift: float = 0.0) -> Environment:
    return KnownFunction(lambda x: reward(x, shift), n_arms=n_arms, n_rounds=n_rounds)


def _curve(name: str, policy: Any, bed: Bed) -> Curve:
    trace = simulate(policy, _known(bed.n_arms, SHOWN), 0, bed.seed)
    mean, std = policy.estimate(1.0)
    return Curve(name, mean, std, policy.index(1.0), trace)


def _round_rows(traces: dict[str, Trace], x: Floats) -> Iterator[dict[str, Any]]:
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


def _shifts(bed: Bed) -> list[float]:
    return np.random.default_rng(bed.seed).uniform(-0.3, 0.3, FUNCTIONS).tolist()  # type: ignore[no-any-return]


def _found_rows(bed: Bed) -> Iterator[dict[str, Any]]:
    """Yield how much less than the best arm the one pays that a policy thinks best after the rounds shown."""
    for number, shift in enumerate(_shifts(bed)):
        env = _known(bed.n_arms, SHOWN, shift)
        players: dict[str, Any] = {
            "QuickDraw": QuickDraw(env.arms, length_scale=LENGTH_SCALE, time_scale=None, seed=bed.seed),
            "GPUCB": GPUCB(env.arms, seed=bed.seed),
        }
        for name, player in players.items():
            simulate(player, env, 0, bed.seed)
            mean, _ = player.estimate(1.0)
            shortfall = float(env.mean[0].max() - env.mean[0][mean.argmax()])
            yield {"policy": name, "function": number, "shortfall": shortfall}


def _sensitivity_rows(bed: Bed) -> Iterator[dict[str, Any]]:
    """Yield the regret per round of each policy at each length scale, kept as given, on functions shifted at random."""
    for number, shift in enumerate(_shifts(bed)):
        env = _known(bed.n_arms, 2 * SHOWN, shift)
        for scale in SCALES:
            players: dict[str, Any] = {
                "QuickDraw": QuickDraw(env.arms, length_scale=scale, time_scale=None, seed=bed.seed),
                "GPUCB": GPUCB(env.arms, fit=False, length_scale=scale, seed=bed.seed),
            }
            for name, player in players.items():
                regret = simulate(player, env, 0, bed.seed).regret_per_round
                yield {"policy": name, "length_scale": scale, "function": number, "regret_per_round": regret}
