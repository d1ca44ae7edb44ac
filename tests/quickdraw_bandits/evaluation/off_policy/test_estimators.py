import math
import warnings
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import t as student

from quickdraw_bandits.datasets import open_bandit
from quickdraw_bandits.evaluation.off_policy import (
    Interval,
    WeakEvidenceWarning,
    arm_mean_influence,
    arm_means,
    direct_method,
    doubly_robust,
    ips,
    replay,
    self_normalised_doubly_robust,
    self_normalised_ips,
)
from quickdraw_bandits.evaluation.off_policy.estimate import effective_sample_size, student_quantile

# By obp 0.5.7 (NumPy 2.4.6, torch 2.15.0), printed by docs/checks/obp_numbers.py, which says how to install it.
OBP = {
    "random": {
        "ips": 0.005282697884446646,
        "self-normalised ips": 0.005353383228128447,
        "direct method": 0.005191555572075653,
        "doubly robust": 0.005359397993007962,
        "self-normalised doubly robust": 0.005361643815023056,
        "replay": 0.004651162790697675,
    },
    "bts": {
        "ips": 0.0036343623500993774,
        "self-normalised ips": 0.0007973107521463905,
        "direct method": 0.005191555572075653,
        "doubly robust": -0.006838907029456673,
        "self-normalised doubly robust": 0.0025522983210108335,
        "replay": 0.009345794392523366,
    },
}


@pytest.mark.parametrize("behavior", ["random", "bts"])
def test_the_numbers_of_an_independent_implementation(behavior):
    log = open_bandit(behavior=behavior)
    event, arm = np.arange(len(log))[:, None], np.arange(46)[None, :]
    target = np.exp(np.sin(arm + event / 1000))
    target /= target.sum(axis=1, keepdims=True)
    model = 0.005 + 0.003 * np.cos(arm * event / 7000)
    expected = (target * model).sum(axis=1)
    of_logged = target[event[:, 0], log.arm]
    weighting = (log.reward, log.propensity, of_logged)
    q = model[event[:, 0], log.arm]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WeakEvidenceWarning)
        ours = [
            ips(*weighting),
            self_normalised_ips(*weighting),
            direct_method(expected),
            doubly_robust(*weighting, q, expected),
            self_normalised_doubly_robust(*weighting, q, expected),
            replay(log.reward, 7 * event[:, 0] % 46 == log.arm),
        ]
    theirs = OBP[behavior]
    assert [estimate.estimator for estimate in ours] == list(theirs)
    np.testing.assert_allclose([estimate.value for estimate in ours], list(theirs.values()), rtol=0, atol=1e-9)


def some_events(n=400, seed=0):
    random = np.random.default_rng(seed)
    return {
        "reward": random.normal(1, 1, n),
        "propensity": random.uniform(0.2, 1.0, n),
        "target": random.uniform(0, 1, n),
        "model": random.normal(1, 0.5, n),
        "expected": random.normal(1, 0.5, n),
    }


def jackknife(estimate, columns):
    """Return the standard error by leaving out one event at a time: no formula of the estimator's own needed."""
    n = len(columns["reward"])
    values = [estimate(**{name: np.delete(column, i) for name, column in columns.items()}).value for i in range(n)]
    return math.sqrt((n - 1) / n * np.sum((values - np.mean(values)) ** 2))


@pytest.mark.parametrize("estimate", [ips, self_normalised_ips, doubly_robust, self_normalised_doubly_robust, replay])
def test_standard_errors_agree_with_the_jackknife(estimate):
    columns = some_events()
    if estimate is replay:
        columns = {"reward": columns["reward"], "matched": columns["target"] < 0.5}
    elif estimate in (ips, self_normalised_ips):
        columns = {name: columns[name] for name in ("reward", "propensity", "target")}
    # Means agree to rounding, ratios to first order in 1/n.
    tolerance = 1e-9 if estimate in (ips, doubly_robust) else 0.01
    assert estimate(**columns).standard_error == pytest.approx(jackknife(estimate, columns), rel=tolerance)


def test_four_events_by_hand():
    reward, propensity, target = [1, 0, 2, 1], [0.5, 0.5, 0.25, 1.0], [1.0, 0.5, 0.25, 0.0]
    # w = 2, 1, 1, 0
    with pytest.warns(WeakEvidenceWarning):
        estimate = ips(reward, propensity, target)
    assert estimate.value == (2 + 0 + 2 + 0) / 4
    assert estimate.standard_error == pytest.approx(np.std([2, 0, 2, 0], ddof=1) / 2)
    assert estimate.effective_sample_size == (2 + 1 + 1) ** 2 / (4 + 1 + 1)
    assert estimate.n_events == 4
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WeakEvidenceWarning)
        assert self_normalised_ips(reward, propensity, target).value == 4 / 4
        assert doubly_robust(reward, propensity, target, [1] * 4, [0.5] * 4).value == 0.5 + (0 - 1 + 1) / 4
        assert self_normalised_doubly_robust(reward, propensity, target, [2] * 4, [0.5] * 4).value == 0.5 + (-2 - 2) / 4
        assert replay(reward, [True, False, True, False]).value == 1.5


