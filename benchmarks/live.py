"""Calls of a live system: some arms only, pending pulls, new arms, decisions; each against a plain choice."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import quickdraw_bandits as qd
from benchmarks.row import Row, at_most

ARMS, OBSERVATIONS, ROUNDS, PENDING = 10**6, 1_000, 30, 1_000
STEP = 1e-3
BUILD: dict[str, Callable[[qd.Arms], Any]] = {
    "QuickDraw, cached engine": lambda arms: qd.QuickDraw(arms, length_scale=0.2, engine="cached", seed=0),
    "QuickDraw, exact engine": lambda arms: qd.QuickDraw(arms, length_scale=0.2, engine="exact", seed=0),
    "QuickDraw, tree engine": lambda arms: qd.QuickDraw(arms, length_scale=0.2, engine="tree", seed=0),
    "AdaptiveQuickDraw": lambda arms: qd.AdaptiveQuickDraw(arms, seed=0),
}


def run() -> list[Row]:
    """Play on after a history, among a million arms in 2-D. Times are medians of processor times over rounds."""
    return [row for name in BUILD for row in rows_of(name, ARMS)]


def rows_of(name: str, n_arms: int) -> list[Row]:
    """Return the rows of one policy."""
    random = np.random.default_rng(0)
    points = random.random((n_arms, 2))
    arms, few = qd.Arms(points), qd.Arms(points[:1000])
    mask = random.random(n_arms) < 0.9
    some = np.arange(1000)
    among, plain_of_few = median(learned(name, arms), lambda p, t: p.select(t, among=some), learned(name, few), choose)
    masked, plain = median(learned(name, arms), lambda p, t: p.select(t, among=mask), learned(name, arms), choose)
    waiting, free = learned(name, arms), learned(name, arms)
    # Pulls that a policy would make: where it has chosen lately, and around.
    start = OBSERVATIONS * STEP
    pulled = np.concatenate([free.observations[1][-PENDING // 2 :], random.integers(n_arms, size=PENDING)])[:PENDING]
    waiting.expect(start - STEP * random.random(PENDING) * 500, pulled)
    pending, unhindered = median(waiting, choose, free, choose)
    decided, selected = median(learned(name, arms), decide, learned(name, arms), choose)
    adding = max(seconds(lambda: free.add_arms(random.random((100, 2)))) for _ in range(3))
    million = f"{n_arms:,} arms"
    return [
        *hard_rows(name, arms, few),
        at_most(f"{name}: a choice of 1,000 among {million}, against one among 1,000", among, plain_of_few, 2),
        at_most(
            f"{name}: a mask that leaves 90 % of {million}, against no mask and a pass over it",
            masked,
            plain + passing(mask),
            2,
        ),
        at_most(f"{name}: {PENDING:,} pending pulls, {million}, against none", pending, unhindered, 2),
        at_most(f"{name}: a decision, {million}, against a choice", decided, selected, 2),
        Row(
            f"{name}: 100 more arms beside {million}",
            f"{1e3 * adding:.3g} ms",
            "",
            adding / 0.01,
            "at most 10 ms",
            adding <= 0.01,
        ),
    ]


def hard_rows(name: str, arms: qd.Arms, few: qd.Arms) -> list[Row]:
    """Return rows of calls that do not repeat, or that leave out or concern the arms that a choice looks at."""
    random, n_arms = np.random.default_rng(2), len(arms)
    others = iter([np.sort(random.choice(n_arms, len(few), replace=False)) for _ in range(ROUNDS)])
    among, plain_of_few = median(
        learned(name, arms), lambda p, t: p.select(t, among=next(others)), learned(name, few), choose
    )
    masks = iter([random.random(n_arms) < 0.9 for _ in range(ROUNDS)])
    masked, plain = median(
        learned(name, arms), lambda p, t: p.select(t, among=next(masks)), learned(name, arms), choose
    )
    new_mask = masked, plain + passing(random.random(n_arms) < 0.9)
    paid = np.exp(-8 * np.square(arms.points - hill(OBSERVATIONS * STEP)).sum(axis=1))
    worse = paid < np.quantile(paid, 0.9)
    masked, plain = median(learned(name, arms), lambda p, t: p.select(t, among=worse), learned(name, arms), choose)
    waiting = learned(name, arms)
    waiting.expect(STEP * (OBSERVATIONS - 500 * random.random(PENDING)), random.integers(n_arms, size=PENDING))
    pending, free = median(waiting, choose, learned(name, arms), choose)
    return [
        at_most(f"{name}: other 1,000 of {n_arms:,} arms each time, against 1,000 arms", among, plain_of_few, 2),
        at_most(
            f"{name}: another mask of 90 % of {n_arms:,} arms each time, against no mask and a pass over it",
            *new_mask,
            2,
        ),
        at_most(f"{name}: a mask without the best tenth of {n_arms:,} arms, against no mask", masked, plain, 2),
        at_most(f"{name}: {PENDING:,} pending pulls all over {n_arms:,} arms, against none", pending, free, 2),
    ]


def passing(mask: np.ndarray) -> float:
    """Return the time of one pass over a mask."""
    return min(seconds(lambda: np.count_nonzero(mask & mask)) for _ in range(5))


def choose(policy: Any, now: float) -> int:
    """Choose among all arms."""
    return int(policy.select(now))


def decide(policy: Any, now: float) -> int:
    """Choose, with the probability of the choice."""
    return int(policy.decide(now).arm)


def hill(now: float) -> np.ndarray:
    """Return where the largest reward is."""
    return 0.5 + 0.3 * np.array([np.sin(now), np.cos(now)])


def reward(place: np.ndarray, now: float) -> float:
    """Return a hill that wanders."""
    return float(np.exp(-8 * np.square(place - hill(now)).sum()))


def learned(name: str, arms: qd.Arms) -> Any:
    """Return a policy with a history of random pulls."""
    policy, random = BUILD[name](arms), np.random.default_rng(1)
    chosen, times = random.integers(len(arms), size=OBSERVATIONS), STEP * np.arange(OBSERVATIONS)
    policy.update(times, chosen, [reward(arms.points[arm], now) for arm, now in zip(chosen, times, strict=True)])
    return policy


def median(
    one: Any, ask: Callable[[Any, float], int], other: Any, ask_other: Callable[[Any, float], int]
) -> tuple[float, float]:
    """Play two policies in turns, and return the median time of a choice of each."""
    spent: tuple[list[float], list[float]] = ([], [])
    for k in range(ROUNDS):
        now = STEP * (OBSERVATIONS + k)
        for policy, question, times in ((one, ask, spent[0]), (other, ask_other, spent[1])):
            start = time.process_time()
            arm = question(policy, now)
            times.append(time.process_time() - start)
            policy.update(now, arm, reward(policy.arms.points[arm], now))
    return float(np.median(spent[0][5:])), float(np.median(spent[1][5:]))


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of some work."""
    start = time.process_time()
    work()
    return time.process_time() - start
