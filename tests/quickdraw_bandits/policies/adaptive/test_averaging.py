"""The deviation as an average over scales: against a plain computation, and where there is nothing to average."""

import copy
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import quickdraw_bandits as qd
from quickdraw_bandits.policies.adaptive import averaging
from quickdraw_bandits.policies.adaptive.averaging import AGE_STEPS, LEAST_WEIGHT, plausible
from quickdraw_bandits.policies.adaptive.model import Model
from quickdraw_bandits.policies.adaptive.scales import AGE, AGES, NOISE, NOISES

N_ARMS = 30


def noisy(seed, n, noise=1.0):
    """Return a policy that has played some rounds of noisy rewards."""
    random = np.random.default_rng(seed)
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, N_ARMS), seed=seed)
    for k in range(n):
        arm = policy.select(float(k))
        policy.update(float(k), arm, np.sin(arm / 5.0) + noise * random.standard_normal())
    return policy


def by_hand(policy, time, cells):
    """Return log evidence, mean and squared deviation of each cell's model, by plain linear algebra."""
    belief = policy._model(time, 0)
    sample = belief.model.sample
    counts, y, one = sample.counts, sample.means, np.ones(len(sample))
    observed, found = counts.sum(), []
    for cell in cells:
        candidate = policy._grid.candidate(cell)
        model = Model(sample, candidate)
        model.prepare()
        upper = np.triu(model._upper[:, : len(y)])
        inverse, with_level = np.linalg.inv(upper.T @ upper), upper.T @ upper + 1.0
        towards = model._correlations(policy._space.towards(None, sample.arms), slice(None))
        total = y @ np.linalg.solve(with_level, y) + sample.spreads.sum() / candidate.noise
        squares = 1.0 / (1 + candidate.noise)
        value = -0.5 * (observed + 3) * np.log(total + squares) + 1.5 * np.log(squares) + candidate.log_prior
        value -= 0.5 * np.linalg.slogdet(with_level)[1] + 0.5 * (observed - len(y)) * np.log(candidate.noise)
        share, doubt = 1 - towards.T @ inverse @ one, 1 / (1 + one @ inverse @ one)
        level = doubt * (one @ inverse @ y)
        mean = level + towards.T @ inverse @ (y - level)
        variance = 1 - np.sum(towards * (inverse @ towards), axis=0)
        signal = (total + squares) / (observed + 1)
        squared = signal * (variance + share**2 * doubt)
        found.append((value, mean, squared))
    return belief, found


@settings(max_examples=15)
@given(st.integers(0, 2**16), st.integers(16, 60), st.sampled_from([0.3, 1.0]))
def test_the_deviation_is_that_of_a_mixture(seed, n, noise):
    policy = noisy(seed, n, noise)
    time = float(n)
    cell = policy._tuner.cell
    cells = []
    for step, noise_cell in product(AGE_STEPS, range(len(NOISES))):
        if 0 <= cell[AGE] + step < len(AGES):
            cells.append(cell.copy())
            cells[-1][[AGE, NOISE]] = cell[AGE] + step, noise_cell
    belief, found = by_hand(policy, time, cells)
    if policy._tuner.candidate.noise < 1e-4:
        assert plausible(belief.model, policy._grid, cell) == []
        return
    values = np.array([value for value, _, _ in found])
    used = policy._grid.candidate(cell)
    listed = plausible(belief.model, policy._grid, cell)
    weights = np.zeros(len(cells))
    for member in listed:
        (place,) = [k for k, each in enumerate(cells) if policy._grid.candidate(each) is member.model.candidate]
        weights[place] = member.weight
    kept = weights > 0
    expected = np.exp(values - values.max())
    np.testing.assert_allclose(weights[kept], expected[kept] / expected[kept].sum(), rtol=1e-6)
    # What is left out is unlikely, or lies behind what is.
    assert expected[kept].sum() > 0.85 * expected.sum()
    (at,) = [k for k, each in enumerate(cells) if policy._grid.candidate(each) is used]
    mean = found[at][1]
    total = sum(w * (squared + (m - mean) ** 2) for w, (_, m, squared) in zip(weights, found, strict=True))
    got_mean, deviation = policy.estimate(time)
    np.testing.assert_allclose(got_mean, belief.centre + belief.unit * mean, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(deviation, belief.unit * np.sqrt(total), rtol=1e-4)


def test_few_rewards_and_rewards_without_noise_are_not_averaged():
    policy = noisy(0, 12)
    assert plausible(policy._model(12.0, 0).model, policy._grid, policy._tuner.cell) == []
    policy = noisy(0, 60, noise=0.0)
    assert policy._tuner.candidate.noise < 1e-4
    assert plausible(policy._model(60.0, 0).model, policy._grid, policy._tuner.cell) == []


def test_noise_leaves_a_smaller_signal():
    """Rewards of noise alone say that the mean reward differs little: less than single rewards do."""
    policy, random = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 300), seed=0), np.random.default_rng(0)
    for k in range(150):
        policy.update(float(k), policy.select(float(k)), random.standard_normal())
    listed = plausible(policy._model(150.0, 0).model, policy._grid, policy._tuner.cell)
    assert len(listed) > 1
    assert sum(member.weight for member in listed) == pytest.approx(1)
    assert min(member.weight for member in listed) > 0.5 * LEAST_WEIGHT
    assert np.median(policy.estimate(150.0)[1]) < 0.6


def test_pending_pulls_lower_an_averaged_deviation_and_asking_changes_nothing():
    policy = noisy(1, 80)
    twin = copy.deepcopy(policy)
    _, before = policy.estimate(80.0)
    policy.expect(80.0, 7)
    _, after = policy.estimate(80.0)
    assert (after <= before * (1 + 1e-9)).all()
    assert after[7] < before[7]
    policy.forget(80.0, 7)
    assert [policy.select(80.0 + k) for k in range(5)] == [twin.select(80.0 + k) for k in range(5)]


def test_many_observations_are_averaged_over_noises_alone(monkeypatch):
    policy = noisy(2, 90)
    monkeypatch.setattr(averaging, "MOST", 80)
    listed = plausible(policy._model(90.0, 0).model, policy._grid, policy._tuner.cell)
    assert {member.model.candidate.age for member in listed} == {policy._tuner.candidate.age}
    monkeypatch.setattr(averaging, "MOST", 90)
    listed = plausible(policy._model(90.0, 0).model, policy._grid, policy._tuner.cell)
    assert len({member.model.candidate.age for member in listed}) > 1
