"""Every command runs in an empty folder."""

import sys

import pytest


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.fixture(autouse=True)
def all_colours(monkeypatch):
    """To find the best 256 colours of a picture takes half a second, and has a test of its own."""
    monkeypatch.setattr("quickdraw_lab.pictures.reduce_colours", lambda picture: None)
