"""Batches of observations and groups against sums written out in NumPy."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from quickdraw_bandits.interpolation import compiled_batch as batches
from quickdraw_bandits.interpolation import compiled_boxes as tables
from quickdraw_bandits.interpolation.compiled_evaluate import at_place
from quickdraw_bandits.interpolation.compiled_expansion import add_point, derivatives, n_terms
from quickdraw_bandits.interpolation.compiled_forest import LEAF
from quickdraw_bandits.interpolation.compiled_look import RECENT, sum_list
from quickdraw_bandits.interpolation.forest import Forest


class Tables:
    """One box, and what is needed to sum over it."""

    def __init__(self, d):
        self.d, self.full, self.terms = d, d + 1, n_terms(d + 1)
        self.boxes = np.zeros((1, tables.BOX_COLUMNS))
        self.links = np.zeros((1, tables.LINK_COLUMNS), dtype=np.int32)
        self.own, self.folded = np.zeros(2 * self.terms), np.zeros(2 * self.terms)
        self.close = np.zeros((1, tables.NEAR, 3))
        self.lists = np.zeros(5000, dtype=np.int32)
        self.stack = np.zeros(4096, dtype=np.int32)
        self.batch = np.full((d + 1 + batches.BATCH_ROWS, batches.BATCH), np.nan)
        self.pending = np.zeros((2, batches.BATCH), dtype=np.int32)
        self.u = np.zeros(d + 1)

    def sum_points(self, count, listed, rows, centre, h, p, level):
        self.pending[1, :count] = -1 - np.arange(count)
        radius = np.linalg.norm(h)
        return batches.add_points(
            (0,) * self.d, self.pending[1], count, listed, rows, centre, h, radius, radius**2, p, level, 1.0, -1.0, 0.0,
            0, self.boxes, self.links, self.folded, self.own, self.close, self.lists, 0, self.batch, self.u,
        )  # fmt: skip

    def sum_forest(self, forest, centre, h, p, level, fold, budget, use):
        roots = [(2 << k) + 1 for k in range(30) if forest.occupied >> k & 1]
        recent = forest.buffered
        begin = RECENT + recent
        self.lists[RECENT:begin] = -1 - np.arange(recent)
        self.lists[begin : begin + len(roots)] = roots
        start = begin + len(roots)
        radius = np.linalg.norm(h)
        seen, end = sum_list(
            (0,) * self.d, begin, len(roots), recent, forest.rows, forest.nodes, forest.first, centre, h, radius,
            radius**2, p, level, 1.0, fold, budget, use, 0, self.boxes, self.links, self.folded, self.own, self.close,
            self.lists, start, self.stack, self.batch, self.pending[0], self.pending[1], self.u,
        )  # fmt: skip
        return seen, self.lists[start:end]


def count_of(forest, item):
    """Return how many observations an entry of a list stands for."""
    return 1 if item < 0 else int(forest.nodes[item, 0])


@settings(max_examples=30, deadline=None)
@given(
    st.integers(1, 3), st.integers(1, 3), st.sampled_from([0, 1, 15, 16, 17, batches.BATCH]), st.integers(0, 2**32 - 1)
)
def test_a_batch_of_points_adds_up_what_each_of_them_adds(d, p, count, seed):
    random = np.random.default_rng(seed)
    rows = random.normal(size=(batches.BATCH, d + 2)) * 100
    centre, h, level = random.normal(size=d + 1), random.random(d + 1), random.normal()
    table = Tables(d)
    # Those that are near are handled one by one; here all are far.
    far = np.linalg.norm(rows[:, :-1] - centre, axis=1) > 4 * p * np.linalg.norm(h) + 1
    rows = np.concatenate([rows[far], np.full((batches.BATCH, d + 2), 1000.0)])
    listed = int(random.integers(count + 1))
    assert table.sum_points(count, listed, rows, centre, h, p, level) == listed
    expected = np.zeros(2 * table.terms)
    for row in rows[:count]:
        u = centre - row[:-1]
        add_point((0,) * d, expected, u, row[-1] - level, *derivatives(1 + u @ u, p))
    scale = np.abs(expected).max(initial=1e-300)
    np.testing.assert_allclose(table.own, expected, rtol=1e-9, atol=1e-12 * scale)
    np.testing.assert_array_equal(table.lists[:listed], -1 - np.arange(listed))


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 3),
    st.integers(1, 3),
    st.sampled_from([1, 5, 40, 77]),
    st.sampled_from([0.1, 1.0, 10.0]),
    st.sampled_from([-1.0, 1e-3]),
    st.sampled_from([0.0, 1e-4, np.inf]),
    st.integers(0, 2**32 - 1),
)
def test_sums_over_a_forest_are_within_their_errors(d, p, leaves, size, fold, use, seed):
    random = np.random.default_rng(seed)
    forest = Forest(d + 1)
    rows = random.normal(size=(leaves * LEAF + random.integers(LEAF), d + 2)) * 20 * random.random(d + 2)
    forest.add(rows)
    centre, h, level = random.normal(size=d + 1) * 10, size * random.random(d + 1), random.normal()
    table = Tables(d)
    seen, kept = table.sum_forest(forest, centre, h, p, level, fold, 10 * fold, use)
    assert seen >= len(kept) > 0 or fold > 0
    listed = sum(count_of(forest, item) for item in kept)
    old = len(rows) - forest.buffered
    assert listed == old if fold < 0 else listed <= old
    near = table.close[0, : table.links[0, tables.CLOSE]]
    boxes = table.boxes[0]
    e0, e1 = boxes[tables.E0] + boxes[tables.FOLDED0], boxes[tables.E1] + boxes[tables.FOLDED1]
    least, largest = np.minimum(near[:, 1] - level, 0), np.maximum(near[:, 2] - level, 0)
    total = table.own + table.folded
    for _ in range(5):
        step = h * random.uniform(-1, 1, d + 1)
        g = (1 + ((centre + step - rows[:, :-1]) ** 2).sum(axis=1)) ** -p
        s0, s1 = (at_place((0,) * d, total, which, step) for which in range(2))
        rounding = 1e-9 * g.sum()
        assert s0 - e0 - rounding <= g.sum() <= s0 + e0 + near[:, 0].sum() + rounding
        exact = g @ (rows[:, -1] - level)
        rounding *= np.abs(rows[:, -1] - level).max()
        assert s1 - e1 + near[:, 0] @ least - rounding <= exact <= s1 + e1 + near[:, 0] @ largest + rounding
