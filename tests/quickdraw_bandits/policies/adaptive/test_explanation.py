"""Why an arm has its index: whose ages are told, and what is refused."""

import numpy as np
import pytest

import quickdraw_bandits as qd


def test_ages_are_true_whenever_asked():
    """Before the first choice, of a single observation, and across a pause of more steps than are told apart."""
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 30), seed=0)
    policy.update([0.0, 10.0, 50.0], [0, 10, 20], [1.0, 2.0, 3.0])
    why = policy.explain(60.0, 20)
    assert dict(zip(why.arms.tolist(), why.ages.tolist(), strict=True)) == {0: 60.0, 10: 50.0, 20: 10.0}
    np.testing.assert_array_equal(why.times, 60.0 - why.ages)
    policy.select(60.0)
    assert sorted(policy.explain(1e15, 20).times.tolist()) == [0.0, 10.0, 50.0]
    policy = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 30), seed=0)
    policy.update(3.0, 0, 1.0)
    policy.select(10.0)
    assert policy.explain(10.0, 0).ages.tolist() == [7.0]


@pytest.mark.parametrize("bad", [-1, 4, 1.5, None])
def test_explaining_an_arm_that_is_not_there_raises(bad):
    with pytest.raises(ValueError, match="arm must be an integer"):
        qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 4)).explain(0.0, bad)
