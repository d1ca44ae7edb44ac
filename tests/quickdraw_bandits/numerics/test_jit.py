"""Compiled functions where nothing can be kept on disk."""

import os
import subprocess
import sys

import pytest

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
NOWHERE = "/dev/null/home"
"""A home folder that not even the superuser can make."""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no /dev/null to stand in the way of a home folder")
def test_functions_run_where_nothing_can_be_written_and_one_warning_says_so(tmp_path):
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    (tmp_path / "__pycache__").touch()  # a file in place of the folder: unlike permissions, it also stops the superuser
    environment = {**os.environ, "HOME": NOWHERE, "XDG_CACHE_HOME": NOWHERE, "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("NUMBA_CACHE_DIR", None)
    result = subprocess.run(
        [sys.executable, "-c", CALLS], env=environment, cwd=tmp_path, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    values, *warned = result.stdout.splitlines()
    assert values == "9.0 18.0 3.0"
    assert len(warned) == 1
    assert warned[0].startswith("RuntimeWarning ")
    assert "NUMBA_CACHE_DIR" in warned[0]


def test_other_errors_of_the_compiler_are_raised(monkeypatch):
    def fail(**options):
        raise RuntimeError("out of registers")

    monkeypatch.setattr(jit.numba, "njit", fail)
    with pytest.raises(RuntimeError, match="out of registers"):
        jit.compiled(abs)
