"""Policies on a log, as flat records."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from quickdraw_bandits.datasets import Log
from quickdraw_bandits.evaluation.off_policy import Interval, LearnFrom, WeakEvidenceWarning, play_logs
from quickdraw_bandits.evaluation.off_policy.protocol import Build, Progress, Truth

Row = dict[str, Any]


def evaluate_rows(
    log: Log,
    builders: Mapping[str, Build],
    *,
    runs: int = 1,
    learn_from: LearnFrom = "logged",
    rounds: int = 1000,
    interval: Interval | None = None,
    truth: Truth | None = None,
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[str], Progress] | None = None,
) -> Iterator[Row]:
    """Yield one record for each policy, run and estimator; parameters as for ``play_logs``, ``rounds`` its interval.

    A weak estimate does not warn here: its record says why it is weak.
    """
    plays = play_logs(
        log,
        builders,
        runs=runs,
        learn_from=learn_from,
        interval=rounds,
        truth=truth,
        seed=seed,
        jobs=jobs,
        progress=progress,
    )
    for name, run, played in plays:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", WeakEvidenceWarning)
            estimates = played.estimates(interval or Interval())
        for estimate in estimates:
            yield {
                "policy": name,
                "learn_from": learn_from,
                "run": run,
                "estimator": estimate.estimator,
                "value": estimate.value,
                "standard_error": estimate.standard_error,
                "low": estimate.low,
                "high": estimate.high,
                "ess": estimate.effective_sample_size,
                "events": estimate.n_events,
                "true_value": played.true_value,
                "weakness": estimate.weakness,
            }


def summary_rows(rows: Iterable[Row]) -> list[Row]:
    """Return one record for each policy, reading and estimator: means over the runs, and the deviation between runs.

    The deviation ``sd`` is that of a policy's own chance, over the same log; it says nothing of how the estimate would
    differ on another log, which is what ``standard_error`` and the interval are for. NaN for a single run.
    """
    together: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        together.setdefault((row["policy"], row["learn_from"], row["estimator"]), []).append(row)
    return [_summary(same) for same in together.values()]


def _summary(rows: Sequence[Row]) -> Row:
    first = rows[0]
    values = [row["value"] for row in rows]
    means = {
        name: float(np.mean([row[name] for row in rows]))
        for name in ("value", "standard_error", "low", "high", "ess", "true_value")
    }
    return {
        "policy": first["policy"],
        "learn_from": first["learn_from"],
        "estimator": first["estimator"],
        "runs": len(rows),
        "value": means["value"],
        "sd": _deviation(values),
        "standard_error": means["standard_error"],
        "low": means["low"],
        "high": means["high"],
        "ess": means["ess"],
        "events": first["events"],
        "true_value": means["true_value"],
        "weakness": next((row["weakness"] for row in rows if row["weakness"]), ""),
    }


def _deviation(values: Sequence[float]) -> float:
    """Return the deviation between runs: NaN for one, and exactly 0 for equal ones, which rounding would hide."""
    if len(values) == 1:
        return float("nan")
    return 0.0 if len(set(values)) == 1 else float(np.std(values, ddof=1))
