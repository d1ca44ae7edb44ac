import re

import numpy as np
import pytest

import quickdraw_bandits as qd

ARMS = qd.Arms.grid(-1, 1, 5)
LINE, PLANE = qd.Box(0.0, 1.0), qd.Box([0.0, 0.0], [1.0, 1.0])
TOGETHER = "time, arm and reward must be all scalars or all arrays, got "


@pytest.mark.parametrize(
    ("arms", "observation", "message"),
    [
        (ARMS, (1.0, 3, [0.5]), TOGETHER + "time = 1.0, arm = 3, reward of the shape (1,)"),
        (ARMS, ([1.0], 3, [0.5]), TOGETHER + "time of the shape (1,), arm = 3, reward of the shape (1,)"),
        (
            ARMS,
            (np.zeros((2, 3)), [3], 0.5),
            TOGETHER + "time of the shape (2, 3), arm of the shape (1,), reward = 0.5",
        ),
        (ARMS, ([1.0, [2.0]], [3, 4], 0.5), TOGETHER + "time of the shape (2,), arm of the shape (2,), reward = 0.5"),
        (ARMS, ([1.0, [2.0]], [3, 4], [0.5, 0.5]), "time must hold numbers, got list"),
        (ARMS, (["1"], [3], [0.5]), "time must hold numbers, got list"),
        (LINE, (1.0, 0.3, [0.5]), "time and reward must be all scalars or all arrays, got time = 1.0, reward of the"),
        (
            PLANE,
            ([1.0], [[0.1, 0.1]], 0.5),
            "time and reward must be all scalars or all arrays, got time of the shape (1",
        ),
        (PLANE, ([1.0], [0.1, 0.1], [0.5]), "arm must have the shape (n, 2), got (2,)"),
    ],
)
def test_says_which_observations_do_not_go_together(arms, observation, message):
    policy = qd.QuickDraw(arms)
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        policy.update(*observation)
    assert policy.n_observations == 0
