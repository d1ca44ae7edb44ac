"""What programs of one's own answer while a log is played is checked, before it becomes an estimate."""

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.datasets import Log
from quickdraw_bandits.evaluation import ips, play_log
from quickdraw_bandits.evaluation.off_policy import builder

ARMS = qd.Arms.grid(0, 1, 3)


class Own:
    def __init__(self, arms, random):
        pass

    def select(self, time):
        return 1

    def update(self, time, arm, reward):
        pass


@pytest.fixture
def log():
    arm = np.random.default_rng(0).integers(3, size=300)
    return Log(np.arange(300.0), arm, arm / 2, np.full(300, 1 / 3), np.zeros(300, dtype=int), ARMS)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (1 / 3, r"must be one-dimensional, got the shape \(\)"),
        ([1.0], "must have one entry for each of the 3 arms, got 1"),
        ([0.5, 0.5, 0.5], r"must add up to 1, got 1\.5"),
        ([0.0, 0.0, 0.0], "must add up to 1, got 0"),
        ([-0.5, 1.0, 0.5], r"must be at least 0, got -0\.5 at position 0"),
        ([0.5, np.nan, 0.5], "must be finite, got nan at position 1"),
        ({0: 1.0}, "must hold numbers, got dict"),
    ],
)
def test_probabilities_that_are_none(log, answer, message):
    class Drawing(Own):
        def probabilities(self, time):
            return answer

    with pytest.raises(ValueError, match=f"^what Drawing.probabilities returns {message}"):
        play_log(log, Drawing)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"log": "log.csv"}, "log must be a Log, as read_log returns, got str"),
        (
            {"build": lambda arms, random: None},
            "build must make a policy, with the methods select and update, got None",
        ),
        (
            {"build": lambda arms, random: qd.policies.Random(qd.Arms.grid(0, 1, 2))},
            r"build must make a policy on the log's 3 arms, got Random\(.*\) on 2",
        ),
        ({"truth": 0.5}, r"truth must be a function of groups and times, or None, got 0\.5"),
        (
            {"truth": lambda groups, times: times},
            r"what truth returns must have the shape \(300, 3\), one row per event",
        ),
    ],
)
def test_arguments_that_cannot_be_played(log, arguments, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        play_log(**{"log": log, "build": Own} | arguments)


def test_a_class_of_the_library_is_built_with_its_defaults(log):
    by_class, built = play_log(log, qd.policies.UCB1), play_log(log, builder(qd.policies.UCB1))
    assert np.array_equal(by_class.target, built.target)


@pytest.mark.parametrize("group", ["x", None, ["a"] * 300, [np.nan] * 300, [-1] * 300, [0.5] * 300])
def test_groups_that_are_no_positions(log, group):
    with pytest.raises(ValueError, match=r"^group must .*, got "):
        Log(log.time, log.arm, log.reward, log.propensity, group, ARMS)


def test_an_interval_is_no_number(log):
    with pytest.raises(ValueError, match=r"interval must be an Interval, as Interval\(level=0\.9\), got 0\.95"):
        ips(log.reward, log.propensity, log.propensity, interval=0.95)
