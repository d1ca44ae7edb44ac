"""One build of the site for all tests."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Return the folder of the site, built strictly; tutorials are run by their own test."""
    folder = tmp_path_factory.mktemp("site")
    environment = {**os.environ, "QUICKDRAW_RUN_TUTORIALS": "false", "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    built = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder
