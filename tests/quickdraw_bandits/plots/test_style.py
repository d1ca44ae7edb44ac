import sys

import pytest

from quickdraw_bandits import policies
from quickdraw_bandits.plots.style import _STYLES, require_matplotlib, style_of


def test_no_two_policies_look_the_same():
    assert set(_STYLES) <= set(policies.__all__)
    assert len({style.colour for style in _STYLES.values()}) == len(_STYLES)
    assert len({str(style.dashes) for style in _STYLES.values()}) == len(_STYLES)
    assert len({style.label for style in _STYLES.values()}) == len(_STYLES)


def test_unknown_policies_have_a_style_under_their_own_name():
    assert style_of("Mine").label == "Mine"
    assert style_of("Mine") == style_of("Mine")
    assert style_of("mine:Policy").label == "Policy (mine)"
    assert style_of("some.where:UCB1").label == "UCB1 (where)" != style_of("UCB1").label


def test_missing_matplotlib_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "quickdraw-bandits\[plots\]"'):
        require_matplotlib()
