"""Several policies on one environment."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from quickdraw_bandits.environments import Environment
from quickdraw_bandits.evaluation import Trace, simulate
from quickdraw_bandits.evaluation.simulate import Progress
from quickdraw_bandits.policies import Policy


def play(
    policies: Sequence[type[Policy]],
    env: Environment,
    warmup: int = 100,
    seed: int = 0,
    progress: Callable[[str], Progress] | None = None,
) -> list[Trace]:
    """Play each policy with its default parameters, all on the same rewards and after the same warm-up.

    Parameters
    ----------
    policies
        The classes.
    env, warmup, seed
        As for ``simulate``; the seed is also that of each policy.
    progress
        Called with the name of each policy as its turn comes; returns what is then called with the rounds done and
        all rounds.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> env = qd.environments.KnownFunction(lambda x: x, n_arms=5, n_rounds=40)
    >>> [trace.policy for trace in play([qd.policies.Random, qd.QuickDraw], env, warmup=20)]
    ['Random', 'QuickDraw']
    """
    traces = []
    for policy in policies:
        report = None if progress is None else progress(policy.__name__)
        _compile(policy, env)
        traces.append(simulate(policy(env.arms, seed=seed), env, warmup, seed, report))
    return traces


def _compile(policy: type[Policy], env: Environment) -> None:
    """Let a policy choose once on the side, so that compiling does not count as time for a choice."""
    rehearsal = policy(env.arms, seed=0)
    rehearsal.update(float(env.times[0]), 0, env.pull(0, 0))
    rehearsal.select(float(env.times[-1]))


def summary_rows(traces: Sequence[Trace]) -> list[dict[str, Any]]:
    """Return one flat record to a policy."""
    return [
        {
            "policy": trace.policy,
            "regret_per_round": trace.regret_per_round,
            "reward_per_round": trace.reward_per_round,
            "seconds_per_choice": trace.seconds_per_choice,
        }
        for trace in traces
    ]


def round_rows(traces: Sequence[Trace]) -> Iterator[dict[str, Any]]:
    """Yield one flat record to a policy and round, the warm-up included."""
    for trace in traces:
        columns = (trace.times.tolist(), trace.arms.tolist(), trace.rewards.tolist(), trace.regret.tolist())
        for round, (time, arm, reward, regret) in enumerate(zip(*columns, strict=True)):
            yield {
                "policy": trace.policy,
                "round": round,
                "time": time,
                "arm": arm,
                "reward": reward,
                "regret": regret,
            }
