import numpy as np
import pytest

from quickdraw_bandits.plots.fields import paper_map
from quickdraw_lab.pictures import save


@pytest.fixture(autouse=True)
def all_colours():
    """Leave the reduction of colours as it is."""


def test_few_colours_are_nearly_all_of_a_colour_map(tmp_path):
    """A field with noise, where all colours are needed."""
    from matplotlib.figure import Figure
    from PIL import Image

    figure = Figure(figsize=(4, 3))
    field = np.linspace(0, 1, 300) + 0.1 * np.random.default_rng(0).normal(size=(300, 300))
    figure.subplots().imshow(field, cmap=paper_map(), aspect="auto")
    figure.savefig(tmp_path / "all.png", dpi=120)
    save(figure, tmp_path / "few.png", dpi=120)
    with Image.open(tmp_path / "all.png") as image, Image.open(tmp_path / "few.png") as few:
        assert few.mode == "P"
        assert few.info["dpi"] == image.info["dpi"]
        off = np.abs(np.asarray(image.convert("RGB")).astype(int) - np.asarray(few.convert("RGB")).astype(int))
    assert np.quantile(off, 0.999) <= 10  # of 255
    assert off.mean() < 0.5
    assert (tmp_path / "few.png").stat().st_size < 0.5 * (tmp_path / "all.png").stat().st_size
