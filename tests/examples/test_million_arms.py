import importlib.util
from pathlib import Path


def test_a_million_arms_are_played_well():
    path = Path(__file__).parents[2] / "examples" / "million_arms.py"
    spec = importlib.util.spec_from_file_location("million_arms", path)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    earned, at_random, _ = example.play(n_rounds=600)
    assert at_random < 0.6
    assert earned > 0.8
