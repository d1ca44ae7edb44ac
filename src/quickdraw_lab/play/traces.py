"""Playing several policies on one environment."""

from collections.abc import Callable, Iterator, Sequence

from quickdraw_bandits.checks import integer
from quickdraw_bandits.environments import Environment
from quickdraw_bandits.evaluation import Trace, simulate
from quickdraw_bandits.evaluation.simulate import Progress
from quickdraw_bandits.policies import Policy
from quickdraw_lab.players.rehearse import rehearse
from quickdraw_lab.result_tables import Row


def play(
    policies: Sequence[type[Policy[int]]],
    env: Environment,
    warmup: int = 100,
    seed: int = 0,
    progress: Callable[[str], Progress] | None = None,
) -> list[Trace]:
    """Play each policy with its default parameters, on the same rewards and after the same warm-up.

    Parameters
    ----------
    policies
        The classes.
    env, warmup, seed
        As for ``simulate``. The seed is also that of each policy.
    progress
        Called with the name of each policy before it plays. Returns a function that is called with the number of
        rounds done and of all rounds, first with 0 once everything is compiled.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> env = qd.environments.KnownFunction(lambda x: x, n_arms=5, n_rounds=40)
    >>> [trace.policy for trace in play([qd.policies.Random, qd.QuickDraw], env, warmup=20)]
    ['Random', 'QuickDraw']
    """
    warmup = integer("warmup", warmup, at_least=0, at_most=env.n_rounds - 1)
    traces = []
    for policy in policies:
        report = None if progress is None else progress(policy.__name__)
        rehearse(policy, env)
        if report is not None:
            report(0, env.n_rounds)
        traces.append(simulate(policy(env.arms, seed=seed), env, warmup, seed, report))
    return traces


def summary_rows(traces: Sequence[Trace]) -> list[Row]:
    """Return one flat record per policy."""
    return [
        {
            "policy": trace.policy,
            "regret_per_round": trace.regret_per_round,
            "reward_per_round": trace.reward_per_round,
            "seconds_per_choice": trace.seconds_per_choice,
        }
        for trace in traces
    ]


def round_rows(traces: Sequence[Trace]) -> Iterator[Row]:
    """Yield one flat record per policy and round, including the warm-up."""
    for trace in traces:
        columns = (trace.times.tolist(), trace.arms.tolist(), trace.rewards.tolist(), trace.regret.tolist())
        for round, (time, arm, reward, regret) in enumerate(zip(*columns, strict=True)):
            yield {"policy": trace.policy, "round": round, "time": time, "arm": arm, "reward": reward, "regret": regret}
