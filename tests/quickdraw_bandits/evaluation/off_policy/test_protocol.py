import warnings

import numpy as np
import pytest

from quickdraw_bandits import AdaptiveQuickDraw, Arms, Mixed
from quickdraw_bandits.datasets import Log, generate_log, open_bandit
from quickdraw_bandits.evaluation.off_policy import WeakEvidenceWarning, builder, play_log, play_logs
from quickdraw_bandits.evaluation.off_policy.protocol import draw
from quickdraw_bandits.policies import Policy, Random, SlidingEpsilonGreedy
from quickdraw_bandits.policies.quick_draw import QuickDraw

BUILD_RANDOM = builder(Random)
BUILD_GREEDY = builder(SlidingEpsilonGreedy)


class Recorder(Policy):
    """Selects arm 1 only, and writes down every call."""

    def __init__(self, arms, calls, seed=None):
        super().__init__(arms, seed)
        self.calls = calls
        calls.append("new")

    def _select(self, time):
        self.calls.append(("select", time))
        return 1

    def _update(self, times, arms, rewards):
        self.calls.append(("update", times[0], arms[0], rewards[0]))


LOG = Log(
    time=[10.0, 20.0, 30.0, 40.0, 50.0],
    arm=[0, 1, 1, 2, 1],
    reward=[1.0, 2.0, 3.0, 4.0, 5.0],
    propensity=[0.5] * 5,
    group=[0, 1, 0, 0, 0],
    arms=Arms.grid(-1, 1, 3),
)


def test_every_call_in_the_logged_reading():
    calls = []
    played = play_log(LOG, lambda arms, generator: Recorder(arms, calls), interval=3)
    assert calls == [
        "new",  # group 0, the larger, first
        ("select", 0.0), ("update", 0.0, 0, 1.0),
        ("select", 0.5), ("update", 0.5, 1, 3.0),
        ("select", 0.75), ("update", 0.75, 2, 4.0),
        "new",  # its second interval is what is left over
        ("select", 1.0), ("update", 1.0, 1, 5.0),
        "new",
        ("select", 0.25), ("update", 0.25, 1, 2.0),
    ]  # fmt: skip
    np.testing.assert_array_equal(played.target, [0, 1, 1, 0, 1])
    np.testing.assert_array_equal(played.matched, [False, True, True, False, True])
    np.testing.assert_array_equal(played.target_share, [0, 1, 0])
    assert np.isnan(played.true_value)


def test_the_matched_reading_learns_from_agreement_alone():
    calls = []
    play_log(LOG, lambda arms, generator: Recorder(arms, calls), learn_from="matched", interval=10)
    assert [call for call in calls if call[0] == "update"] == [
        ("update", 0.5, 1, 3.0), ("update", 1.0, 1, 5.0), ("update", 0.25, 1, 2.0),
    ]  # fmt: skip
    assert sum(call[0] == "select" for call in calls) == len(LOG)


def plainly(log, kind, learn_from, interval):
    """Return what a policy that draws nothing gives to the logged arms: the protocol in a few obvious lines."""
    time = (log.time - log.time[0]) / (log.time[-1] - log.time[0])
    target = np.empty(len(log))
    for g in range(len(log.group_names)):
        rows = np.flatnonzero(log.group == g)
        for start in range(0, len(rows), interval):
            policy = kind(log.arms)
            for i in rows[start : start + interval]:
                probabilities = policy.probabilities(time[i])
                target[i] = probabilities[log.arm[i]]
                chosen = int(probabilities.argmax())
                if learn_from == "logged" or (probabilities.max() == 1 and chosen == log.arm[i]):
                    policy.update(time[i], log.arm[i], log.reward[i])
    return target


@pytest.mark.parametrize("kind", [QuickDraw, SlidingEpsilonGreedy])
def test_the_protocol_against_a_plain_one(kind):
    log, _ = generate_log(600, n_arms=7, level=0.05, width=0.4, group_sizes=[5, 1, 3], seed=1)
    played = play_log(log, builder(kind), interval=100, seed=3)
    np.testing.assert_array_equal(played.target, plainly(log, kind, "logged", 100))


