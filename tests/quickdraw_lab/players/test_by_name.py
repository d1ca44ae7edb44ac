import sys

import pytest

from quickdraw_bandits.policies import QuickDraw
from quickdraw_lab.players.by_name import load_policy, source_of

GOOD = """
class Good:
    def __init__(self, arms, seed): pass
    def select(self, time): return 0
    def update(self, time, arm, reward): pass
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path / "module_of_mine.py"
    sys.modules.pop("module_of_mine", None)


def test_finds_built_in_and_own(module):
    module.write_text(GOOD)
    assert load_policy("QuickDraw") is QuickDraw
    assert load_policy("module_of_mine:Good").__name__ == "Good"


def test_another_text_is_another_source(module):
    module.write_text(GOOD)
    before = source_of("module_of_mine:Good")
    assert source_of("module_of_mine:Good") == before
    module.write_text(GOOD.replace("return 0", "return 1"))
    assert source_of("module_of_mine:Good") != before


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("module_of_mine:", GOOD, "policy must be module:Class, got 'module_of_mine:'"),
        ("no_such_module:Good", GOOD, "importing no_such_module failed: No module named 'no_such_module'"),
        ("module_of_mine:Bad", GOOD, "module_of_mine has no Bad"),
        ("module_of_mine:Bad", "class Bad: pass", "must be a class with the methods select and update"),
        ("module_of_mine:Bad", "raise SystemExit", "importing module_of_mine failed: it exits"),
        ("QuickDraw,Random", "", "policy must be one name, got 'QuickDraw,Random'"),
        (",", "", "policy must be one name, got ','"),
        ("module_of_mine:Bad", "1 / 0", "importing module_of_mine failed: division by zero"),
    ],
)
def test_refuses(module, name, text, message):
    module.write_text(text)
    with pytest.raises(ValueError, match=message):
        load_policy(name)
