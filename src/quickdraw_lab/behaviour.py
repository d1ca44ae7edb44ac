"""How a policy behaved on a field, in a few numbers."""

import numpy as np
from numpy.typing import NDArray

from quickdraw_bandits.checks import Integers
from quickdraw_bandits.environments import Environment
from quickdraw_bandits.evaluation import Trace

EDGE = 0.05
"""The outermost arms, this share of all, are the edge: half of them at each end."""

WINDOW = 100
"""How many rounds back an earlier play of the same arm counts."""

DROP = 0.1
"""By how much an arm's mean must have fallen for its play to count as stale."""


def behaviour(trace: Trace, env: Environment) -> dict[str, float | None]:
    """Return what the rounds after the warm-up were like.

    Returns
    -------
    edge_share
        The share of rounds in which an arm at the edge was played.
    best_edge_share
        The share in which the best arm was at the edge.
    edge_regret
        Mean regret of the rounds in which an arm at the edge was played; None if there was no such round.
    stale_share
        The share in which an arm was played although its mean is lower by at least ``DROP`` than at one of its own
        plays in the ``WINDOW`` rounds before.
    distinct_share
        How many different arms were played, for each round.
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
        window = slice(max(0, now - WINDOW), now)
        same = trace.arms[window] == trace.arms[now]
        if same.any() and played_mean[window][same].max() - played_mean[now] >= DROP:
            stale += 1
    return stale / (len(rounds) - trace.warmup)