def test_the_interval_has_the_degrees_of_freedom_of_the_variance():
    columns = some_events()
    estimate = ips(columns["reward"], columns["propensity"], columns["target"], interval=Interval(level=0.8))
    terms = columns["reward"] * columns["target"] / columns["propensity"]
    n, away = len(terms), terms - terms.mean()
    assert estimate.standard_error == pytest.approx(np.sqrt(np.sum(away**2) / (n - 1) / n))
    away = np.append(away, np.abs(away).max())  # one more like the largest
    freedom = 2 * len(away) / (np.mean(away**4) / np.mean(away**2) ** 2 - 1)
    reach = student.ppf(0.9, freedom) * np.sqrt(np.sum(away**2) / (n - 1) / n)
    assert estimate.low == pytest.approx(estimate.value - reach, rel=1e-5)
    assert estimate.high == pytest.approx(estimate.value + reach, rel=1e-5)
    assert reach > NormalDist().inv_cdf(0.9) * estimate.standard_error


@pytest.mark.parametrize("probability", [0.5, 0.75, 0.95, 0.975, 0.995, 0.999])
def test_quantiles_of_students_distribution(probability):
    for freedom in (4.0, 5.5, 7.0):
        assert student_quantile(probability, freedom) == pytest.approx(student.ppf(probability, freedom), rel=0.02)
    for freedom in (10.0, 33.3, 1e3, 1e7):
        assert student_quantile(probability, freedom) == pytest.approx(student.ppf(probability, freedom), rel=1e-3)


@pytest.mark.filterwarnings("ignore::quickdraw_bandits.evaluation.off_policy.WeakEvidenceWarning")
def test_intervals_hold_where_rare_large_weights_carry_the_estimate():
    """1 of 50 events has a weight of 40, as in a log with little exploration.

    With 1,000 logs, 0.95 has a standard error of 0.007; two of them below are allowed.
    """
    random, covered, n = np.random.default_rng(0), {"ips": 0, "self-normalised ips": 0}, 1500
    for _ in range(1000):
        rare = random.random(n) < 0.02
        reward = (random.random(n) < np.where(rare, 0.7, 0.4)).astype(float)
        columns = reward, np.where(rare, 0.02, 0.98), np.where(rare, 0.8, 0.2)
        for estimator in (ips, self_normalised_ips):
            found = estimator(*columns)
            covered[found.estimator] += found.low <= 0.8 * 0.7 + 0.2 * 0.4 <= found.high
    assert min(covered.values()) >= 936  # the normal interval covers 929
    assert max(covered.values()) <= 975


def test_the_direct_method_says_that_its_interval_leaves_out_the_error_of_the_model():
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it says so always, and does not warn of it
        estimate = direct_method([0.5, 0.6] * 100)
    assert estimate.weakness.startswith("the interval leaves out the error of the reward model")


def test_replay_is_weak_where_arms_were_not_logged_uniformly():
    reward, matched = [1, 0, 1, 1] * 200, [True, True, False, True] * 200
    assert replay(reward, matched).weakness == ""
    assert replay(reward, matched, propensity=[0.25] * 800).weakness == ""
    with pytest.warns(WeakEvidenceWarning, match=r"range from 0\.02 to 0\.82"):
        assert "no fair sample" in replay(reward, matched, propensity=[0.02, 0.82, 0.82, 0.82] * 200).weakness
    with pytest.raises(ValueError, match="propensity must have one entry"):
        replay(reward, matched, propensity=[0.5])


@pytest.mark.parametrize("estimate", [ips, self_normalised_ips])
def test_bootstrap_and_normal_interval_agree_on_many_events(estimate):
    columns = {name: column for name, column in some_events(4000).items() if name in ("reward", "propensity", "target")}
    normal = estimate(**columns)
    bootstrap = estimate(**columns, interval=Interval("bootstrap", seed=1))
    # A percentile of 1000 draws has a standard deviation of about 0.08 of the standard error; four of these.
    for end in ("low", "high"):
        assert abs(getattr(normal, end) - getattr(bootstrap, end)) < 0.32 * normal.standard_error
    assert bootstrap == estimate(**columns, interval=Interval("bootstrap", seed=1))


def test_bootstrap_leaves_out_resamples_without_any_weight():
    with pytest.warns(WeakEvidenceWarning):
        estimate = self_normalised_ips([3, 0, 0], [1.0] * 3, [1.0, 0, 0], interval=Interval("bootstrap", resamples=50))
    assert estimate.low == estimate.high == estimate.value == 3