def test_results_do_not_depend_on_the_number_of_jobs():
    log, rates = generate_log(400, n_arms=5, level=0.02, width=0.5, group_sizes=[3, 2, 1], seed=2)
    for learn_from in ("logged", "matched"):
        one, two = (
            play_log(log, BUILD_GREEDY, learn_from=learn_from, interval=50, truth=rates, seed=9, jobs=jobs)
            for jobs in (1, 2)
        )
        for name in ("target", "matched", "expected", "target_share", "true_reward"):
            np.testing.assert_array_equal(getattr(one, name), getattr(two, name), err_msg=name)


def test_runs_differ_and_come_in_order():
    log, _ = generate_log(300, n_arms=5, level=0.02, width=0.5, group_sizes=[1], seed=2)
    plays = list(play_logs(log, {"a": BUILD_GREEDY, "b": BUILD_RANDOM}, runs=2, learn_from="matched"))
    assert [(name, run) for name, run, _ in plays] == [("a", 0), ("a", 1), ("b", 0), ("b", 1)]
    assert not np.array_equal(plays[0][2].target, plays[1][2].target)


def test_progress_counts_the_events_of_all_runs():
    said = []

    def progress(name):
        return lambda done, total: said.append((name, done, total))

    list(play_logs(LOG, {"a": BUILD_RANDOM, "b": BUILD_RANDOM}, runs=2, progress=progress))
    # Groups of four events and of one, in each run.
    assert said == [(name, done, 10) for name in "ab" for done in (4, 5, 9, 10)]


def test_random_is_worth_the_click_rate_of_a_uniform_log():
    # 46 clicks in 10,000 events: 0.46 %, with a standard error of 0.0677 % by the binomial formula.
    estimate = play_log(open_bandit(), BUILD_RANDOM).ips()
    assert estimate.value == pytest.approx(0.0046, abs=1e-12)
    assert estimate.standard_error == pytest.approx(np.sqrt(0.0046 * 0.9954 / 9999), rel=1e-9)
    assert estimate.effective_sample_size == pytest.approx(10_000)
    assert estimate.low < 0.0046 < estimate.high
    assert estimate.weakness == ""


def test_the_true_value_by_hand():
    def truth(group, time):
        return np.stack([group + 0.0, time / 100, np.full(len(time), 9.0)], axis=1)

    played = play_log(LOG, lambda arms, generator: Recorder(arms, []), truth=truth)
    np.testing.assert_allclose(played.true_reward, LOG.time / 100)
    played = play_log(LOG, BUILD_RANDOM, truth=truth)
    np.testing.assert_allclose(played.true_reward, (LOG.group + LOG.time / 100 + 9) / 3)


UNBIASED = {"ips", "doubly robust"}
WEIGHTED = UNBIASED | {"self-normalised ips", "self-normalised doubly robust"}


