import numpy as np
import pytest
from scipy import stats

from quickdraw_lab.statistics import mean_interval, share_interval


def test_equals_scipys_interval():
    values = np.random.default_rng(0).normal(size=12)
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    mean, low, high = mean_interval(values.tolist())
    assert mean == pytest.approx(values.mean())
    assert (low, high) == pytest.approx((expected.low, expected.high))


def test_one_value_has_no_interval():
    assert mean_interval([0.5]) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize(("hits", "n"), [(0, 7), (1, 7), (4, 9), (9, 9)])
def test_a_share_has_scipys_exact_interval(hits, n):
    expected = stats.binomtest(hits, n).proportion_ci(0.95, method="exact")
    assert share_interval(hits, n) == pytest.approx((hits / n, expected.low, expected.high))
