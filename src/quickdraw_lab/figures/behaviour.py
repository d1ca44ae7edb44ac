"""A few numbers that describe how a policy behaved on a field."""

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Integers
from quickdraw_bandits.environments import Environment
from quickdraw_bandits.evaluation import Trace

EDGE = 0.05
"""Share of all arms that count as the edge, half of them at each end."""

LOOK_BACK = 100
"""Number of rounds in which an earlier play of the same arm counts."""

DROP = 0.1
"""Drop of an arm's mean reward from which playing it counts as stale."""


def behaviour(trace: Trace, env: Environment) -> dict[str, float | None]:
    """Describe the rounds after the warm-up.

    Returns
    -------
    edge_share
        Share of rounds in which an arm at the edge was played.
    best_edge_share
        Share of rounds in which the best arm was at the edge.
    edge_regret
        Mean regret of the rounds in which an arm at the edge was played; None if there was none.
    stale_share
        Share of rounds in which the mean of the played arm was at least ``DROP`` lower than at one of its plays in the
        ``LOOK_BACK`` rounds before.
    distinct_share
        Number of different arms played, divided by the number of rounds.
    """
    start, n_arms = trace.warmup, len(env.arms)
    arms = trace.arms[start:]
    at_edge = _at_edge(arms, n_arms)
    return {
        "edge_share": float(at_edge.mean()),
        "best_edge_share": float(_at_edge(env.mean[start:].argmax(axis=1), n_arms).mean()),
        "edge_regret": float(trace.regret[start:][at_edge].mean()) if at_edge.any() else None,
        "stale_share": _stale_share(trace, env),
        "distinct_share": len(np.unique(arms)) / len(arms),
    }


def _at_edge(arms: Integers, n_arms: int) -> NDArray[np.bool_]:
    n_edge = max(1, round(EDGE / 2 * n_arms))
    return (arms < n_edge) | (arms >= n_arms - n_edge)


def _stale_share(trace: Trace, env: Environment) -> float:
    rounds = np.arange(len(trace.arms))
    played_mean = env.mean[rounds, trace.arms]
    stale = 0
    for now in range(trace.warmup, len(rounds)):
        window = slice(max(0, now - LOOK_BACK), now)
        same = trace.arms[window] == trace.arms[now]
        if same.any() and played_mean[window][same].max() - played_mean[now] >= DROP:
            stale += 1
    return stale / (len(rounds) - trace.warmup)
