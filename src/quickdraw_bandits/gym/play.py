"""Policies of this library as agents on our gymnasium environments."""

from time import perf_counter
from typing import Any

import gymnasium
import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.checks import Floats
from quickdraw_bandits.evaluation.simulate import Player
from quickdraw_bandits.evaluation.trace import Trace
from quickdraw_bandits.gym.rounds import Rounds
from quickdraw_bandits.policies.decision import ArmT


def play(policy: Player[ArmT], env: gymnasium.Env[Floats, ArmT], seed: int | None = None) -> Trace:
    """Play one episode of one of our gymnasium environments with a policy, and return the record.

    The policy learns every reward when it arrives, and is told of pulls whose reward is still to come. The choices are
    those of ``simulate`` without a warm-up.

    Parameters
    ----------
    policy
        A policy built on ``env.unwrapped.arms``, or any object with its ``select`` and ``update``.
    env
        What ``gymnasium.make`` returns for an id that begins with ``quickdraw/``, or a ``BanditEnv`` or ``BoxEnv``.
        Wrappers may be around it, as long as they leave observations, actions and ``info`` alone.
    seed
        The seed of the episode, passed to ``env.reset``; default None, a new random episode.

    Returns
    -------
    Trace
        For a ``BoxEnv``, its ``arms`` are coordinates, one row per round, and its ``regret`` is nan where the best mean
        is not known.
    """
    inner = env.unwrapped
    if not isinstance(inner, Rounds):
        raise ValueError(
            f'env must be an environment of quickdraw_bandits.gym, got {inner!r}; ids begin with "quickdraw/"'
        )
    _check_arms(policy, inner)
    expect = getattr(policy, "expect", None)
    times: list[float] = []
    arms: list[ArmT] = []
    rewards: dict[float, float] = {}
    regret: list[float] = []
    seconds: list[float] = []
    observation, info = env.reset(seed=seed)
    over = False
    while not over:
        time = float(observation[0])
        start = perf_counter()
        arm = policy.select(time)
        selected = perf_counter()
        observation, _, terminated, truncated, info = env.step(arm)
        stepped = perf_counter()
        over = terminated or truncated
        arrivals = info["arrivals"]
        if expect is not None and not any(arrival.time == time for arrival in arrivals):
            expect(time, arm)
        for arrival in arrivals:
            policy.update(*arrival)
            rewards[arrival.time] = arrival.reward
        seconds.append(perf_counter() - stepped + selected - start)
        times.append(time)
        arms.append(arm)
        regret.append(info.get("regret", np.nan))
    paid = np.array([rewards.get(time, np.nan) for time in times])
    name = type(policy).__name__
    return Trace(name, np.array(times), np.array(arms), paid, np.array(regret), 0, np.array(seconds))


def _check_arms(policy: object, env: Rounds[Any]) -> None:
    """Raise ValueError if the policy has other arms than the environment; one without arms passes."""
    own, name = getattr(policy, "arms", None), type(policy).__name__
    if isinstance(policy, type) or not callable(getattr(policy, "select", None)):
        raise ValueError(f"policy must be built first, as in Policy(env.unwrapped.arms), got {policy!r}")
    if isinstance(env.arms, Box):
        fits = own is None or (isinstance(own, Box) and repr(own) == repr(env.arms))
    else:
        fits = own is None or (isinstance(own, Arms) and isinstance(env.arms, Arms) and len(own) == len(env.arms))
    if not fits:
        raise ValueError(f"policy must be built on {env.arms!r}, got {own!r}; write {name}(env.unwrapped.arms)")
