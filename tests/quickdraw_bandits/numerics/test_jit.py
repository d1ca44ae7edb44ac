"""Compiled functions where nothing can be kept on disk."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.numerics import jit

FUNCTIONS = """
from quickdraw_bandits.numerics.jit import compiled, finite, in_order

@in_order
def add(x, y):
    return x + y

@compiled
def multiply(x, y):
    return x * y

@finite
def subtract(x, y):
    return x - y
"""
CALLS = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from functions import add, multiply, subtract
    print(*(function(6.0, 3.0) for function in (add, multiply, subtract)))
for warning in caught:
    print(warning.category.__name__, warning.message)
"""
CHOICES = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import quickdraw_bandits as qd
    arms = qd.Arms.grid(0, 1, 9)
    policies = qd.QuickDraw(arms, seed=0), qd.AdaptiveQuickDraw(arms, seed=0)
    for policy in policies:
        policy.update([0.0, 0.1], [2, 8], [0.4, 0.1])
    print(qd.__file__, *(policy.select(0.2) for policy in policies))
for warning in caught:
    print(warning.category.__name__, warning.message)
"""
NOWHERE = "/dev/null/home"
"""A home folder that not even the superuser can make."""

no_windows = pytest.mark.skipif(sys.platform == "win32", reason="there is no /dev/null to stand in the way")


def run_without_cache(code, folder, **variables):
    """Run a program in a folder whose modules cannot keep compiled code; return its first line and its warnings.

    A file stands where each cache folder would be: unlike permissions, that also stops the superuser.
    """
    for each in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        (each / "__pycache__").touch()
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment |= {"HOME": NOWHERE, "XDG_CACHE_HOME": NOWHERE, "PYTHONDONTWRITEBYTECODE": "1", **variables}
    result = subprocess.run([sys.executable, "-c", code], env=environment, cwd=folder, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    first, *warned = result.stdout.splitlines()
    return first, warned


@no_windows
def test_functions_run_where_nothing_can_be_written_and_one_warning_says_so(tmp_path):
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    values, warned = run_without_cache(CALLS, tmp_path)
    assert values == "9.0 18.0 3.0"
    assert len(warned) == 1
    assert warned[0].startswith("RuntimeWarning ")
    assert "NUMBA_CACHE_DIR" in warned[0]


@pytest.mark.slow
@no_windows
def test_policies_choose_where_nothing_can_be_written_and_one_warning_says_so(tmp_path):
    package = Path(qd.__file__).parent
    copy = tmp_path / "quickdraw_bandits"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__", "open_bandit_sample"))
    # Without optimisation, compiling takes a fraction of the time, and whether it works is the same.
    chosen, warned = run_without_cache(CHOICES, tmp_path, PYTHONPATH=str(tmp_path), NUMBA_OPT="0")
    source, *arms = chosen.split()
    assert Path(source).parent == copy
    assert all(int(arm) in range(9) for arm in arms)
    assert len(arms) == 2
    assert len(warned) == 1
    assert "NUMBA_CACHE_DIR" in warned[0]


def test_other_errors_of_the_compiler_are_raised(monkeypatch):
    def fail(**options):
        raise RuntimeError("out of registers")

    monkeypatch.setattr(jit.numba, "njit", fail)
    with pytest.raises(RuntimeError, match="out of registers"):
        jit.compiled(abs)
