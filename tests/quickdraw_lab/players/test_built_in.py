import pytest

import quickdraw_bandits as qd
from quickdraw_lab.players.built_in import find_policies, known_policies


def test_knows_every_policy_but_the_abstract_one():
    known = known_policies()
    assert known["QuickDraw"] is qd.QuickDraw
    assert known["Random"] is qd.policies.Random
    assert "Policy" not in known


def test_finds_by_name_in_the_order_given():
    assert find_policies(["RANDOM", "quickdraw", "Random"]) == [qd.policies.Random, qd.QuickDraw]


def test_unknown_names_list_the_known_ones():
    with pytest.raises(ValueError, match=r"there is no policy 'Rndom'; known policies are .*QuickDraw, .*Random"):
        find_policies(["QuickDraw", "Rndom"])
