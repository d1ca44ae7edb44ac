"""What is installed works: the core alone, and each extra alone, on the Python that runs the tests."""

import tarfile
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SMOKE = Path(__file__).with_name("smoke.py")
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.mark.slow  # compiles what a policy needs
@pytest.mark.parametrize("extra", ["core", *EXTRAS])
def test_an_extra_alone_is_enough_for_what_it_is_made_for(extra, fresh):
    environment = fresh(*([] if extra == "core" else [extra]))
    done = environment.run("-P", str(SMOKE), extra)
    assert done.returncode == 0, f"with {sorted(environment.libraries)}:\n{done.stdout}{done.stderr}"
    assert done.stdout.splitlines()[-1] == f"{extra}: works"


def test_the_core_needs_numpy_and_numba_and_what_numba_needs(fresh):
    assert fresh().libraries == {"numpy", "numba", "llvmlite"}


def test_the_sdist_holds_what_the_wheel_is_built_from_and_no_more(sdist_file):
    with tarfile.open(sdist_file) as opened:
        names = {name.split("/", 1)[1] for name in opened.getnames()}
    packages = {str(path.relative_to(ROOT)) for path in (ROOT / "src").rglob("*.py")}
    assert packages | {"README.md", "LICENSE", "CHANGELOG.md", "pyproject.toml"} <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith(("tests", "docs", "benchmarks"))]
