"""TAB1 and F12: what the paper's policies earn on the Open Bandit data."""

from collections.abc import Sequence
from typing import Any

from quickdraw_bandits.evaluation.off_policy import builder
from quickdraw_bandits.evaluation.off_policy.protocol import Build
from quickdraw_bandits.policies import QuickDraw
from quickdraw_lab.evaluate import Row

PRINTED = {
    "Random": (0.49, 0.05),
    "SlidingGPUCB": (0.57, 0.01),
    "Restless": (0.98, 0.02),
    "SlidingEpsilonGreedy": (2.12, 0.04),
    "QuickDraw": (3.51, 0.04),
}
"""TAB1 as the paper prints it: click-through rate and deviation over ten runs, in percent, on the full data."""

TIME_SCALES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
"""The values of l_t that F12 is drawn at."""


def table_1(summary: Sequence[Row]) -> list[Row]:
    """Return TAB1 from the summary of an evaluation: click-through rates by inverse propensity scoring, in percent."""
    return [
        {
            "policy": row["policy"],
            "ctr_percent": 100 * row["value"],
            "sd": 100 * row["sd"],
            "ess": row["ess"],
            "learn_from": row["learn_from"],
            "events": row["events"],
        }
        for row in summary
        if row["estimator"] == "ips"
    ]


def figure_12_builders(time_scales: Sequence[float] = TIME_SCALES) -> dict[str, Build]:
    """Return Quick-Draw with each time scale, by names that ``figure_12`` reads back."""
    return {f"QuickDraw(time_scale={scale:g})": builder(QuickDraw, time_scale=scale) for scale in time_scales}


def figure_12(summary: Sequence[Row]) -> list[Row]:
    """Return F12 from the summary of an evaluation of ``figure_12_builders``, in percent."""
    return [
        {
            "time_scale": float(row["policy"].partition("=")[2].rstrip(")")),
            "ctr_percent": 100 * row["value"],
            "sd": 100 * row["sd"],
            "low": 100 * row["low"],
            "high": 100 * row["high"],
            "ess": row["ess"],
            "true_percent": 100 * row["true_value"],
            "learn_from": row["learn_from"],
            "events": row["events"],
        }
        for row in summary
        if row["estimator"] == "ips"
    ]


def beside_printed(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the rows of TAB1 with what the paper prints beside them."""
    return [
        row
        | {
            "printed": PRINTED[row["policy"]][0] if row["policy"] in PRINTED else float("nan"),
            "printed_sd": PRINTED[row["policy"]][1] if row["policy"] in PRINTED else float("nan"),
        }
        for row in rows
    ]