@pytest.mark.parametrize("learn_from", ["logged", "matched"])
@pytest.mark.parametrize(
    ("settings", "right"),
    [
        ({"skew": 5.0}, WEIGHTED),
        ({"skew": 1.0}, WEIGHTED | {"replay"}),
        ({"skew": 1.0, "share": 0.0}, WEIGHTED | {"replay", "direct method"}),
    ],
)
def test_intervals_cover_the_truth_of_a_policy_that_learns(learn_from, settings, right):
    """Every estimator that its table calls right in a setting covers the truth there at its stated rate.

    The policy learns while it plays and rates drift. How many of 60 intervals cover is binomial: 95 % ± 11.3 % is
    four of its standard deviations. Those that are unbiased have a mean error within four standard errors of 0.
    """
    n_logs = 60
    errors, covered = {name: [] for name in right}, dict.fromkeys(right, 0)
    for seed in range(n_logs):
        log, rates = generate_log(300, n_arms=5, level=0.1, width=0.4, group_sizes=[2, 1], seed=seed, **settings)
        played = play_log(log, BUILD_GREEDY, learn_from=learn_from, interval=150, truth=rates, seed=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", WeakEvidenceWarning)
            estimates = [estimate for estimate in played.estimates() if estimate.estimator in right]
        assert len(estimates) == len(right)
        for estimate in estimates:
            errors[estimate.estimator].append(estimate.value - played.true_value)
            covered[estimate.estimator] += estimate.low <= played.true_value <= estimate.high
    for name in right:
        assert covered[name] / n_logs >= 0.95 - 0.113, name
    for name in UNBIASED:
        assert abs(np.mean(errors[name])) < 4 * np.std(errors[name], ddof=1) / np.sqrt(n_logs), name


def test_a_wrong_model_misleads_the_direct_method():
    misses = 0
    for seed in range(20):
        log, rates = generate_log(2000, n_arms=5, level=0.1, width=0.4, group_sizes=[1], seed=seed)
        estimate = play_log(log, BUILD_GREEDY, truth=rates, interval=500)
        direct = estimate.estimates()[2]
        misses += not direct.low <= estimate.true_value <= direct.high
    assert misses >= 10


def test_draws_follow_the_probabilities():
    random = np.random.default_rng(0)
    p = np.array([0.0, 0.3, 0.0, 0.7, 0.0])
    arms = draw(np.tile(p, (20_000, 1)), random.random(20_000))
    seen = np.bincount(arms, minlength=5)
    assert seen[[0, 2, 4]].sum() == 0
    assert abs(seen[1] - 6000) < 5 * np.sqrt(20_000 * 0.3 * 0.7)
    assert list(draw(np.array([[0.0, 1.0, 0.0], [0.5, 0.5 - 1e-9, 0.0]]), np.array([0.0, 1 - 1e-16]))) == [1, 1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"learn_from": "both"}, "learn_from must be one of logged, matched, got 'both'"),
        ({"interval": 0}, "interval must be an integer of at least 1, got 0"),
        ({"jobs": 0}, "jobs must be an integer of at least 1, got 0"),
        ({"seed": -1}, "seed must be an integer of at least 0, got -1"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        play_log(LOG, BUILD_RANDOM, **settings)


def test_arms_that_were_never_logged_make_every_estimate_weak():
    """Half of the arms are logged, uniformly; the policy plays all of them."""
    random = np.random.default_rng(0)
    n = 2000
    arm = random.integers(4, size=n)
    reward = (random.random(n) < 0.5).astype(float)
    log = Log(np.arange(n) * 1.0, arm, reward, np.full(n, 0.25), np.zeros(n, dtype=np.int64), Arms.grid(0, 1, 8))
    played = play_log(log, builder(Random))
    with pytest.warns(WeakEvidenceWarning):
        estimates = played.estimates()
    assert all("the policy plays in 50 % of its choices" in estimate.weakness for estimate in estimates)
    assert "the log has no event of 4 arms, among them 4" in estimates[2].weakness  # the direct method
    with pytest.warns(WeakEvidenceWarning):
        assert "no event of 4 arms" in played.ips().weakness


def test_a_mixed_policy_learns_as_the_one_inside():
    """With nothing mixed in, it plays what the adaptive policy plays; scales are learned while it selects."""
    random = np.random.default_rng(3)
    arm = random.integers(20, size=150)
    reward = np.sin(arm / 4) + 0.1 * random.normal(size=150)
    propensity, group = np.full(150, 0.05), np.zeros(150, dtype=int)
    log = Log(np.arange(150.0), arm, reward, propensity, group, Arms.grid(0, 1, 20))
    alone = play_log(log, builder(AdaptiveQuickDraw), seed=0)
    mixed = play_log(log, lambda arms, seed: Mixed(AdaptiveQuickDraw(arms, seed=seed), uniform=0.0, seed=seed), seed=0)
    np.testing.assert_array_equal(mixed.target[2:], alone.target[2:])  # the first two are among several alike
    half = play_log(log, lambda arms, seed: Mixed(AdaptiveQuickDraw(arms, seed=seed), uniform=0.5, seed=seed), seed=0)
    np.testing.assert_allclose(half.target[2:], 0.5 * alone.target[2:] + 0.5 / 20, atol=1e-12)


class Own:
    """Derives from nothing."""

    def __init__(self, arm):
        self.arm = arm

    def select(self, time):
        return self.arm

    def update(self, time, arm, reward):
        pass


@pytest.mark.parametrize("arm", [-1, 1.7, True, "1", 3, None])
def test_an_arm_that_is_none_is_named(arm):
    with pytest.raises(ValueError, match=r"the arm that Own\.select returns must be"):
        play_log(LOG, lambda arms, generator: Own(arm))


def test_probabilities_of_a_policy_that_derives_from_nothing_are_used():
    class Drawing(Own):
        def probabilities(self, time):
            return np.array([0.2, 0.3, 0.5])

    np.testing.assert_array_equal(play_log(LOG, lambda arms, generator: Drawing(1)).target, [0.2, 0.3, 0.3, 0.5, 0.3])
