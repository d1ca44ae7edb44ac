"""Expansions against the function that they expand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickdraw_bandits.interpolation.engines.tree.expansion import (
    add_point,
    add_shape,
    at_moment,
    at_place,
    binomial,
    derivatives,
    deviation,
    n_terms,
    precision,
    shift,
    tail,
)
from quickdraw_bandits.interpolation.engines.tree.observation_trees import ObservationTrees

cases = st.tuples(st.integers(2, 4), st.integers(1, 3), st.integers(0, 2**32 - 1))


def g(w, p):
    return (1 + (w**2).sum(axis=-1)) ** -float(p)


@given(cases)
def test_derivatives_are_those_of_finite_differences(case):
    full, p, seed = case
    random = np.random.default_rng(seed)
    w = random.normal(size=full)
    g0, g1, g2 = derivatives(1 + w @ w, p)
    assert g0 == pytest.approx(g(w, p)) == pytest.approx(precision(1 + w @ w, p))
    e = random.normal(size=full)
    step = 1e-3
    ahead, behind = g(w + step * e, p), g(w - step * e, p)
    assert g1 * (w @ e) == pytest.approx((ahead - behind) / (2 * step), rel=1e-3, abs=1e-4)
    assert g1 * (e @ e) + g2 * (w @ e) ** 2 == pytest.approx((ahead + behind - 2 * g0) / step**2, rel=1e-2, abs=1e-3)
    assert deviation(g0, p) == pytest.approx(g0 ** (-0.5 / p))


@given(cases)
def test_a_point_is_expanded_within_its_remainder(case):
    full, p, seed = case
    random = np.random.default_rng(seed)
    w = random.normal(size=full) * 10
    y = random.normal()
    sums = np.zeros(2 * n_terms(full))
    add_point(sums, w, y, *derivatives(1 + w @ w, p))
    r = np.sqrt(1 + w @ w)
    for _ in range(5):
        dx = random.normal(size=full)
        dx *= 0.25 * r * random.random() / np.linalg.norm(dx)
        size = np.linalg.norm(dx)
        rest = binomial(p) * size**3 * tail(r - size, p)
        assert abs(at_place(sums, 0, dx) - g(w + dx, p)) <= rest + 1e-15
        assert abs(at_place(sums, 1, dx) - y * g(w + dx, p)) <= abs(y) * rest + 1e-15


@given(cases)
def test_a_group_is_expanded_within_its_remainder(case):
    full, p, seed = case
    random = np.random.default_rng(seed)
    rows = random.normal(size=(8, full + 1))
    trees = ObservationTrees(full)
    trees.add(rows)
    group = trees.groups.view(np.recarray)[3]
    centre, level = rows[:, :-1].mean(axis=0) + 40 * random.normal(size=full), random.normal()
    u = centre - group.centroid
    r = np.sqrt(1 + u @ u)
    if group.radius > 0.25 * r:
        return
    g0, g1, g2 = derivatives(1 + u @ u, p)
    sums = np.zeros(2 * n_terms(full))
    add_point(sums, u, group.reward / 8 - level, 8 * g0, 8 * g1, 8 * g2)
    add_shape(sums, u, group, level, g1, g2)
    exact = g(centre - rows[:, :-1], p)
    rest = binomial(p) * 8 * group.radius * group.spread**2 * tail(r - group.radius, p)
    away = np.abs(rows[:, -1] - level).max()
    assert abs(sums[0] - exact.sum()) <= rest + 1e-14
    assert abs(sums[n_terms(full)] - exact @ (rows[:, -1] - level)) <= rest * away + 1e-14


@given(cases)
def test_polynomials_are_the_same_from_another_centre_and_at_one_moment(case):
    full, _, seed = case
    random = np.random.default_rng(seed)
    terms = n_terms(full)
    sums, moved = random.normal(size=2 * terms), np.empty(2 * terms)
    step, dx = random.normal(size=(2, full))
    shift(sums, moved, step)
    placed = np.empty(2 * terms)
    at_moment(sums, placed, full - 1, dx[-1])
    for which in range(2):
        assert at_place(moved, which, dx) == pytest.approx(at_place(sums, which, step + dx), rel=1e-9, abs=1e-9)
        one = placed[: 2 * n_terms(full - 1)]
        assert at_place(one, which, dx[:-1]) == pytest.approx(at_place(sums, which, dx), rel=1e-9, abs=1e-9)
