import numpy as np
import pytest
from scipy import stats

from quickdraw_bandits.experiments.statistics import mean_interval


def test_equals_scipys_interval():
    values = np.random.default_rng(0).normal(size=12)
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    mean, low, high = mean_interval(values.tolist())
    assert mean == pytest.approx(values.mean())
    assert (low, high) == pytest.approx((expected.low, expected.high))


def test_one_value_has_no_interval():
    assert mean_interval([0.5]) == (0.5, 0.5, 0.5)
