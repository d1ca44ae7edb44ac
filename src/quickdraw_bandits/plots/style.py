"""One style for all pictures: a policy has the same colour, line and name everywhere."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec

from quickdraw_bandits.extras import missing_extra

HIGHLIGHT = "AdaptiveQuickDraw"
"""The policy that a newcomer should use: its line is thicker than the others."""

INK = "#222222"
"""Colour of text."""


@dataclass(frozen=True)
class Style:
    """How a policy is drawn. Dashes differ too, so that lines can be told apart without colour."""

    colour: str
    dashes: str | tuple[float, tuple[float, ...]]
    label: str


# Those after the first are the palette of Okabe and Ito, which colour-blind readers can tell apart. The first is darker
# than all of them, and stands out on the grey-blue of a field.
_STYLES = {
    "AdaptiveQuickDraw": Style("#C2004B", "solid", "Adaptive Quick-Draw"),
    "QuickDraw": Style("#D55E00", (0, (8, 1.5)), "Quick-Draw"),
    "SlidingGPUCB": Style("#0072B2", (0, (5, 1.5)), "SW-GP-UCB"),
    "Restless": Style("#009E73", (0, (5, 1.5, 1, 1.5)), "Restless"),
    "SlidingEpsilonGreedy": Style("#E69F00", (0, (2.5, 1.2)), "SW-ε-greedy"),
    "Random": Style("#7F7F7F", (0, (1, 1.2)), "Random"),
    "TimeVaryingGPUCB": Style("#1A5E8A", (0, (7, 2)), "TV-GP-UCB"),
    "WeightedGPUCB": Style("#7B68A6", (0, (3, 1.5)), "WGP-UCB"),
    "EventTriggeredGPUCB": Style("#CC6677", (0, (4, 2, 1, 2)), "ET-GP-UCB"),
    "PriorEliminationGPUCB": Style("#88AA22", (0, (8, 2, 1, 2)), "PE-GP-UCB"),
    "PredictiveSampling": Style("#7733AA", (0, (1, 1, 3, 1)), "Predictive sampling"),
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
_OTHERS = ("#000000", "#56B4E9", "#CC79A7", "#117733", "#999933")

SETTINGS: dict[str, object] = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "axes.edgecolor": "#444444",
    "axes.labelcolor": INK,
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

    with matplotlib.rc_context(SETTINGS):  # type: ignore[arg-type]
        yield
        interactive = matplotlib.is_interactive()
    # In a notebook, the first figure loads a backend that turns this on, so that later figures are shown.
    matplotlib.interactive(interactive)


def have_matplotlib() -> bool:
    """Return whether Matplotlib is installed."""
    return find_spec("matplotlib") is not None


def require_matplotlib() -> None:
    """Raise an error that says what to install if Matplotlib cannot be imported."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise missing_extra("figures", "matplotlib", "plots") from error
