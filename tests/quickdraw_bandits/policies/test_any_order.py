"""The calls of a live system in any order: against a plain record, a policy built anew, and a twin from a file."""

import copy
import pickle
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import quickdraw_bandits as qd

KINDS = ["exact", "cached", "tree", "auto", "still", "AdaptiveQuickDraw", "Mixed"]
seeds = st.integers(0, 2**32 - 1)


def points_of(random, n, dimension):
    return random.uniform(-1, 1, (n, dimension))


def build(kind, points, seed=0):
    arms = qd.Arms(points)
    if kind == "AdaptiveQuickDraw":
        return qd.AdaptiveQuickDraw(arms, seed=seed)
    if kind == "Mixed":
        return qd.Mixed(qd.AdaptiveQuickDraw(arms, seed=seed), uniform=0.3, seed=seed)
    scale = None if kind == "still" else 2.0
    engine = "auto" if kind == "still" else kind
    return qd.QuickDraw(arms, 0.5, scale, noise_variance=1e-2, exploration=0.3, engine=engine, seed=seed)


class AnyOrder(RuleBasedStateMachine):
    """A policy, what it was told, and a twin that was copied at some time and told the same since."""

    @initialize(
        kind=st.sampled_from(KINDS),
        seed=seeds,
        dimension=st.integers(1, 3),
        n_arms=st.sampled_from([12, 90]),
        history=st.sampled_from([0, 20, 150]),
    )
    def begin(self, kind, seed, dimension, n_arms, history):
        self.kind, self.random, self.dimension = kind, np.random.default_rng(seed), dimension
        self.first = self.points = points_of(self.random, n_arms, dimension)
        self.policy, self.twin = build(kind, self.first), build(kind, self.first)
        self.told, self.pending, self.retired, self.now = [], [], set(), 0.0
        if history:  # tables of sums begin after some dozens of observations
            self.load_history(history)

    def both(self, name, *arguments, **options):
        """Call a method of policy and twin, and return the answer, which is the same."""
        ours = getattr(self.policy, name)(*arguments, **options)
        theirs = getattr(self.twin, name)(*arguments, **options)
        np.testing.assert_array_equal(ours, theirs)
        return ours

    def eligible(self):
        return np.setdiff1d(np.arange(len(self.points)), sorted(self.retired))

    def subset(self):
        """Return None, positions or a mask, and the arms that may be chosen."""
        alive = self.eligible()
        how = self.random.integers(3)
        if how == 0:
            return None, alive
        some = self.random.choice(alive, size=self.random.integers(1, len(alive) + 1), replace=False)
        if how == 1:
            return some.tolist(), some
        mask = np.zeros(len(self.points), dtype=bool)
        mask[some] = True
        mask[sorted(self.retired)] = True  # which are left out all the same
        return mask, some

    def reward(self, arm):
        return float(np.sin(3 * self.points[arm, 0] + self.now) / 2 + 0.01 * self.random.standard_normal())

    def learn(self, time, arm, reward):
        self.both("update", time, arm, reward)
        for one in zip(np.atleast_1d(time).tolist(), np.atleast_1d(arm).tolist(), np.atleast_1d(reward), strict=True):
            self.told.append((one[0], one[1], float(one[2])))
            if one[:2] in self.pending:
                self.pending.remove(one[:2])

    @rule(
        step=st.sampled_from([0.0, 0.1, 0.1, 0.1, 5.0]), how=st.sampled_from(["select", "decide"]), waits=st.booleans()
    )
    def play(self, step, how, waits):
        self.now += step
        among, allowed = self.subset()
        if how == "select":
            arm = self.both("select", self.now, among=among)
        else:
            said = self.policy.probabilities(self.now, among=among)
            assert said.sum() == pytest.approx(1)
            assert set(np.flatnonzero(said)) <= set(allowed.tolist())
            arm, probability = self.decided(among)
            assert probability == pytest.approx(said[arm])
        assert arm in allowed
        if waits:
            self.both("expect", self.now, arm)
            self.pending.append((self.now, arm))
        else:
            self.learn(self.now, arm, self.reward(arm))

    def decided(self, among):
        ours, theirs = self.policy.decide(self.now, among=among), self.twin.decide(self.now, among=among)
        assert ours == theirs
        assert ours.time == self.now
        return ours.arm, ours.probability

    @rule(most=st.integers(1, 4))
    def choose_several(self, most):
        among, allowed = self.subset()
        chosen = self.both("select", self.now, among=among, count=min(most, len(allowed)))
        assert len(set(chosen.tolist())) == len(chosen)
        assert set(chosen.tolist()) <= set(allowed.tolist())

    @precondition(lambda self: self.pending)
    @rule(which=seeds, arrives=st.booleans())
    def end_waiting(self, which, arrives):
        time, arm = self.pending[which % len(self.pending)]
        if arrives:
            self.learn(time, arm, self.reward(arm))
        else:
            self.both("forget", time, arm)
            self.pending.remove((time, arm))

    @rule(n=st.integers(1, 6))
    def load_history(self, n):
        times = np.sort(self.random.uniform(self.now - 3, self.now, n))
        arms = self.random.integers(len(self.points), size=n)
        self.learn(times, arms, np.array([self.reward(arm) for arm in arms]))

    @rule(n=st.integers(1, 3))
    def add(self, n):
        more = points_of(self.random, n, self.dimension)
        new = self.both("add_arms", more)
        assert new.tolist() == list(range(len(self.points), len(self.points) + n))
        self.points = np.concatenate([self.points, more])

    @precondition(lambda self: len(self.eligible()) > 3)
    @rule(which=seeds)
    def retire(self, which):
        alive = self.eligible()
        arm = int(alive[which % len(alive)])
        self.both("retire", [arm])
        self.retired.add(arm)

    @rule(how=st.sampled_from(["file", "pickle", "deepcopy"]))
    def copy(self, how):
        if how == "file":
            with tempfile.TemporaryDirectory() as folder:
                qd.save(self.policy, Path(folder) / "policy.qd")
                self.twin = qd.load(Path(folder) / "policy.qd")
        else:
            self.twin = copy.deepcopy(self.policy) if how == "deepcopy" else pickle.loads(pickle.dumps(self.policy))

    @rule()
    def ask(self):
        """Ask one of the two: later choices are the same."""
        self.policy.probabilities(self.now + 0.1)
        self.policy.index(self.now)
        self.policy.explain(self.now, int(self.eligible()[0]))

    @rule(bad=st.sampled_from(["time", "arm", "reward", "among", "forget", "points", "retire", "retire all"]))
    def call_wrongly(self, bad):
        """Call one of the two wrongly: nothing changes."""
        calls = {
            "time": lambda: self.policy.select(np.nan),
            "arm": lambda: self.policy.update([self.now, self.now], [0, len(self.points)], [0.1, 0.2]),
            "reward": lambda: self.policy.update([self.now, self.now], [0, 1], [0.1, np.inf]),
            "among": lambda: self.policy.decide(self.now, among=[]),
            "forget": lambda: self.policy.forget(*self.pulls_and_one_more()),
            "points": lambda: self.policy.add_arms(np.full((1, self.dimension), np.nan)),
            "retire": lambda: self.policy.retire([len(self.points)]),
            "retire all": lambda: self.policy.retire(np.arange(len(self.points))),
        }
        with pytest.raises(ValueError, match=r"\S"):
            calls[bad]()

    def pulls_and_one_more(self):
        """Return times and arms of what is pending, and of a pull that is not."""
        pulls = [*self.pending, (self.now + 1e6, 0)]
        return [time for time, _ in pulls], [arm for _, arm in pulls]

    @invariant()
    def pulls_are_pending_in_the_same_order(self):
        for ours, theirs in zip(self.policy.pending, self.twin.pending, strict=True):
            np.testing.assert_array_equal(ours, theirs)

    @invariant()
    def nothing_is_lost(self):
        for policy in (self.policy, self.twin):
            assert policy.n_observations == len(self.told)
            assert Counter(zip(*(values.tolist() for values in policy.observations), strict=True)) == Counter(self.told)
            assert Counter(zip(*(values.tolist() for values in policy.pending), strict=True)) == Counter(self.pending)
            assert len(policy.arms) == len(self.points)

    @precondition(lambda self: self.told)
    @rule()
    def build_anew(self):
        """Compare with a policy that is told all at once."""
        other = build(self.kind, self.first)
        if len(self.points) > len(self.first):
            other.add_arms(self.points[len(self.first) :])
        order = sorted(range(len(self.told)), key=lambda k: self.told[k][0])
        other.update(*(np.array([self.told[k][i] for k in order]) for i in range(3)))
        if self.retired:
            other.retire(sorted(self.retired))
        for time, arm in self.pending:
            other.expect(time, arm)
        self.compare(other)

    def compare(self, other):
        ours, theirs = self.policy.estimate(self.now), other.estimate(self.now)
        if isinstance(self.policy, qd.QuickDraw):
            for one, another in zip(ours, theirs, strict=True):
                np.testing.assert_allclose(one, another, rtol=1e-6, atol=1e-7)
            among, allowed = self.subset()
            arm = copy.deepcopy(self.policy).select(self.now, among=among)
            index = other.index(self.now)
            assert index[arm] >= index[allowed].max() - 1e-3 - 1e-6
        else:  # its scales depend on when it was asked
            assert np.isfinite(ours).all()
            assert np.isfinite(theirs).all()
            assert (ours[1] > 0).all()


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)


@pytest.mark.parametrize("n_arms", [60, 300])
@pytest.mark.parametrize("engine", ["exact", "cached", "tree"])
def test_with_pulls_pending_a_good_arm_that_may_not_be_chosen_is_not(engine, n_arms):
    policy = qd.QuickDraw(qd.Arms.grid(0, 1, n_arms), 0.05, 1.0, 1e-2, exploration=0.1, engine=engine, seed=0)
    arms = np.arange(2 * n_arms) % n_arms
    policy.update(np.arange(2 * n_arms) * 1e-3, arms, np.where(arms == 7, 0.9, 0.1))
    time = 2e-3 * n_arms
    policy.expect(time, n_arms - 1)
    assert len(set(policy.select(time, count=4).tolist())) == 4
    policy.retire([7])
    assert policy.select(time) != 7
    assert policy.decide(time).arm != 7
