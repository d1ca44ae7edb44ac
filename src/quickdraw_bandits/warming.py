"""Compiling ahead, so that no later call waits for the compiler."""

import copy
from contextlib import suppress
from typing import Any

import numpy as np

from quickdraw_bandits.arms import Arms, Box
from quickdraw_bandits.policies import AdaptiveQuickDraw, Policy, QuickDraw
from quickdraw_bandits.policies.adaptive import following
from quickdraw_bandits.policies.decision import ArmT
from quickdraw_bandits.policies.mixed import Mixed

MOST_ARMS = 4200
"""Arms of a small set that stands for a larger one; beyond 4,096 the adaptive policy uses its shortlist."""
ROUNDS = 80
"""Rounds played: the tables of Quick-Draw's engines begin after 32 observations."""
HISTORY = 20
"""Observations that are loaded before the rounds."""
SOME = 100
"""Arms whose estimate is asked for."""
FEWER = 48
"""Rounds played with a long time between them: a policy checks at the 64th whether it can learn, and warns."""
STEPS = {1e-6: ROUNDS, 2e-2: FEWER}
"""Times between rounds, in units of l_t / l_x, and how many are played: tables compare coordinates in float64 while
ages are below about a hundredth of the largest distance, and in float32 later on."""


def warm_up(policy: Policy[ArmT]) -> None:
    """Compile everything that a policy may need, and keep it in the cache on disk.

    Plays copies of the policy, with every engine that it may change to; the policy itself stays as it is. Takes some
    seconds on a new machine, and less than two where the cache on disk is filled.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.QuickDraw(qd.Arms.grid(0, 1, 50), seed=0)
    >>> qd.warm_up(policy)
    >>> policy.n_observations
    0
    """
    if not isinstance(policy, Policy):
        raise ValueError(f"policy must be a policy of quickdraw_bandits, got {type(policy).__name__}")
    if isinstance(policy, Mixed):
        warm_up(policy.policy)
    elif isinstance(policy, QuickDraw):
        from quickdraw_bandits.interpolation import aside  # imports numba

        aside.end_helpers()  # what they have not compiled yet is compiled here
        unit = (policy.kernel.time_scale or 1.0) / policy.kernel.length_scale
        with aside.compiling_here():
            for step, rounds in STEPS.items():
                for twin in _with_every_engine(policy):
                    _play(twin, step * unit, rounds)
                    _screen(twin)
        aside.end_helpers()
    else:
        played: Policy[Any] = copy.deepcopy(policy)
        _play(played, None, ROUNDS)
        if isinstance(played, AdaptiveQuickDraw):
            _search_groups(played)
            _look_at_peak(played)


def _search_groups(policy: AdaptiveQuickDraw[Any]) -> None:
    """Search groups of very many arms, which a policy does only after many observations or among even more arms."""
    if policy._shortlist is not None:
        belief = policy._model(policy._clock.seconds(policy.observations[0].max()), 0)
        policy._shortlist.search_some(belief.model, belief.gamma, np.random.default_rng(0), None, SOME)


def _look_at_peak(policy: AdaptiveQuickDraw[Any]) -> None:
    """Ask for rewards around a single peak, which a policy does only while it follows one."""
    if not policy._peaks.lost:
        following.sighting(policy, policy._clock.seconds(policy.observations[0].max())).estimate(np.zeros(1))


def _screen(policy: QuickDraw[Any]) -> None:
    """Choose among arms as among a new subset of very many, after a long history."""
    if isinstance(policy.arms, Arms) and policy.kernel.time_scale is not None:
        answers, seen = policy._answers, policy._seen
        screen = answers.parts.screen(policy.arms, policy.kernel, seen)
        later = float(seen.times[: seen.n].max()) + policy.kernel.time_scale
        screen.best(later, np.arange(len(policy.arms)), policy._gamma(), policy._cap)


