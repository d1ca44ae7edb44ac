import tomllib
from pathlib import Path
from typing import get_args

from quickdraw_bandits.extras import Extra


def test_every_extra_that_an_error_names_can_be_installed():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert set(get_args(Extra)) <= set(project["project"]["optional-dependencies"])
