"""One style for all figures: a policy has the same colour, line and name everywhere."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quickdraw_lab.extras import missing_extra
from quickdraw_lab.files import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Style:
    """How a policy is drawn. Dashes differ too, so that lines can be told apart without colour."""

    colour: str
    dashes: str | tuple[float, tuple[float, ...]]
    label: str


# The first ones are the palette of Okabe and Ito, which colour-blind readers can tell apart.
_STYLES = {
    "QuickDraw": Style("#D55E00", "solid", "Quick-Draw"),
    "SlidingGPUCB": Style("#0072B2", (0, (5, 1.5)), "SW-GP-UCB"),
    "Restless": Style("#009E73", (0, (5, 1.5, 1, 1.5)), "Restless"),
    "SlidingEpsilonGreedy": Style("#E69F00", (0, (2.5, 1.2)), "SW-ε-greedy"),
    "Random": Style("#CC79A7", (0, (1, 1.2)), "Random"),
    "AdaptiveQuickDraw": Style("#882255", (0, (8, 1.5)), "Adaptive Quick-Draw"),
    "TimeVaryingGPUCB": Style("#1A5E8A", (0, (7, 2)), "TV-GP-UCB"),
    "WeightedGPUCB": Style("#7B68A6", (0, (3, 1.5)), "WGP-UCB"),
    "SpaceTimeGPUCB": Style("#222222", (0, (1, 1)), "Space-time GP-UCB"),
    "GPUCB": Style("#332288", (0, (5, 3)), "GP-UCB"),
    "DiscountedUCB": Style("#56B4E9", (0, (4, 1.5, 1, 1.5, 1, 1.5)), "Discounted UCB"),
    "SlidingUCB": Style("#117733", (0, (1, 2.5)), "Sliding UCB"),
    "ExploreFirst": Style("#999933", (0, (6, 2)), "Explore-first"),
    "EpsilonGreedy": Style("#B8860B", (0, (2, 2)), "ε-greedy"),
    "UCB1": Style("#44AA99", (0, (1, 1.8)), "UCB1"),
    "ThompsonSampling": Style("#AA4499", (0, (6, 1.5, 1, 1.5)), "Thompson sampling"),
    "Softmax": Style("#DDAA33", (0, (3, 1)), "Softmax"),
    "Zooming": Style("#6699CC", (0, (4, 1, 1, 1)), "Zooming"),
    "HOO": Style("#004488", (0, (2, 1, 1, 1)), "HOO"),
    "BanditConvex": Style("#994455", (0, (7, 2, 2, 2)), "Bandit convex"),
    "DiscountedLinUCB": Style("#666666", (0, (6, 1, 1, 1, 1, 1)), "Discounted LinUCB"),
    "RestartedLinUCB": Style("#AAAAAA", (0, (1.5, 3)), "Restarted LinUCB"),
}
_OTHERS = ("#000000", "#56B4E9", "#882255", "#117733", "#999933")

SETTINGS: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "axes.edgecolor": "#444444",
    "axes.labelcolor": "#222222",
    "xtick.color": "#444444",
    "ytick.color": "#444444",
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
}


def style_of(policy: str) -> Style:
    """Return how a policy is drawn. Unknown policies get a colour that depends on their name only.

    The label of a policy from elsewhere includes its module, as a built-in policy may have the same name.

    Examples
    --------
    >>> style_of("QuickDraw").label
    'Quick-Draw'
    >>> style_of("benchmarks.rivals.mabwiser:UCB1").label
    'UCB1 (mabwiser)'
    """
    if policy in _STYLES:
        return _STYLES[policy]
    module, colon, name = policy.rpartition(":")
    label = f"{name} ({module.rpartition('.')[2]})" if colon else policy
    return Style(_OTHERS[sum(policy.encode()) % len(_OTHERS)], (0, (3, 1, 1, 1)), label)


@contextmanager
def drawing() -> Iterator[None]:
    """Apply the style while something is drawn."""
    require_matplotlib()
    import matplotlib

    with matplotlib.rc_context(SETTINGS):
        yield


def have_matplotlib() -> bool:
    """Return whether Matplotlib is installed."""
    return find_spec("matplotlib") is not None


def require_matplotlib() -> None:
    """Raise an error that says what to install if Matplotlib cannot be imported."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise missing_extra("figures", "matplotlib", "plots") from error


def save(figure: "Figure", path: Path, dpi: int = 150) -> None:
    """Write a figure; the file is complete or not there at all."""
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=dpi)


def save_both(figure: "Figure", folder: Path, name: str, dpi: int = 150) -> list[str]:
    """Write a figure as PNG and as SVG, and return the names of the files."""
    names = [f"{name}.png", f"{name}.svg"]
    for each in names:
        save(figure, folder / each, dpi)
    return names


def reduce_colours(picture: Path) -> None:
    """Reduce a PNG to a palette of 256 colours, a third of the size.

    For figures with one colour map, where the difference is invisible. Without dithering, which would look like noise.
    """
    from PIL import Image  # comes with matplotlib

    with Image.open(picture) as image, replacing(picture) as temporary:
        few = image.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=3, dither=Image.Dither.NONE)
        few.save(temporary, format="PNG", optimize=True, dpi=image.info["dpi"])
