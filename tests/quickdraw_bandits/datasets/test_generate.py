import numpy as np
import pytest

from quickdraw_bandits.datasets import generate_log, open_bandit


def test_a_rate_computed_by_hand():
    log, rates = generate_log(10, n_arms=5, level=0.01, share=0.6, width=0.3, seed=1)
    g, t = int(log.group[3]), float(log.time[3])
    centre = 0.8 * np.sin(2 * np.pi * (rates.speed[g] * t + rates.phase[g]))
    burst = (1 + np.cos(2 * np.pi * (7 * t + rates.offset[g]))) ** 2 / 1.5
    b = [np.exp(-((x - centre) ** 2) / (2 * 0.3**2)) for x in (-1, -0.5, 0, 0.5, 1)]
    expected = [0.01 * (0.4 + 0.6 * burst * value * 5 / sum(b)) for value in b]
    np.testing.assert_allclose(rates(log.group[3:4], log.time[3:4])[0], expected, rtol=1e-12)


def test_the_mean_rate_is_the_level():
    _, rates = generate_log(10, level=0.02, seed=2)
    time = (np.arange(20_000) + 0.5) / 20_000
    for g in (0, 7):
        np.testing.assert_allclose(rates(np.full(len(time), g), time).mean(), 0.02, rtol=1e-9)


def test_clicks_follow_the_rates():
    log, rates = generate_log(200_000, level=0.02, seed=3)
    rate = np.take_along_axis(rates(log.group, log.time), log.arm[:, None], axis=1)[:, 0]
    # Within four standard deviations overall, and in the upper tenth of the rates.
    for rows in (rate > 0, rate > np.quantile(rate, 0.9)):
        sd = np.sqrt(np.sum(rate[rows] * (1 - rate[rows])))
        assert abs(log.reward[rows].sum() - rate[rows].sum()) < 4 * sd


@pytest.mark.parametrize("skew", [1.0, 20.0])
def test_propensities_are_the_frequencies_of_arms(skew):
    log, _ = generate_log(200_000, n_arms=10, skew=skew, seed=4)
    said = np.array([log.propensity[log.arm == arm][0] for arm in range(10)])
    assert said.sum() == pytest.approx(1, abs=1e-12)
    assert said.max() / said.min() == pytest.approx(skew, rel=1e-9)
    seen = np.bincount(log.arm, minlength=10)
    assert np.all(np.abs(seen - len(log) * said) < 5 * np.sqrt(len(log) * said * (1 - said)))


def test_groups_have_the_sizes_of_the_sample():
    log, _ = generate_log(100_000, seed=5)
    share = np.bincount(open_bandit().group) / 10_000
    seen = np.bincount(log.group, minlength=205)
    assert np.all(np.abs(seen - len(log) * share) < 5 * np.sqrt(len(log) * share * (1 - share)) + 1)


def test_the_same_seed_gives_the_same_log():
    first, again, other = (generate_log(500, level=0.02, seed=seed)[0] for seed in (6, 6, 7))
    for name in ("time", "arm", "reward", "group"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    assert not np.array_equal(first.arm, other.arm)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_events": 0}, "n_events must be an integer of at least 1, got 0"),
        ({"n_arms": 1}, "n_arms must be an integer of at least 2, got 1"),
        ({"skew": 0.5}, "skew must be at least 1, got 0.5"),
        ({"level": 0.5}, "level must be low enough for no rate to exceed 1, got 0.5"),
        ({"share": 1.5}, "share must be between 0 and 1"),
        ({"group_sizes": [1, 0]}, "group_sizes must hold at least one size, each above 0"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        generate_log(**{"n_events": 1000, "seed": 0} | settings)
