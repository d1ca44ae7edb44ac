"""Searches end: boxes are refined more strictly where splitting does not help, and no power of an age overflows."""

from types import SimpleNamespace

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.interpolation.engines.tree.search import demand


def test_a_leaf_whose_small_errors_together_are_too_large_is_refined_more_strictly():
    """Each error is below a quarter of the bounds' distance; a search that blames none of them would not end."""
    box = SimpleNamespace(
        coarseness=0.1, staleness=0.2, arm=3, fineness=1.0, strictness=1.0, stretched=0.0,
        patience=1.0, refined_width=1.0, refined_in=5,
    )  # fmt: skip
    answers = [demand(box, 1.0, 0.0) for _ in range(16)]
    assert answers[0] is False
    assert answers[-1] is True
    assert box.strictness < 1.0
    assert (box.refined_width, box.refined_in) == (0.0, -1)


@pytest.mark.parametrize("sharpness", [1, 2, 3])
@pytest.mark.parametrize("far", [1e76, 1e85, 1e300])
def test_searches_end_however_far_away_in_time(far, sharpness):
    """Powers of ages beyond the largest number kept bounds apart for ever, and boxes filled the memory."""
    random = np.random.default_rng(1)
    for arms in (qd.Arms.grid(0, 1, 30), qd.Box(0.0, 1.0)):
        policy = qd.QuickDraw(arms, sharpness=sharpness, engine="tree", seed=0)
        for _ in range(90):
            time = float(random.choice([-far, far]))
            arm = policy.select(time)
            policy.update(time, arm, float(np.sin(np.atleast_1d(arm)[0])))
        assert policy.n_observations == 90
