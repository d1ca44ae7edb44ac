"""Subsets in three forms give the same answers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.arms.subset import Subset, remembered


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
        masked = form.without(np.arange(n) == gone)
        np.testing.assert_array_equal(masked.mask, mask & (np.arange(n) != gone))


ARMS = Arms.grid(0, 1, 6)
FORMS = [
    [1, 4],
    (1, 4),
    range(1, 5, 3),
    np.array([4, 1]),
    np.array([1, 4], dtype=np.int32),
    np.array([False, True, False, False, True, False]),
    [False, True, False, False, True, False],
    [1, True, 4],
]


@given(st.lists(st.sampled_from(FORMS), min_size=2, max_size=6), st.booleans())
def test_what_was_asked_for_before_is_what_a_check_finds(asked, with_retired):
    retired = np.arange(6) == 4 if with_retired else None
    last = None
    for among in asked:
        last = remembered(last, among, ARMS, retired)
        assert last.subset.positions.tolist() == ([1] if with_retired else [1, 4])
        assert last.subset.mask.tolist() == [False, True, False, False, not with_retired, False]


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64])
def test_positions_of_any_size_need_no_check_again(kind):
    last = remembered(None, np.array([1, 4], dtype=kind), ARMS, None)
    assert remembered(last, np.array([1, 4], dtype=kind), ARMS, None) is last
    assert remembered(last, np.array([1, 5], dtype=kind), ARMS, None).subset.positions.tolist() == [1, 5]


@pytest.mark.parametrize("among", [range(7), range(-1, 3), range(10**30), range(2**63 - 1), range(5, -2, -1)])
def test_a_range_beyond_the_arms_is_refused_at_once(among):
    with pytest.raises(ValueError, match="among must be from 0 to 5, got"):
        remembered(None, among, ARMS, None)


def test_a_range_is_its_positions():
    assert remembered(None, range(5, -1, -2), ARMS, None).subset.positions.tolist() == [1, 3, 5]
    with pytest.raises(ValueError, match="at least one arm"):
        remembered(None, range(3, 3), ARMS, None)


def test_what_the_caller_changes_afterwards_is_not_remembered():
    for asked, changed in ((np.array([1, 4]), np.array([2, 3])), (FORMS[5].copy(), np.arange(6) == 3)):
        before = asked.copy()
        last = remembered(None, asked, ARMS, None)
        asked[:] = changed
        assert remembered(last, before, ARMS, None).subset.positions.tolist() == [1, 4]
        expected = Subset.checked(changed, 6).positions
        np.testing.assert_array_equal(remembered(last, asked, ARMS, None).subset.positions, expected)


@pytest.mark.parametrize("wrong", [[1.5, 2], [1, 2.5], [0, 9], [2**70], [-1], [], [[1], [2]], [1, "b"], [1, None]])
def test_what_is_wrong_is_refused_whatever_was_asked_before(wrong):
    last = remembered(None, [1, 4], ARMS, None)
    with pytest.raises(ValueError, match="among"):
        remembered(last, wrong, ARMS, None)


def test_more_arms_and_retired_ones_are_noticed():
    last = remembered(None, [1, 4], ARMS, None)
    assert remembered(last, [1, 4], ARMS.extended([[2.0]]), None).subset.n_arms == 7
    retired = np.arange(6) == 1
    last = remembered(last, [1, 4], ARMS, retired)
    assert last.subset.positions.tolist() == [4]
    with pytest.raises(ValueError, match="retired"):
        remembered(last, [1, 4], ARMS, retired | (np.arange(6) == 4))
