"""Threads that do everything at once: choose, learn late, add and retire arms, save, copy and ask."""

import copy
import pickle
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import numpy as np
import pytest

import quickdraw_bandits as qd

THREADS, STEPS, FEW = 8, 30, 40


def build(name):
    arms = qd.Arms.grid(0, 1, FEW)
    if name == "Mixed":
        return qd.Mixed(qd.AdaptiveQuickDraw(arms, seed=0), uniform=0.2, seed=0)
    if name == "AdaptiveQuickDraw":
        return qd.AdaptiveQuickDraw(arms, seed=0)
    if name == "shortlist":
        return qd.AdaptiveQuickDraw(qd.Arms(np.random.default_rng(0).random((4200, 2))), seed=0)
    return qd.QuickDraw(arms, engine=name, seed=0)


class Worker:
    """One thread's calls, and what it was told that they did."""

    def __init__(self, policy, number, ticks, folder):
        self.policy, self.ticks, self.path = policy, ticks, folder / f"{number}.qd"
        self.random = np.random.default_rng(number)
        self.told, self.pending, self.added = [], [], 0

    def work(self):
        calls = [self.play, self.play, self.expect, self.arrive, self.forget, self.save, self.change, self.choose]
        for _ in range(STEPS):
            calls[self.random.integers(len(calls))](0.01 * next(self.ticks))
        return self

    def learn(self, time, arm):
        self.policy.update(time, arm, float(self.random.random()))
        self.told.append((time, arm))

    def play(self, time):
        self.learn(time, self.policy.select(time))

    def expect(self, time):
        arm = self.policy.decide(time).arm
        self.policy.expect(time, arm)
        self.pending.append((time, arm))

    def arrive(self, time):
        if self.pending:
            self.learn(*self.pending.pop(self.random.integers(len(self.pending))))

    def forget(self, time):
        if self.pending:
            self.policy.forget(*self.pending.pop())

    def save(self, time):
        qd.save(self.policy, self.path)
        for other in (qd.load(self.path), copy.deepcopy(self.policy), pickle.loads(pickle.dumps(self.policy))):
            other.select(time)

    def change(self, time):
        if self.random.random() < 0.5:
            self.policy.add_arms(self.random.random((2, self.policy.arms.dimension)))
            self.added += 2
        else:
            self.policy.retire([int(self.random.integers(1, FEW // 2))])

    def choose(self, time):
        some = np.append(self.random.integers(FEW, size=5), 0)  # the first is never retired
        assert self.policy.select(time, among=some) in some
        assert len(set(self.policy.select(time, count=2).tolist())) == 2
        self.policy.probabilities(time)
        self.policy.explain(time, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["AdaptiveQuickDraw", "shortlist", "Mixed", "exact", "cached", "tree", "auto"])
def test_calls_of_all_kinds_from_many_threads_lose_nothing(name, tmp_path):
    policy, ticks = build(name), count()
    before = len(policy.arms)
    workers = [Worker(policy, number, ticks, tmp_path) for number in range(THREADS)]
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(Worker.work, workers))
    told = Counter(row for worker in workers for row in worker.told)
    pending = Counter(row for worker in workers for row in worker.pending)
    times, arms, _ = policy.observations
    assert Counter(zip(times.tolist(), arms.tolist(), strict=True)) == told
    assert Counter(zip(*(values.tolist() for values in policy.pending), strict=True)) == pending
    assert len(policy.arms) == before + sum(worker.added for worker in workers)
    restored = pickle.loads(pickle.dumps(policy))
    assert [restored.select(5 + 0.1 * k) for k in range(10)] == [policy.select(5 + 0.1 * k) for k in range(10)]
