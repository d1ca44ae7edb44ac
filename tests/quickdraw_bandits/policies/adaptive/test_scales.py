import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.policies.adaptive.correlation import FAMILIES, Rates, correlation
from quickdraw_bandits.policies.adaptive.scales import AGE, INSTEAD, NOISE, NOISES, Candidate, ScaleGrid


@pytest.mark.parametrize(("n_arms", "dimension"), [(1, 1), (1000, 1), (10**6, 2), (50, 10), (30, 0)])
def test_every_candidate_has_neighbours_that_know_it(n_arms, dimension):
    grid = ScaleGrid(n_arms, dimension)
    for place in list(np.ndindex(grid.shape))[::499]:
        cell = np.array(place)
        assert 0 < grid.candidate(cell).length <= 0.5
        for other in grid.neighbours(cell):
            changed = np.flatnonzero(other != cell).tolist()
            assert len(changed) == 1 or changed == [AGE, NOISE]
            if abs(other[NOISE] - cell[NOISE]) > 1:  # from none to much, and back by steps
                assert grid.candidate(cell).noise < 0.03
                assert (grid.candidate(other).noise, changed) == (INSTEAD, [NOISE])
                continue
            assert place in [tuple(back.tolist()) for back in grid.neighbours(other)]


@pytest.mark.parametrize("noise", range(len(NOISES)))
@pytest.mark.parametrize("age", range(4))
def test_much_noise_is_tried_at_once_where_rewards_seem_to_change_within_a_few_rounds(age, noise):
    grid = ScaleGrid(1000, 1)
    cell = grid.start.copy()
    cell[[AGE, NOISE]] = age, noise
    jumps = [other for other in grid.neighbours(cell) if abs(other[NOISE] - noise) > 1]
    assert len(jumps) == (1 if age == 0 and noise < 2 else 0)


def test_clicks_are_seen_as_noise_in_time():
    """From scales without noise, on which single steps are no better: a game that stayed there for 20,000 rounds."""
    grid = ScaleGrid(100, 1)
    policy, random = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 100), seed=0), np.random.default_rng(0)
    for k in range(300):
        policy.update(k, int(random.integers(100)), float(random.random() < 0.3))
    policy.select(300)
    policy._tuner.cell = np.array([0, 0, 0, 0, 0])
    policy._tuner._neighbours = grid.neighbours(policy._tuner.cell)
    for k in range(300, 500):
        policy.select(k)
        policy.update(k, int(random.integers(100)), float(random.random() < 0.3))
    assert policy._tuner.candidate.noise >= 1


def test_where_arms_are_clustered_lengths_are_as_small_as_their_spacing():
    """Steps of at most two, from four spacings on; where they are spread evenly nothing changes."""
    for spacing in (0.001, 0.0003, 1.0, np.inf):
        np.testing.assert_array_equal(ScaleGrid(1000, 1, spacing).lengths, np.geomspace(0.004, 0.5, 11))
    for spacing in (1e-4, 1e-6, 1e-8):
        lengths = ScaleGrid(1000, 1, spacing).lengths
        assert lengths[0] == pytest.approx(4 * spacing)
        assert lengths[-1] == pytest.approx(0.5)
        assert (lengths[1:] / lengths[:-1] <= 2 + 1e-9).all()
    clustered = ScaleGrid(1000, 1, 1e-6)
    assert (clustered.start < clustered.shape).all()


def test_a_peak_may_be_followed_in_one_dimension():
    assert [ScaleGrid(100, dimension).follows for dimension in (0, 1, 2, 3, 4)] == [False, True, False, False, False]


@pytest.mark.parametrize(("n_arms", "crowd"), [(2, 0.0), (128, 0.0), (256, np.log(2)), (10**6, 2.0)])
def test_many_arms_are_seldom_very_different_from_their_neighbours(n_arms, crowd):
    """The log prior falls by all of it for jagged rewards and for own levels, by a half and a quarter otherwise."""
    grid = ScaleGrid(n_arms, 1)
    for family, part in zip(FAMILIES, (1.0, 0.5, 0.25, 0.0), strict=True):
        for share in range(2):
            found = grid.candidate(np.array([FAMILIES.index(family), 5, 12, 1, share]))
            plain = Candidate(family, found.length, found.age, found.noise, 1)
            assert found.log_prior == pytest.approx(plain.log_prior - crowd * (part + share))


def test_scales_at_which_nothing_can_be_learned_have_a_lower_log_prior():
    """3 log(r² / (l_t l_x^d)) lower."""
    priors = [Candidate("smooth", 0.03, 100.0, noise, 1).log_prior for noise in (0.3, 3.0, 3.0 * np.e)]
    np.testing.assert_allclose(priors, [0.0, 0.0, -3.0], atol=1e-12)


def test_unusual_scales_have_a_lower_log_prior():
    tried = 0.03 / np.e**2, 0.03, 0.03 * np.e
    lengths = [Candidate("smooth", length, 100.0, 0.3, 1).log_prior for length in tried]
    np.testing.assert_allclose(lengths, [-2.0, 0.0, -1.0], atol=1e-12)
    ages = [Candidate("smooth", 0.03, age, 0.3, 1).log_prior for age in (40.0 / np.e, 40.0, 4000.0)]
    np.testing.assert_allclose(ages, [-1.0, 0.0, 0.0], atol=1e-12)


def test_the_smooth_family_is_close_to_the_squared_exponential():
    """The medium and the rough one have the same curvature at 0; the jagged one falls linearly at first."""
    distances = np.linspace(0, 2, 21)
    jagged, rough, medium, smooth = (
        correlation(distances**2, 0.0, False, Candidate(family, 0.5, 4.0, 0.3, 1).rates) for family in FAMILIES
    )
    np.testing.assert_allclose(smooth, np.exp(-(distances**2) / (2 * 0.5**2)), atol=0.02)
    np.testing.assert_allclose(medium, (1 + distances**2 / (8 * 0.5**2)) ** -4.0, rtol=1e-12)
    np.testing.assert_allclose(rough, 1 / (1 + distances**2 / (2 * 0.5**2)), rtol=1e-12)
    np.testing.assert_allclose(jagged, 1 / (1 + distances / 0.5), rtol=1e-12)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("share", [0.0, 0.3])
def test_within_reach_an_observation_leaves_less_than_asked_for(family, share):
    rates = Rates.of(0.1, 20.0, family, share)
    reach = rates.reach(0.05)
    inside, outside = (correlation(np.zeros(1), reach * factor, True, rates)[0] for factor in (1 - 1e-6, 1 + 1e-6))
    assert 1 - inside**2 < 0.05 < 1 - outside**2


@pytest.mark.parametrize("dimension", [300, 512, 3000])
def test_embeddings_of_many_dimensions_have_priors(dimension):
    grid = ScaleGrid(200, dimension)
    for length in range(grid.shape[1]):
        candidate = grid.candidate(np.array([0, length, 6, 1, 0]))
        assert np.isfinite(candidate.log_prior)


def test_after_new_arms_the_scales_shown_are_those_in_use():
    """Arms far away leave no length scale as short as the one in use before."""
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 60), seed=0)
    for k in range(200):
        arm = policy.select(float(k))
        policy.update(float(k), arm, float(np.sin(arm / 3 + k / 20)))
    policy.add_arms([[3.0], [3.1]])
    shown = policy.scales.length_scale
    assert shown >= 3.1 * 4 / 62 * 0.999
    assert policy._model(200.0, 0).model.candidate.length * policy._space.diameter == pytest.approx(shown)
