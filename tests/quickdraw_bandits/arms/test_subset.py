"""Subsets in three forms give the same answers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quickdraw_bandits.arms.subset import Subset


@given(st.lists(st.booleans(), min_size=1, max_size=12), st.data())
def test_all_forms_agree(flags, data):
    mask = np.array(flags)
    n = len(mask)
    forms = [
        Subset(n, mask=mask),
        Subset(n, positions=np.flatnonzero(mask)),
        Subset(n, excluded=np.flatnonzero(~mask)),
    ]
    begin = data.draw(st.integers(0, n))
    end = data.draw(st.integers(begin, n))
    gone = data.draw(st.integers(0, n - 1))
    for form in forms:
        assert len(form) == mask.sum()
        assert [form.has(arm) for arm in range(n)] == flags
        assert [form.number(rank) for rank in range(len(form))] == np.flatnonzero(mask).tolist()
        np.testing.assert_array_equal(form.part(begin, end).mask, mask[begin:end])
        less = form.without(np.array([gone]))
        np.testing.assert_array_equal(less.mask, mask & (np.arange(n) != gone))
        np.testing.assert_array_equal(form.positions, np.flatnonzero(mask))
