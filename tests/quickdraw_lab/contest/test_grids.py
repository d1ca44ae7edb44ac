import pytest

import quickdraw_bandits as qd
from quickdraw_lab.contest.grids import GRIDS, ORACLES, grid_of, settings_of
from quickdraw_lab.players.built_in import known_policies

ARMS = qd.Arms.grid(-1, 1, 20)
BUDGET = 9


def test_every_policy_of_the_package_has_a_grid_or_knows_the_field():
    assert set(GRIDS) | set(ORACLES) >= set(known_policies())


@pytest.mark.parametrize("policy", sorted(set(known_policies()) & set(GRIDS)))
def test_settings_are_the_defaults_first_and_all_different_and_can_be_built(policy):
    settings = settings_of(policy, len(grid_of(policy)))
    assert settings[0] == ()
    assert len(set(settings)) == len(settings)
    for setting in settings:
        known_policies()[policy](ARMS, **dict(setting), seed=0)


def test_a_budget_takes_the_first_ones():
    assert settings_of("QuickDraw", 3) == settings_of("QuickDraw", 9)[:3]
    assert len(settings_of("QuickDraw", BUDGET)) == BUDGET
