import sys

import numpy as np
import pytest

from quickdraw_lab.plots.fields import paper_map
from quickdraw_lab.plots.style import _STYLES, reduce_colours, require_matplotlib, save, style_of
from quickdraw_lab.policies.built_in import PAPER


def test_no_two_policies_look_the_same():
    assert set(PAPER) <= set(_STYLES)
    assert len({style.colour for style in _STYLES.values()}) == len(_STYLES)
    assert len({str(style.dashes) for style in _STYLES.values()}) == len(_STYLES)
    assert len({style.label for style in _STYLES.values()}) == len(_STYLES)


def test_unknown_policies_have_a_style_under_their_own_name():
    assert style_of("Mine").label == "Mine"
    assert style_of("Mine") == style_of("Mine")
    assert style_of("mine:Policy").label == "Policy (mine)"
    assert style_of("some.where:UCB1").label == "UCB1 (where)" != style_of("UCB1").label


def test_missing_matplotlib_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "quickdraw-bandits\[plots\]"'):
        require_matplotlib()


def test_few_colours_are_nearly_all_of_a_colour_map(tmp_path):
    """A field with noise, where all colours are needed."""
    from matplotlib.figure import Figure
    from PIL import Image

    figure = Figure(figsize=(4, 3))
    field = np.linspace(0, 1, 300) + 0.1 * np.random.default_rng(0).normal(size=(300, 300))
    figure.subplots().imshow(field, cmap=paper_map(), aspect="auto")
    for name in ("all.png", "few.png"):
        save(figure, tmp_path / name, dpi=120)
    reduce_colours(tmp_path / "few.png")
    with Image.open(tmp_path / "all.png") as image, Image.open(tmp_path / "few.png") as few:
        assert few.mode == "P"
        assert few.info["dpi"] == image.info["dpi"]
        off = np.abs(np.asarray(image.convert("RGB")).astype(int) - np.asarray(few.convert("RGB")).astype(int))
    assert off.max() <= 5  # of 255
    assert off.mean() < 0.5
    assert (tmp_path / "few.png").stat().st_size < 0.4 * (tmp_path / "all.png").stat().st_size