@pytest.mark.slow
class TestCoverage:
    """On logs with a known truth, 95 % intervals of each estimator cover it about 95 % of the time.

    Three arms that pay at fixed rates, chosen by a skewed policy. Over 400 logs the number covered is binomial; 0.95
    ± 0.044 is four of its standard deviations, and the lower limit allows 0.02 more for n = 600 being finite.
    """

    N_LOGS, N_EVENTS = 400, 600
    RATES = np.array([0.2, 0.5, 0.35])
    LOGGING = np.array([0.6, 0.15, 0.25])
    TARGET = np.array([0.2, 0.6, 0.2])
    UNIFORM = np.full(3, 1 / 3)

    def coverage(self, estimate, logging=LOGGING):
        truth = float(self.TARGET @ self.RATES)
        random = np.random.default_rng(20)
        covered = 0
        for _ in range(self.N_LOGS):
            arm = random.choice(3, self.N_EVENTS, p=logging)
            reward = (random.random(self.N_EVENTS) < self.RATES[arm]).astype(float)
            result = estimate(self, arm, reward, logging, random)
            covered += result.low <= truth <= result.high
        return covered / self.N_LOGS

    def model(self, arm, reward):
        means = arm_means(arm, reward, 3)[np.arange(len(arm)) % 2]
        return means[np.arange(len(arm)), arm], means @ self.TARGET

    def ips(self, arm, reward, logging, random):
        return ips(reward, logging[arm], self.TARGET[arm])

    def ips_by_bootstrap(self, arm, reward, logging, random):
        return ips(reward, logging[arm], self.TARGET[arm], interval=Interval("bootstrap", resamples=200, seed=random))

    def self_normalised_ips(self, arm, reward, logging, random):
        return self_normalised_ips(reward, logging[arm], self.TARGET[arm])

    def direct_method(self, arm, reward, logging, random):
        q, v = self.model(arm, reward)
        return direct_method(v, arm_mean_influence(arm, reward, q, self.TARGET))

    def doubly_robust(self, arm, reward, logging, random):
        return doubly_robust(reward, logging[arm], self.TARGET[arm], *self.model(arm, reward))

    def self_normalised_doubly_robust(self, arm, reward, logging, random):
        return self_normalised_doubly_robust(reward, logging[arm], self.TARGET[arm], *self.model(arm, reward))

    def replay(self, arm, reward, logging, random):
        return replay(reward, random.choice(3, len(arm), p=self.TARGET) == arm)

    @pytest.mark.parametrize(
        "estimate",
        [ips, ips_by_bootstrap, self_normalised_ips, direct_method, doubly_robust, self_normalised_doubly_robust],
    )
    def test_skewed_logging(self, estimate):
        assert 0.95 - 0.064 <= self.coverage(estimate) <= 0.95 + 0.044

    def test_replay_under_uniform_logging(self):
        assert 0.95 - 0.064 <= self.coverage(TestCoverage.replay, self.UNIFORM) <= 0.95 + 0.044

    def test_replay_under_skewed_logging_is_biased_as_its_table_says(self):
        assert self.coverage(TestCoverage.replay) < 0.7


def test_arm_means_by_hand():
    # Even events read the row fitted on odd ones: arm 0 paid 4 once, arm 1 paid 0 once, arm 2 was not seen.
    means = arm_means(np.array([0, 0, 1, 1]), np.array([1.0, 4.0, 1.0, 0.0]), n_arms=3)
    np.testing.assert_array_equal(means[0], [(4 + 2) / 2, (0 + 2) / 2, 2])
    np.testing.assert_array_equal(means[1], [(1 + 1) / 2, (1 + 1) / 2, 1])


def test_a_single_event_has_no_others_to_learn_from():
    np.testing.assert_array_equal(arm_means(np.array([1]), np.array([5.0]), n_arms=2), [[0, 0], [5, 5]])


def test_effective_sample_size():
    assert effective_sample_size(np.full(50, 0.3)) == pytest.approx(50)
    assert effective_sample_size(np.array([1.0, 0, 0])) == 1
    assert effective_sample_size(np.zeros(3)) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], [0.5, 0.0], [0.5, 0.5]), "propensity must be above 0 and at most 1, got 0.0 at position 1"),
        (([1, 2], [1.5, 0.5], [0.5, 0.5]), "propensity must be above 0 and at most 1, got 1.5 at position 0"),
        (([1, 2], [0.5, 0.5], [0.5, -0.1]), "target must be from 0 to 1, got -0.1 at position 1"),
        (([1, 2], [0.5, 0.5], [0.5, 1.1]), "target must be from 0 to 1, got 1.1 at position 1"),
        (([1, np.nan], [0.5, 0.5], [0.5, 0.5]), "reward must be finite, got nan at position 1"),
        (([1, 2], [0.5], [0.5, 0.5]), "propensity must have one entry for each of the 2 events, got 1"),
        (([], [], []), "reward must hold at least one event, got none"),
    ],
)
def test_bad_columns(arguments, message):
    with pytest.raises(ValueError, match=message):
        ips(*arguments)


def test_bad_settings():
    with pytest.raises(ValueError, match="matched must hold 2 booleans, got the type int64"):
        replay([1, 2], [1, 0])
    with pytest.raises(ValueError, match="expected must hold at least one event"):
        direct_method([])
    with pytest.raises(ValueError, match="method must be one of asymptotic, bootstrap, got 'magic'"):
        Interval("magic")
    with pytest.raises(ValueError, match="level must be above 0 and below 1, got 1"):
        Interval(level=1)
