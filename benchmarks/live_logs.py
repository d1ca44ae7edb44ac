"""Whether logs of a live adaptive policy tell what other policies would have earned.

``python -m benchmarks.live_logs`` writes 200 logs with ``Mixed(AdaptiveQuickDraw)``: 2,000 decisions among ten arms
whose click rates drift, each with the probability that ``decide`` states. Every log goes through a CSV file, as for
``quickdraw evaluate``, and three other policies are evaluated on it. The table has the part of the logs in which the
95 % interval of an estimate contains the policy's true value, and the mean error.

Repetitions are kept in ``--folder`` as they finish; a run that was stopped goes on where it was.
"""

import json
import os
import sys
import tempfile
import warnings
from pathlib import Path

# One thread each: a model is small. Before anything is imported.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np  # noqa: E402

import quickdraw_bandits as qd  # noqa: E402
from benchmarks.repetitions import Options  # noqa: E402
from quickdraw_bandits.datasets import read_log  # noqa: E402
from quickdraw_bandits.evaluation.off_policy import WeakEvidenceWarning, builder, play_logs  # noqa: E402

ARMS, ROUNDS = 10, 2000
UNIFORM = 0.2
TARGETS = {
    "Random": builder(qd.policies.Random),
    "SlidingEpsilonGreedy": builder(qd.policies.SlidingEpsilonGreedy),
    "QuickDraw": builder(qd.QuickDraw),
}

Row = dict[str, str | int | float | bool]


def write_log(path: Path, seed: int, rounds: int = ROUNDS) -> qd.environments.Environment:
    """Play with exploration, write one row per decision, and return the environment."""
    env = qd.environments.RandomField(0.5, 0.5, n_arms=ARMS, n_rounds=rounds, seed=seed)
    policy = qd.Mixed(qd.AdaptiveQuickDraw(env.arms, seed=seed), uniform=UNIFORM, seed=seed + 1)
    random = np.random.default_rng([seed, 2])
    with path.open("w") as file:
        print("time,arm,reward,propensity", file=file)
        for row, time in enumerate(env.times.tolist()):
            decision = policy.decide(time)
            reward = float(random.random() < env.mean[row, decision.arm])
            policy.update(time, decision.arm, reward)
            print(f"{time!r},{decision.arm},{reward:g},{decision.probability!r}", file=file)
    return env


def evaluated(seed: int, rounds: int = ROUNDS) -> list[Row]:
    """Return the estimates of all policies on one log, with the truth."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.csv"
        env = write_log(path, seed, rounds)
        log = read_log(path)

    def truth(groups: np.ndarray, times: np.ndarray) -> np.ndarray:
        return np.asarray(env.mean[np.searchsorted(env.times, times)])

    rows: list[Row] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WeakEvidenceWarning)  # it is in the rows
        for name, _, played in play_logs(log, TARGETS, truth=truth, seed=seed):
            rows += [
                {
                    "seed": seed,
                    "policy": name,
                    "estimator": found.estimator,
                    "truth": played.true_value,
                    "value": found.value,
                    "low": found.low,
                    "high": found.high,
                    "covers": bool(found.low <= played.true_value <= found.high),
                    "weak": bool(found.weakness),
                }
                for found in played.estimates()
            ]
    return rows


def repeated(folder: Path, seeds: range) -> list[Row]:
    """Return all rows; those of earlier runs come from the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    for done, seed in enumerate(seeds, start=1):
        kept = folder / f"{seed}.json"
        if not kept.exists():
            temporary = kept.with_suffix(".tmp")
            temporary.write_text(json.dumps(evaluated(seed)))
            temporary.replace(kept)
            print(f"\r{done} of {len(seeds)}", end="", file=sys.stderr, flush=True)
        rows += json.loads(kept.read_text())
    print(file=sys.stderr)
    return rows


def summary(rows: list[Row]) -> list[Row]:
    """Return one row per policy and estimator."""
    found: list[Row] = []
    for policy, estimator in dict.fromkeys((row["policy"], row["estimator"]) for row in rows):
        some = [row for row in rows if (row["policy"], row["estimator"]) == (policy, estimator)]
        errors = np.array([float(row["value"]) - float(row["truth"]) for row in some])
        widths = np.array([float(row["high"]) - float(row["low"]) for row in some])
        found.append(
            {
                "policy": policy,
                "estimator": estimator,
                "logs": len(some),
                "coverage": round(float(np.mean([row["covers"] for row in some])), 4),
                "truth": round(float(np.mean([row["truth"] for row in some])), 4),
                "mean_error": round(float(errors.mean()), 5),
                "width": round(float(widths.mean()), 4),
                "weak": round(float(np.mean([row["weak"] for row in some])), 4),
            }
        )
    return found


def main() -> int:
    """Print the table."""
    options = Options("live_logs", __doc__, "logs", 200, 50000)
    options.add_argument("--folder", type=Path, default=Path("results/live-logs"), help="of finished repetitions")
    given, seeds = options.given()
    table = summary(repeated(given.folder, seeds))
    print("| policy | estimator | coverage | true value | mean error | width | weak |\n|---|---|---|---|---|---|---|")
    for row in table:
        shown = [f"{row[name]:.3f}" for name in ("coverage", "truth", "mean_error", "width", "weak")]
        print(f"| {row['policy']} | {row['estimator']} | {' | '.join(shown)} |")
    options.write(rows=table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
