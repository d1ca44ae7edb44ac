"""Every policy, engine, metric and sharpness chooses as it did before."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("golden_games", HERE / "games.py")
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)

GAMES = dict(_module.games())
CHOICES = json.loads((HERE / "choices.json").read_text())
ROUNDING = {name: 1e-5 if name.startswith("AdaptiveQuickDraw Box") else 0.0 for name in GAMES}
"""How far a place may be from the recorded one: compiled code rounds differently from machine to machine."""


@pytest.mark.parametrize("name", GAMES)
def test_choices_are_those_recorded(name):
    np.testing.assert_allclose(GAMES[name](), CHOICES[name], rtol=0.0, atol=ROUNDING[name])


def test_every_recorded_game_is_played():
    assert CHOICES.keys() == GAMES.keys()
