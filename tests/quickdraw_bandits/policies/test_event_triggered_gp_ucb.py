import numpy as np
import pytest

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.environments import RandomField, Recorded
from quickdraw_bandits.policies import EventTriggeredGPUCB

ARMS = Arms.grid(-1, 1, 30)
X = ARMS.points[:, 0] / 2
C = np.exp(-((X[:, None] - X) ** 2) / (2 * 0.3**2))


def plain(seen, rewards, arm):
    """Mean and deviation of a function that does not drift, with s² = 1.5 and σ² = 0.1, about the average reward."""
    offset = rewards.mean()
    among = 1.5 * C[np.ix_(seen, seen)] + 0.1 * np.eye(len(seen))
    cross = 1.5 * C[seen, arm]
    return (
        offset + cross @ np.linalg.solve(among, rewards - offset),
        np.sqrt(1.5 - cross @ np.linalg.solve(among, cross)),
    )


def test_resets_and_estimates_are_those_of_the_formulas():
    random = np.random.default_rng(3)
    n = 120
    seen = random.integers(30, size=n)
    # The function jumps after 40 and 80 observations; the noise is that of the model.
    jumps = 4 * random.normal(size=(3, 30))[np.arange(n) // 40, seen]
    rewards = jumps + np.sqrt(0.1) * random.normal(size=n)
    policy = EventTriggeredGPUCB(ARMS, 0.3, 1.5, 0.1, window=25, seed=0)
    begin, resets = 0, 0
    for k in range(n):
        if k > begin:
            latest = slice(max(begin, k - 25), k)
            mean, std = plain(seen[latest], rewards[latest], seen[k])
            rho = 2 * np.log(2 * np.pi**2 * (k - begin + 1) ** 2 / (6 * 0.1))
            if abs(rewards[k] - mean) > np.sqrt(rho) * std + np.sqrt(2 * 0.1 * rho / 2):
                begin, resets = k, resets + 1
        policy.update(0.1 * k, seen[k], rewards[k])
        assert policy.resets == resets
    assert resets >= 2
    latest = slice(max(begin, n - 25), n)
    for arm in (0, 13, 29):
        mean, std = policy.estimate(50.0, arms=[arm])
        assert (mean[0], std[0]) == pytest.approx(plain(seen[latest], rewards[latest], arm), abs=1e-9)


def test_a_function_that_does_not_change_is_rarely_forgotten():
    """At most a tenth of the games may have a reset; here it is none of twenty."""
    root = np.linalg.cholesky(C + 1e-9 * np.eye(30))
    resets = []
    for seed in range(20):
        random = np.random.default_rng(seed)
        function = root @ random.normal(size=30)
        policy = EventTriggeredGPUCB(ARMS, 0.3, 1.0, 0.04, prior_mean=0.0, seed=seed)
        for k in range(60):
            arm = policy.select(k)
            policy.update(k, arm, function[arm] + 0.2 * random.normal())
        resets.append(policy.resets)
    assert sum(resets) == 0


def test_a_reward_from_before_the_reset_is_not_learned():
    policy = EventTriggeredGPUCB(ARMS, seed=0)
    policy.update([0.0, 1.0, 3.0], [4, 5, 5], [0.5, 0.5, 0.0])
    assert policy.resets == 1
    before = policy.estimate(4.0)
    policy.update(2.0, 20, 0.9)
    np.testing.assert_array_equal(policy.estimate(4.0), before)
    assert policy.n_observations == 4
    policy.update(3.5, 20, 0.1)
    late = EventTriggeredGPUCB(ARMS, seed=0)
    late.update([0.0, 1.0, 3.0, 3.5], [4, 5, 5, 20], [0.5, 0.5, 0.0, 0.1])
    np.testing.assert_array_equal(policy.estimate(4.0), late.estimate(4.0))


def redrawn(seed):
    """Return an environment that changes completely every hundred rounds."""
    random = np.random.default_rng(seed)
    x = np.linspace(0, 1, 100)
    root = np.linalg.cholesky(np.exp(-((x[:, None] - x) ** 2) / (2 * 0.1**2)) + 1e-9 * np.eye(100))
    rewards = np.repeat(random.normal(size=(4, 100)) @ root.T, 100, axis=0)
    return Recorded(rewards, Arms(x), times=np.arange(400), noise=0.1, seed=seed)


def test_follows_a_function_that_is_redrawn(beats_random):
    told = {"signal_variance": 1.0, "noise_variance": 0.01, "prior_mean": 0.0}
    beats_random(
        [redrawn(seed) for seed in range(5)],
        lambda env, seed: EventTriggeredGPUCB(env.arms, 0.1, **told, seed=seed),
        share=0.4,
        warmup=20,
    )


def test_follows_a_drifting_field(beats_random):
    beats_random(
        [RandomField(n_arms=200, n_rounds=400, length_t=0.2, seed=seed) for seed in range(5)],
        lambda env, seed: EventTriggeredGPUCB(env.arms, length_scale=0.05, window=100, seed=seed),
        share=1 / 3,
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"error_probability": 1.0}, "error_probability must be above 0 and below 1, got 1.0"),
        ({"error_probability": 0.0}, "error_probability must be above 0 and below 1, got 0.0"),
        ({"error_probability": np.nan}, "error_probability must be a finite number"),
        ({"noise_variance": 0.0}, "noise_variance must be above 0"),
    ],
)
def test_bad_settings_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        EventTriggeredGPUCB(Arms.grid(0, 1, 4), **options)
