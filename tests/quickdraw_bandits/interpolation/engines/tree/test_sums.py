"""Sums over a box, and bounds from them, against sums written out in NumPy.

Functions that compiled code calls run as plain Python here; ``test_engine`` covers them compiled.
"""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from quickdraw_bandits.interpolation.engines.tree.bounds import bound_index, learn
from quickdraw_bandits.interpolation.engines.tree.boxes import Query, Workspace
from quickdraw_bandits.interpolation.engines.tree.expansion import add_point, at_place, derivatives, n_terms
from quickdraw_bandits.interpolation.engines.tree.observation_trees import LEAF, ObservationTrees
from quickdraw_bandits.interpolation.engines.tree.refine import conclude, prepare
from quickdraw_bandits.interpolation.engines.tree.sums import (
    BATCH,
    LANES,
    LISTS_START,
    RECENT_START,
    ROOTS_START,
    accumulate,
    sum_list,
    sum_points,
)

KEYS = np.zeros(1, dtype=np.uint64)


def as_records(tables):
    """Return tables whose records have their fields as attributes, as in compiled code."""
    return type(tables)(
        *(one.view(np.recarray) if getattr(one, "dtype", None) and one.dtype.names else one for one in tables)
    )


class Setting:
    """One box at random among random observations, in scaled units."""

    def __init__(self, d, p, n, size, seed, gamma=1.0):
        self.random = random = np.random.default_rng(seed)
        self.rows = random.normal(size=(n, d + 2)) * 20 * random.random(d + 2)
        y = self.rows[:, -1]
        none = {"pulls": np.empty((d + 1, 0)), "pull_groups": np.empty((0, 2 * d + 3))}
        self.query = Query((0,) * d, 0.0, 0.0, 0.0, gamma, np.inf, p, y.min(), y.max(), 1e-3, **none)
        self.work = as_records(Workspace.allocate(d, 1, 5000, KEYS))
        self.box, self.scratch = self.work.boxes[0], self.work.scratch[0]
        self.centre, self.half = random.normal(size=d + 1) * 10, size * random.random(d + 1)
        self.centre[d] = self.half[d]  # from now on
        self.box.lower, self.box.upper = self.centre - self.half, self.centre + self.half
        self.box.centre_mean, self.box.width = random.normal(), np.inf
        self.box.strictness = self.box.fineness = 1.0
        self.until = 2 * self.half[d]

    def sum_trees(self, fold=None, use=None):
        trees = ObservationTrees(len(self.half))
        trees.add(self.rows)
        counters, lists = self.work.counters[0], self.work.lists
        counters.n_recent, counters.used = trees.n % LEAF, LISTS_START
        lists[RECENT_START : RECENT_START + counters.n_recent] = -1 - np.arange(counters.n_recent)
        roots = [(2 << level) + 1 for level in range(20) if trees.n // LEAF >> level & 1]
        lists[ROOTS_START : ROOTS_START + len(roots)] = roots
        counters.n_roots = len(roots)
        begin, length = prepare(self.query, self.work, 0, -1, self.until)
        if fold is not None:
            self.scratch.steep, self.scratch.fold, self.scratch.budget, self.scratch.use = 1.0, fold, 10 * fold, use
        with np.errstate(all="ignore"):
            assert sum_list(self.query, as_records(trees.trees), self.work, self.box, begin, length) == 0
        kept = lists[LISTS_START : counters.used]
        return sum(1 if item < 0 else int(trees.groups[item]["count"]) for item in kept)

    def precisions(self, step):
        return (1 + ((self.centre + step - self.rows[:, :-1]) ** 2).sum(axis=1)) ** -float(self.query.sharpness)


@settings(max_examples=25)
@given(st.integers(1, 3), st.integers(1, 3), st.sampled_from([0, 1, 15, 16, 17, BATCH]), st.integers(0, 2**32 - 1))
def test_a_batch_of_points_adds_up_what_each_of_them_adds(d, p, count, seed):
    # Far from the box, where all are expanded.
    setting = Setting(d, p, BATCH, 0.1, seed)
    setting.rows[:, :-1] += 200
    prepare(setting.query, setting.work, 0, -1, setting.until)
    listed = int(setting.random.integers(count + 1))
    setting.work.batch[0].points[:count] = -1 - np.arange(count)
    sum_points(setting.query, setting.rows, setting.work, setting.box, count, listed)
    accumulate(setting.work.batch[0], -(-count // LANES) * LANES, setting.box)
    expected = np.zeros(2 * n_terms(d + 1))
    for row in setting.rows[:count]:
        u = setting.centre - row[:-1]
        add_point(expected, u, row[-1] - setting.box.level, *derivatives(1 + u @ u, p))
    scale = np.abs(expected).max(initial=1e-300)
    np.testing.assert_allclose(setting.box.sums, expected, rtol=1e-9, atol=1e-12 * scale)
    np.testing.assert_array_equal(setting.work.lists[:listed], -1 - np.arange(listed))


@settings(max_examples=40)
@given(
    st.integers(1, 3),
    st.integers(1, 3),
    st.sampled_from([9, 45, 320]),
    st.sampled_from([0.1, 1.0, 10.0]),
    st.sampled_from([-1.0, 1e-3]),
    st.sampled_from([0.0, 1e-4, np.inf]),
    st.integers(0, 2**32 - 1),
)
def test_sums_over_trees_are_within_their_errors(d, p, n, size, fold, use, seed):
    setting = Setting(d, p, n, size, seed)
    listed = setting.sum_trees(fold, use)
    old = n - n % LEAF
    assert listed == old if fold < 0 else listed <= old
    box, level = setting.box, setting.box.level
    near, least, largest = (box[name][: box.n_near] for name in ("near_weight", "near_least", "near_largest"))
    least, largest = np.minimum(least - level, 0), np.maximum(largest - level, 0)
    e0, e1 = box.error0 + box.folded_error0, box.error1 + box.folded_error1
    total = box.sums + box.folded
    y = setting.rows[:, -1] - level
    for _ in range(5):
        step = setting.half * setting.random.uniform(-1, 1, d + 1)
        g = setting.precisions(step)
        s0, s1 = (at_place(total, which, step) for which in range(2))
        rounding = 1e-9 * g.sum()
        assert s0 - e0 - rounding <= g.sum() <= s0 + e0 + near.sum() + rounding
        rounding *= np.abs(y).max()
        assert s1 - e1 + near @ least - rounding <= g @ y <= s1 + e1 + near @ largest + rounding


@settings(max_examples=60)
@given(
    st.integers(1, 3),
    st.integers(1, 3),
    st.sampled_from([9, 60]),
    st.sampled_from([0.01, 0.3, 3.0]),
    st.sampled_from([0.0, 1.0, 30.0]),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_the_index_is_within_its_bounds_everywhere_in_a_box(d, p, n, size, gamma, known, seed):
    setting = Setting(d, p, n, size, seed, gamma)
    box, query = setting.box, setting.query
    # With and without an idea of S0 from earlier, which decides what may be folded.
    box.lowest = 1e-3 * setting.precisions(np.zeros(d + 1)).sum() if known else 0.0
    last, setting.rows = setting.rows[-1], setting.rows[:-1]
    setting.sum_trees()
    conclude(query, setting.work, box)
    # The last observation comes when the box stands already.
    learn(query, box, setting.scratch, last)
    bound_index(query, box, setting.scratch)
    setting.rows = np.concatenate([setting.rows, last[None]])
    assert box.low <= box.high
    for _ in range(10):
        step = setting.half * setting.random.uniform(-1, 1, d + 1)
        step[d] = -setting.half[d]
        g = setting.precisions(step)
        s0 = g.sum()
        index = g @ setting.rows[:, -1] / s0 + gamma * s0 ** (-0.5 / p)
        assert box.low - 1e-9 * (1 + abs(index)) <= index <= box.high + 1e-9 * (1 + abs(index))
        assert box.lowest <= s0 * (1 + 1e-9)


def test_where_precisions_vanish_nothing_is_known_of_the_index():
    """Also without exploration, where an infinite deviation must not become 0 · inf."""
    setting = Setting(1, 3, 8, 0.1, 0, gamma=0.0)
    setting.rows[:, :-1] += 1e80
    setting.sum_trees()
    with np.errstate(all="ignore"):
        conclude(setting.query, setting.work, setting.box)
    assert setting.box.low == -np.inf
    assert setting.box.high == np.inf
