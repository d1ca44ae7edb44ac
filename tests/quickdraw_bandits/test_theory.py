"""The constants and bounds against their formulas, and theorem 1 and lemma 1 on a game that is played."""

import math

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits import theory
from quickdraw_bandits.exploration import Constant, Theorem

SETTINGS = {"lipschitz": 1.5, "length_scale": 0.2, "noise_variance": 0.3, "failure_probability": 0.05}


def test_constants():
    assert theory.constant_c(0.2, 0.3) == pytest.approx(math.sqrt(0.3 + 25), rel=1e-14)
    assert theory.constant_c1(0.2, 0.3) == pytest.approx(math.sqrt(0.3 + 25) / 0.3, rel=1e-14)
    assert theory.largest_length_scale(1000, 0.3) == pytest.approx(1 / math.sqrt(999.7), rel=1e-14)
    assert theory.largest_length_scale(1, 2.0) == math.inf


@pytest.mark.parametrize("rounds", [1, 10, 5000])
def test_schedule_and_bounds(rounds):
    log2 = math.log(2 * rounds**2 / 0.05) ** 2
    c = math.sqrt(0.3 + 25)
    gamma = 2 * 1.5 + 4 * c / 0.3 * log2
    assert theory.gamma(rounds, **SETTINGS) == pytest.approx(gamma, rel=1e-13)
    assert Theorem(**SETTINGS)(rounds - 1) == pytest.approx(gamma, rel=1e-13)
    printed = 4 * c * 1.5 + 8 * c**2 * math.sqrt(rounds) * log2
    assert theory.regret_bound_printed(rounds, **SETTINGS) == pytest.approx(printed, rel=1e-13)
    last_step = 4 * c * 1.5 * math.sqrt(rounds) + 8 * c**2 / 0.3 * math.sqrt(rounds) * log2
    assert theory.regret_bound_last_step(rounds, **SETTINGS) == pytest.approx(last_step, rel=1e-13)


@pytest.mark.parametrize("rounds", [1, 10, 400])
def test_derived_bound_is_above_the_sum_that_it_bounds(rounds):
    """R_T <= 2 sum_t gamma_{t+1} C / sqrt(t), added up term by term."""
    c = math.sqrt(0.3 + 25)
    total = sum(2 * theory.gamma(t + 1, **SETTINGS) * c / math.sqrt(t) for t in range(1, rounds + 1))
    assert total <= theory.regret_bound_derived(rounds, **SETTINGS) <= 3 * total


def test_the_last_step_of_the_proof_is_below_the_sum_that_it_bounds():
    """The step sum 1/sqrt(t) <= sqrt(T) fails as soon as T is 2, and with it the bound."""
    c = math.sqrt(0.3 + 25)
    total = sum(2 * theory.gamma(401, **SETTINGS) * c / math.sqrt(t) for t in range(1, 401))
    assert theory.regret_bound_last_step(400, **SETTINGS) < total


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rounds", 0),
        ("rounds", "100"),
        ("length_scale", 1e-200),
        ("length_scale", -1.0),
        ("noise_variance", 0.0),
        ("failure_probability", 1.0),
        ("lipschitz", -1.0),
    ],
)
def test_bad_arguments_raise(name, value):
    arguments = {"rounds": 10, **SETTINGS, name: value}
    with pytest.raises(ValueError, match=name):
        theory.regret_bound_derived(**arguments)
    with pytest.raises(ValueError, match=name):
        theory.regret_bound_printed(**arguments)


@pytest.mark.parametrize("arguments", [(-1.0, 0.1, 1.0, 0.1), (1.0, 0.0, 1.0, 0.1), (1.0, 0.1, 1.0, 5.0)])
def test_bad_schedules_raise_when_they_are_built(arguments):
    with pytest.raises(ValueError, match="must be"):
        Theorem(*arguments)
    with pytest.raises(ValueError, match="gamma must be a finite number"):
        Constant(math.nan)


def test_constant_schedule():
    assert [Constant(1.5)(n) for n in (0, 7)] == [1.5, 1.5]


@pytest.mark.parametrize("noise_variance", [1.0, 0.05])
def test_theorem_1_and_lemma_1_hold_on_a_lipschitz_function(noise_variance):
    """T1's event at every arm and T2 at every round, with l_x as theorem 1 asks and its schedule.

    mu(x) = 0.5 + 0.4 sin(3x) on [-1, 1]: |mu'| <= 1.2 a unit of x, so L = 2.4 a unit of scaled distance.
    """
    rounds = 300
    length_scale = theory.largest_length_scale(rounds, noise_variance)
    schedule = Theorem(2.4, length_scale, noise_variance, failure_probability=0.1)
    arms = qd.Arms.grid(-1, 1, 200)
    truth = 0.5 + 0.4 * np.sin(3 * arms.points[:, 0])
    policy = qd.QuickDraw(
        arms, length_scale, time_scale=None, noise_variance=noise_variance, exploration=schedule, seed=0
    )
    random = np.random.default_rng(0)
    policy.update(0.0, 0, truth[0])
    tightest = math.inf
    for t in range(1, rounds):
        gamma = schedule(t)
        mean, std = policy.estimate(float(t))
        assert (np.abs(truth - mean) <= gamma * std).all()
        arm = policy.select(float(t))
        regret = truth.max() - truth[arm]
        assert regret <= theory.round_regret_bound(gamma, std[arm])
        tightest = min(tightest, 2 * gamma * std[arm])
        # Noise symmetric about the mean, and bounded as the proof asks.
        policy.update(float(t), arm, truth[arm] + random.uniform(-0.1, 0.1))
    # The bound says nothing here: rewards lie in [0, 1] and it is never below 1. docs/theory.md says so.
    assert tightest > 1


def test_the_event_of_theorem_1_can_fail_where_its_conditions_do():
    """With a constant gamma of 0.01 the interval is too narrow somewhere: the check above is able to fail."""
    arms = qd.Arms.grid(-1, 1, 200)
    truth = 0.5 + 0.4 * np.sin(3 * arms.points[:, 0])
    policy = qd.QuickDraw(arms, time_scale=None, noise_variance=1.0, exploration=0.01, seed=0)
    policy.update([0.0, 1.0], [0, 199], truth[[0, 199]])
    mean, std = policy.estimate(2.0)
    assert (np.abs(truth - mean) > 0.01 * std).any()
