"""Where no single peak is followed: other rewards than those of a peak, and arms that are no line."""

import numpy as np
import pytest

import quickdraw_bandits as qd


def test_arms_at_the_same_place_are_left_to_the_field():
    """One of ten arms at a place pays: a peak there could not say which. Played more often than by chance."""
    played = []
    for seed in range(8):
        policy = qd.AdaptiveQuickDraw(qd.Arms(np.repeat([0.0, 1.0], 10)), seed=seed)
        random = np.random.default_rng(seed)
        for k in range(300):
            arm = policy.select(k)
            policy.update(k, arm, float(arm == 7) + 0.1 * random.standard_normal())
            played.append(arm == 7)
            assert policy.scales is None or policy.scales.peak_width is None
    assert np.mean(played) > 0.15  # by chance 0.05


def test_arms_beyond_the_ends_of_very_many_end_the_line():
    places = np.linspace(0, 1, 5000)
    policy = qd.AdaptiveQuickDraw(qd.Arms(places), seed=0)
    for k in range(110):
        policy.update(k, 45 * k, float(k == 50))
    policy.select(110)
    policy.update(110, 7, 0.5)
    assert not policy._peaks.lost
    assert policy._space.spread_out
    policy.add_arms([[0.5]])
    assert policy._space.spread_out
    policy.add_arms([[1.2]])
    assert not policy._space.spread_out
    assert policy._peaks.lost


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_a_field_of_many_peaks_is_left_to_the_field(noise):
    env = qd.environments.RandomField(noise=noise, n_rounds=400, seed=5)
    trace = qd.simulate(qd.AdaptiveQuickDraw(env.arms, seed=5), env, seed=5)
    assert all(each.peak_width is None for each in trace.scales)


def test_clicks_do_not_make_a_peak():
    means = 0.01 + 0.05 * qd.environments.RandomField(0.2, 0.3, n_rounds=600, seed=3).mean
    random, policy = np.random.default_rng(0), qd.AdaptiveQuickDraw(qd.Arms.grid(-1, 1, 1000), seed=0)
    for k in range(600):
        arm = policy.select(k)
        policy.update(k, arm, float(random.random() < means[k, arm]))
        assert policy.scales is None or policy.scales.peak_width is None
