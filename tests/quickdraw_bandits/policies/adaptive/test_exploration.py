"""How far above the mean the index lies: against an integral, and where rewards leave little room."""

import math

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.policies.adaptive.exploration import MOST, exploration, reservation
from quickdraw_bandits.policies.adaptive.scales import Candidate


@pytest.mark.parametrize("rounds", [0.5, 6.0, 120.0, 1e4])
def test_looking_costs_as_much_as_it_gains(rounds):
    """An arm of which nothing is known has normal rewards; above z it is played for all the rounds."""
    z = reservation(rounds)
    values = np.linspace(-12, 12, 2_000_001)
    density = np.exp(-0.5 * values**2) / math.sqrt(2 * math.pi)
    gain = np.trapezoid(np.maximum(values - z, 0) * density, values)
    assert rounds * gain == pytest.approx(z, rel=1e-6)


@pytest.mark.parametrize(("age", "expected"), [(4.0, reservation(6.0)), (40.0, reservation(60.0)), (1e5, MOST)])
@pytest.mark.parametrize("family", ["medium", "smooth"])
def test_exploration_is_the_reservation_for_one_and_a_half_time_scales(family, age, expected):
    for room in (0.0, 1.0, 5.0):
        assert exploration(Candidate(family, 0.1, age, 0.3, 1), room) == expected


@pytest.mark.parametrize(("room", "part"), [(-2.0, 1 / 3), (1.0, 1 / 3), (1.5, 0.5), (2.7, 0.9), (3.0, 1.0), (9, 1.0)])
@pytest.mark.parametrize(("family", "share"), [("jagged", 0.0), ("rough", 0.0), ("smooth", 0.1)])
def test_near_the_largest_reward_less_is_explored(family, share, room, part):
    found = exploration(Candidate(family, 0.1, 40.0, 0.3, 1, share), room)
    assert found == pytest.approx(part * reservation(60.0))


def test_gamma_depends_on_the_largest_reward_less_the_level():
    """With scales for which it counts, and rewards between one and three deviations above their level."""
    policy, random = qd.AdaptiveQuickDraw(qd.Arms.grid(0, 1, 40), seed=0), np.random.default_rng(0)
    for k in range(60):
        arm = int(random.integers(40))
        policy.update(k, arm, abs(math.sin(arm * 1.7)) ** 0.5 + 0.01 * random.standard_normal())
    policy.select(60)
    belief, candidate = policy._model(60.0, 0), policy._tuner.candidate
    deviation = belief.unit * math.sqrt(belief.model.signal)
    room = (policy._pool.rewards.max() - belief.centre - belief.unit * belief.model.level) / deviation
    assert candidate.family in ("jagged", "rough") or candidate.share > 0
    assert 1.1 < room < 2.9
    usual = min(reservation(1.5 * candidate.age), 1.8)
    assert policy.scales.gamma == pytest.approx(usual * room / 3 * deviation, rel=1e-9)
