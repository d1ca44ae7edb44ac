"""What is built and installed."""

import re
import tomllib
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

import quickdraw_bandits as qd

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES = ("quickdraw_bandits", "quickdraw_cli", "quickdraw_lab", "quickdraw_service")


@pytest.fixture(scope="module")
def wheel(wheel_file):
    with zipfile.ZipFile(wheel_file) as opened:
        yield opened


@pytest.fixture(scope="module")
def metadata(wheel):
    name = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return message_from_string(wheel.read(name).decode())


def test_every_package_is_in_the_wheel_and_marked_as_typed(wheel):
    names = wheel.namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == set(PACKAGES)
    for package in PACKAGES:
        assert f"{package}/py.typed" in names
        sources = (path.relative_to(ROOT / "src") for path in (ROOT / "src" / package).rglob("*.py"))
        assert {str(path) for path in sources} <= set(names)


def test_the_wheel_has_the_version_of_the_library(metadata):
    assert metadata["Version"] == qd.__version__


def test_data_in_the_wheel_have_their_licences_and_notices(wheel, metadata):
    assert metadata["License-Expression"] == "Apache-2.0 AND MIT"
    named = set(metadata.get_all("License-File"))
    for folder in ("quickdraw_bandits/datasets/open_bandit_sample", "quickdraw_bandits/environments/highway_speed"):
        for name in ("LICENSE", "NOTICE"):
            assert f"{folder}/{name}" in wheel.namelist()
            assert f"src/{folder}/{name}" in named


def requirements(metadata, extra):
    """Return the libraries that an extra adds."""
    lines = metadata.get_all("Requires-Dist")
    return {re.split(r"[><=;]", line)[0].strip() for line in lines if f"extra == '{extra}'" in line}


def test_the_large_extras_hold_the_small_ones(metadata):
    small = ("fields", "gaussian-processes", "parquet", "plots", "tables", "terminal")
    assert requirements(metadata, "lab") == {"jinja2", "scipy"}.union(
        *(requirements(metadata, extra) for extra in small)
    )
    assert requirements(metadata, "all") == requirements(metadata, "lab") | requirements(metadata, "service")
    assert "ray" not in requirements(metadata, "all")


def pins(name):
    """Return the lines of a lock file that say which version, all with hashes and none with an index."""
    lock = (ROOT / name).read_text()
    assert "://" not in lock
    assert not re.search(r"^\s*--(?!hash=sha256:)", lock, re.MULTILINE)
    return set(re.findall(r"^([a-z0-9-]+==[^ ;\n]*)[^\n]*\\\n    --hash=sha256:", lock, re.MULTILINE))


def test_the_demo_has_the_versions_that_are_tested():
    lab = pins("requirements-demo.lock")
    assert {"numba", "matplotlib", "polars"} <= {line.partition("==")[0] for line in lab}
    assert lab < pins("requirements.lock")


def test_the_lock_file_pins_every_library_and_names_no_index():
    pinned = {line.partition("==")[0] for line in pins("requirements.lock")}
    wanted = [*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["dev"]]
    for extra in PROJECT["project"]["optional-dependencies"].values():
        wanted += extra
    names = {re.match(r"[A-Za-z0-9-]+", line)[0].lower() for line in wanted} - {"quickdraw-bandits"}
    assert names <= pinned


def test_the_page_on_dependencies_names_every_library():
    page = re.sub(r"[\s-]", "", (ROOT / "docs/dependencies.md").read_text().lower())
    wanted = [*PROJECT["project"]["dependencies"]]
    for libraries in (*PROJECT["project"]["optional-dependencies"].values(), *PROJECT["dependency-groups"].values()):
        wanted += libraries
    names = {re.match(r"[A-Za-z0-9-]+", line)[0].lower().removesuffix("-python").replace("-", "") for line in wanted}
    assert not {name for name in names - {"quickdrawbandits"} if name not in page}
