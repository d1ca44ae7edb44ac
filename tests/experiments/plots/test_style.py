import sys

import pytest

from quickdraw_bandits.experiments.known_policies import PAPER
from quickdraw_bandits.experiments.plots.style import _LOOKS, look_of, require_matplotlib


def test_no_two_policies_look_the_same():
    assert set(PAPER) <= set(_LOOKS)
    assert len({look.colour for look in _LOOKS.values()}) == len(_LOOKS)
    assert len({str(look.dashes) for look in _LOOKS.values()}) == len(_LOOKS)
    assert len({look.label for look in _LOOKS.values()}) == len(_LOOKS)


def test_unknown_policies_have_a_look_of_their_own_name():
    assert look_of("Mine").label == "Mine"
    assert look_of("Mine") == look_of("Mine")
    assert look_of("mine:Policy").label == "Policy (mine)"
    assert look_of("some.where:UCB1").label == "UCB1 (where)" != look_of("UCB1").label


def test_missing_matplotlib_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "quickdraw-bandits\[plots\]"'):
        require_matplotlib()
