"""One look for all figures: the same colour, line and name for a policy everywhere."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quickdraw_lab.files import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Look:
    """How a policy is drawn. Lines also differ in their dashes, to be told apart without colour."""

    colour: str
    dashes: Any
    label: str


# Okabe and Ito's colours, which most colour-blind readers can tell apart.
_LOOKS = {
    "QuickDraw": Look("#D55E00", "solid", "Quick-Draw"),
    "SlidingGPUCB": Look("#0072B2", (0, (5, 1.5)), "SW-GP-UCB"),
    "Restless": Look("#009E73", (0, (5, 1.5, 1, 1.5)), "Restless"),
    "SlidingEpsilonGreedy": Look("#E69F00", (0, (2.5, 1.2)), "SW-ε-greedy"),
    "Random": Look("#CC79A7", (0, (1, 1.2)), "Random"),
    "AdaptiveQuickDraw": Look("#882255", (0, (8, 1.5)), "Adaptive Quick-Draw"),
    "TimeVaryingGPUCB": Look("#1A5E8A", (0, (7, 2)), "TV-GP-UCB"),
    "WeightedGPUCB": Look("#7B68A6", (0, (3, 1.5)), "WGP-UCB"),
    "SpaceTimeGPUCB": Look("#222222", (0, (1, 1)), "Space-time GP-UCB"),
    "GPUCB": Look("#332288", (0, (5, 3)), "GP-UCB"),
    "DiscountedUCB": Look("#56B4E9", (0, (4, 1.5, 1, 1.5, 1, 1.5)), "Discounted UCB"),
    "SlidingUCB": Look("#117733", (0, (1, 2.5)), "Sliding UCB"),
    "ExploreFirst": Look("#999933", (0, (6, 2)), "Explore-first"),
    "EpsilonGreedy": Look("#B8860B", (0, (2, 2)), "ε-greedy"),
    "UCB1": Look("#44AA99", (0, (1, 1.8)), "UCB1"),
    "ThompsonSampling": Look("#AA4499", (0, (6, 1.5, 1, 1.5)), "Thompson sampling"),
    "Softmax": Look("#DDAA33", (0, (3, 1)), "Softmax"),
    "Zooming": Look("#6699CC", (0, (4, 1, 1, 1)), "Zooming"),
    "HOO": Look("#004488", (0, (2, 1, 1, 1)), "HOO"),
    "BanditConvex": Look("#994455", (0, (7, 2, 2, 2)), "Bandit convex"),
    "DiscountedLinUCB": Look("#666666", (0, (6, 1, 1, 1, 1, 1)), "Discounted LinUCB"),
    "RestartedLinUCB": Look("#AAAAAA", (0, (1.5, 3)), "Restarted LinUCB"),
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


def look_of(policy: str) -> Look:
    """Return how a policy is drawn; one that is not known gets a colour by its name, always the same.

    One from elsewhere is named with the last part of its module, which tells it from a built-in one of the same name.

    Examples
    --------
    >>> look_of("QuickDraw").label
    'Quick-Draw'
    >>> look_of("benchmarks.rivals.mabwiser:UCB1").label
    'UCB1 (mabwiser)'
    """
    if policy in _LOOKS:
        return _LOOKS[policy]
    module, colon, name = policy.rpartition(":")
    label = f"{name} ({module.rpartition('.')[2]})" if colon else policy
    return Look(_OTHERS[sum(policy.encode()) % len(_OTHERS)], (0, (3, 1, 1, 1)), label)


@contextmanager
def drawing() -> Iterator[None]:
    """Apply the look for as long as something is drawn."""
    require_matplotlib()
    import matplotlib

    with matplotlib.rc_context(SETTINGS):
        yield


def have_matplotlib() -> bool:
    """Tell whether pictures can be drawn."""
    return find_spec("matplotlib") is not None


def require_matplotlib() -> None:
    """Say what to install if matplotlib is not there."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f'pictures need matplotlib: pip install "quickdraw-bandits[plots]" (importing it failed: {error})'
        ) from error


def save(figure: "Figure", path: Path, dpi: int = 150) -> None:
    """Write a figure whole or not at all."""
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=dpi)


def save_both(figure: "Figure", folder: Path, name: str, dpi: int = 150) -> list[str]:
    """Write a figure as a picture and as vectors, and return the names of the files."""
    names = [f"{name}.png", f"{name}.svg"]
    for each in names:
        save(figure, folder / each, dpi)
    return names


def reduce_colours(picture: Path) -> None:
    """Write a PNG again with a palette of 256 colours, in a third of the space.

    For pictures of one colour map, where the difference cannot be seen. Not dithered, which would look like noise.
    """
    from PIL import Image  # comes with matplotlib

    with Image.open(picture) as image, replacing(picture) as temporary:
        few = image.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=3, dither=Image.Dither.NONE)
        few.save(temporary, format="PNG", optimize=True, dpi=image.info["dpi"])
