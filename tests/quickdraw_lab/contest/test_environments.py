import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_lab.contest.environments import (
    ENVIRONMENTS,
    PARTS,
    EnvironmentSpec,
    build_environment,
    find_environment,
    seed_of,
    warmup_of,
)
from quickdraw_lab.contest.recorded_rewards import checksum
from quickdraw_lab.testbed import TestBed

TEST_BED = TestBed(seed=3, n_arms=30, n_rounds=60, warmup=12)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_same_number_gives_the_same_environment_and_no_other_does(name):
    one, again, other = (build_environment(ENVIRONMENTS[name], "result", number, TEST_BED) for number in (0, 0, 1))
    tuning = build_environment(ENVIRONMENTS[name], "tuning", 0, TEST_BED)
    np.testing.assert_array_equal(one.rewards, again.rewards)
    assert not np.array_equal(one.rewards, other.rewards)
    assert not np.array_equal(one.rewards, tuning.rewards)
    assert one.n_rounds == 60
    assert warmup_of(one, TEST_BED) == 12
    assert one.mean.min() >= -1e-9
    assert one.mean.max() <= 1 + 1e-9


def test_no_seed_serves_twice():
    seeds = [seed_of(TEST_BED, part, number) for part in PARTS for number in range(200)]
    assert len(set(seeds)) == len(seeds)


def test_fields_are_those_of_the_library():
    env = build_environment(find_environment("base:rho_x=0.3,alpha=2,noise=0.1", {}), "result", 2, TEST_BED)
    expected = qd.environments.RandomField(0.3, 0.1, 2.0, 0.1, 30, 60, seed=seed_of(TEST_BED, "result", 2))
    np.testing.assert_array_equal(env.rewards, expected.rewards)


def test_few_arms_are_independent_and_equally_far_from_each_other():
    env = build_environment(ENVIRONMENTS["few-arms"], "result", 0, TestBed(n_arms=30, n_rounds=2000, warmup=10))
    assert len(env.arms) == 10
    far = np.array([env.arms.distances(arm) for arm in range(10)])
    np.testing.assert_allclose(far, 1 - np.eye(10))
    # Over many numbers, neighbours do not go together; 40 pairs of values, margin three standard errors.
    first = np.array(
        [build_environment(ENVIRONMENTS["few-arms"], "result", n, TEST_BED).mean[30, :2] for n in range(40)]
    )
    assert abs(np.corrcoef(first.T)[0, 1]) < 3 / np.sqrt(40)


def test_a_record_is_divided_and_keeps_its_clock(tmp_path):
    rewards = np.random.default_rng(0).uniform(size=(50, 4))
    rewards[0, 0], rewards[1, 0] = 0.0, 1.0
    np.save(tmp_path / "r.npy", rewards)
    spec = EnvironmentSpec("recorded", (), str(tmp_path / "r.npy"), checksum(str(tmp_path / "r.npy")))
    tuning, result = (build_environment(spec, part, 0, TEST_BED) for part in PARTS)
    np.testing.assert_array_equal(np.vstack([tuning.mean, result.mean]), rewards)
    assert (tuning.n_rounds, result.n_rounds) == (20, 30)
    assert (tuning.times[0], result.times[0]) == (0.0, 20 / 50)
    assert (warmup_of(tuning, TEST_BED), warmup_of(result, TEST_BED)) == (4, 6)
    hindsight = find_environment("mine:hindsight=1", {"mine": spec})
    assert [build_environment(hindsight, part, 0, TEST_BED).n_rounds for part in PARTS] == [50, 50]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nowhere", "there is no environment 'nowhere'; known environments are base, "),
        ("base:depth=3", "environment 'base:depth=3': the settings of base are rho_x, rho_t, alpha, noise, got "),
        ("base:noise=-1", "environment 'base:noise=-1': noise must be at least 0, got -1.0"),
        ("base:rho_x=0", "environment 'base:rho_x=0': rho_x must be above 0, got 0.0"),
        ("base:rho_x=wide", "environment 'base:rho_x=wide': rho_x must be a number, got 'wide'"),
        ("few-arms:arms=1", "environment 'few-arms:arms=1': arms must be an integer from 2 to 10000, got 1"),
    ],
)  # fmt: skip
def test_refuses(text, message):
    with pytest.raises(ValueError, match="^" + message.replace("(", r"\(")):
        find_environment(text, {})


def test_a_setting_at_its_default_is_the_same_environment():
    assert find_environment("base:noise=0.1", {}) == ENVIRONMENTS["noise-0.1"]
    assert find_environment("noise-0.1:noise=0", {}) == ENVIRONMENTS["base"]