def _with_every_engine(policy: QuickDraw[Any]) -> list[QuickDraw[Any]]:
    """Return policies on few arms of the same kind, one for each engine that serves them."""
    kernel = policy.kernel
    settings: dict[str, Any] = {
        "length_scale": kernel.length_scale,
        "time_scale": kernel.time_scale,
        "noise_variance": kernel.noise_variance,
        "sharpness": kernel.sharpness,
        "cap": policy.cap,
        "tolerance": policy.tolerance,
        "seed": 0,
    }
    if isinstance(policy.arms, Box):
        names: tuple[Any, ...] = (policy.engine,)
    elif policy.engine != "auto":
        names = tuple(dict.fromkeys(("exact", policy.engine)))  # small subsets and single arms need the first
    else:
        in_trees = policy.arms.metric == "euclidean" and policy.arms.dimension <= 3
        names = ("exact", "cached", "tree") if in_trees else ("exact", "cached")
    return [QuickDraw(_few(policy.arms), engine=name, **settings) for name in names]


def _few(arms: Arms | Box) -> Arms | Box:
    if isinstance(arms, Box) or len(arms) <= MOST_ARMS:
        return arms
    if arms.metric == "precomputed":
        return Arms(arms.points[:MOST_ARMS, :MOST_ARMS], metric="precomputed")
    return Arms(arms.points[:MOST_ARMS], metric=arms.metric)


def _play(policy: Policy[Any], step: float | None, n_rounds: int) -> None:
    """Play rounds of all kinds: single and many observations, all arms and some, pending pulls, questions."""
    times = policy.observations[0]
    dated = policy._clock.kind == "datetimes"
    start = policy._clock.seconds(times.max()) if len(times) else 0.0
    step = 1e-3 * (abs(start) + 1.0) if step is None else step

    def at(k: int) -> Any:
        time = start + step * (k + 1)
        return policy._clock.original(np.array([time]))[0] if dated else time

    rewards = np.random.default_rng(0).random(n_rounds)
    # A history at once, as an engine gets it that takes over from another.
    arm = policy.select(at(0))
    past = np.array([at(k) for k in range(HISTORY)])
    policy.update(past, np.array([arm] * HISTORY), rewards[:HISTORY])
    for k in range(HISTORY, n_rounds):
        arm = policy.select(at(k))
        policy.update(at(k), arm, float(rewards[k]))
    in_box = isinstance(policy.arms, Box)
    _question(policy, at(n_rounds), arm)
    if in_box:
        return
    policy.expect(at(n_rounds), arm)
    policy.select(at(n_rounds), count=1)
    policy.probabilities(at(n_rounds), among=[arm])
    _ask(policy, start + step * (n_rounds + 1))
    policy.forget(at(n_rounds), arm)
    policy.probabilities(at(n_rounds))
    many = np.full(3, arm)
    policy.update(np.array([at(n_rounds + k) for k in range(3)]), many, rewards[:3])
    policy.select(at(n_rounds + 4))


def _question(policy: Policy[Any], time: Any, arm: Any) -> None:
    """Ask all that a page or a log may show; a policy that has no answer says so."""
    some: Any = [arm] if isinstance(policy.arms, Box) else np.arange(min(len(policy.arms), SOME))
    for question in (policy.estimate, policy.index):
        for which in ([arm], some):
            with suppress(NotImplementedError):
                question(time, arms=which)
    with suppress(NotImplementedError):
        policy.explain(time, arm)


def _ask(policy: Policy[Any], time: float) -> None:
    """Draw arms as a program does that keeps a log: each with those before it as pending."""
    random, drawn = np.random.default_rng(0), []
    policy._begin_asking()
    for _ in range(3):
        drawn.append(policy._draw(time, None, random)[0])
        policy._pending.add(time, drawn[-1])
    for arm in reversed(drawn):
        policy._pending.remove(time, arm)
    policy._end_asking()
