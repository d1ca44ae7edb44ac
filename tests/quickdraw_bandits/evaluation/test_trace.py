import dataclasses

import numpy as np
import pytest

from quickdraw_bandits import Trace


def test_means_leave_out_the_warmup():
    trace = Trace(
        policy="P",
        times=np.arange(4.0),
        arms=np.array([0, 1, 2, 3]),
        rewards=np.array([9.0, 9.0, 1.0, 2.0]),
        regret=np.array([8.0, 8.0, 0.25, 0.5]),
        warmup=2,
        choice_seconds=np.array([0.1, 0.3]),
    )
    assert trace.reward_per_round == 1.5
    assert trace.regret_per_round == 0.375
    assert trace.seconds_per_choice == pytest.approx(0.2)
    assert repr(trace) == "Trace(P, 4 rounds, regret_per_round=0.375)"
    with pytest.raises(dataclasses.FrozenInstanceError):
        trace.warmup = 3
