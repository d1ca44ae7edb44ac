"""Pictures in files: small, and complete or not there at all."""

from pathlib import Path
from typing import TYPE_CHECKING

from quickdraw_lab.files import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def save(figure: "Figure", path: Path, dpi: int = 150) -> None:
    """Write a figure. A PNG is reduced to 256 colours, half the size or less."""
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=dpi)
    if path.suffix == ".png":
        reduce_colours(path)


def save_both(figure: "Figure", folder: Path, name: str, dpi: int = 150) -> list[str]:
    """Write a figure as PNG and as SVG, and return the names of the files."""
    names = [f"{name}.png", f"{name}.svg"]
    for each in names:
        save(figure, folder / each, dpi)
    return names


def reduce_colours(picture: Path) -> None:
    """Reduce a PNG to a palette of 256 colours: those that cover most of it, so that a field keeps its smooth shades.

    Without dithering, which would look like noise.
    """
    from PIL import Image  # comes with matplotlib

    with Image.open(picture) as image, replacing(picture) as temporary:
        few = image.convert("RGB").quantize(256, Image.Quantize.MEDIANCUT, kmeans=3, dither=Image.Dither.NONE)
        few.save(temporary, format="PNG", optimize=True, dpi=image.info["dpi"])
