"""Off-policy estimates of policies on a log, as flat records."""

import warnings
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from quickdraw_bandits.evaluation.off_policy import Interval, LearnFrom, Played, WeakEvidenceWarning
from quickdraw_lab.result_tables import Row


def estimate_rows(
    plays: Iterable[tuple[str, int, Played]], learn_from: LearnFrom, confidence: Interval | None = None
) -> Iterator[Row]:
    """Yield one record per policy, run and estimator.

    Weak estimates do not warn here: their record says why they are weak.

    Parameters
    ----------
    plays
        What ``play_logs`` yields.
    learn_from
        The learning mode in which it was played.
    confidence
        Kind and level of the confidence intervals (default: asymptotic, 95 %).
    """
    for name, run, played in plays:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", WeakEvidenceWarning)
            estimates = played.estimates(confidence or Interval())
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
    """Return one record per policy, learning mode and estimator, averaged over the runs.

    ``sd`` is the standard deviation between runs, from the policy's own randomness on the same log; NaN for a single
    run. How much the estimate would vary from log to log is ``standard_error``.
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
    """Return the standard deviation: NaN for one value, exactly 0 for equal ones, where rounding would give more."""
    if len(values) == 1:
        return float("nan")
    return 0.0 if len(set(values)) == 1 else float(np.std(values, ddof=1))
