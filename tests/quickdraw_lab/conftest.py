"""Pictures keep their colours: to find the best 256 of each takes half a second, and has a test of its own."""

import pytest


@pytest.fixture(autouse=True)
def all_colours(monkeypatch):
    monkeypatch.setattr("quickdraw_lab.pictures.reduce_colours", lambda picture: None)
