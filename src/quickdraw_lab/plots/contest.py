"""The pictures of a contest: ranks of policies on environments, and regrets with their intervals."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from quickdraw_lab.plots.style import drawing, look_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Rows = Sequence[Mapping[str, Any]]


def draw_ranks(rows: Rows) -> "Figure":
    """Return a figure with a cell to a policy and environment: the mean rank over environments of that kind.

    The least regret on each is framed; policies come in the order of their mean rank on what they played.
    """
    ranked = [row for row in rows if row["mean_rank"] != ""]
    environments = list(dict.fromkeys(row["environment"] for row in ranked))
    ranks = {(row["policy"], row["environment"]): float(row["mean_rank"]) for row in ranked}
    policies = _by_mean_rank(ranks)
    best = {row["environment"]: row["policy"] for row in reversed(ranked)}  # rows come with the least regret first
    with drawing():
        from matplotlib.figure import Figure
        from matplotlib.patches import Rectangle

        figure = Figure(
            figsize=(2.6 + 0.82 * (len(environments) + 1), 1.5 + 0.27 * len(policies)), layout="constrained"
        )
        panel = figure.subplots()
        values = np.full((len(policies), len(environments) + 1), np.nan)
        for i, policy in enumerate(policies):
            for j, environment in enumerate(environments):
                values[i, j] = ranks.get((policy, environment), np.nan)
            values[i, -1] = np.nanmean(values[i, :-1])
        image = panel.imshow(values, cmap="viridis_r", vmin=1, vmax=max(2.0, len(policies)), aspect="auto")
        middle = (1 + max(2.0, len(policies))) / 2
        for (i, j), value in np.ndenumerate(values):
            text = "–" if np.isnan(value) else f"{value:.1f}"
            panel.text(j, i, text, ha="center", va="center", fontsize=7.5, color="white" if value > middle else "black")
        for j, environment in enumerate(environments):
            corner = (j - 0.45, policies.index(best[environment]) - 0.43)
            panel.add_patch(Rectangle(corner, 0.9, 0.86, fill=False, edgecolor="#D55E00", linewidth=2.2, zorder=3))
        panel.axvline(len(environments) - 0.5, color="white", linewidth=4)
        panel.set_xticks(range(len(environments) + 1), [*map(_in_lines, environments), "all"], rotation=35, ha="right")
        panel.set_yticks(range(len(policies)), [look_of(policy).label for policy in policies])
        panel.tick_params(length=0)
        panel.spines[:].set_visible(False)
        figure.colorbar(image, ax=panel, fraction=0.04, pad=0.02).ax.invert_yaxis()
        figure.suptitle(
            "Mean rank by regret, 1 is best\nframed: least mean regret; all: mean of those played",
            fontsize=8, x=0.01, ha="left",
        )  # fmt: skip
        return figure


def _in_lines(environment: str) -> str:
    """Return the name of an environment with each of its settings in a line of its own."""
    return environment.replace(":", "\n").replace(",", "\n")


def _by_mean_rank(ranks: Mapping[tuple[str, str], float]) -> list[str]:
    """Return policies in the order of their mean rank over the environments that they played."""
    each: dict[str, list[float]] = {}
    for (policy, _), rank in ranks.items():
        each.setdefault(policy, []).append(rank)
    return sorted(each, key=lambda policy: (float(np.mean(each[policy])), policy))


def draw_regrets(rows: Rows) -> "Figure":
    """Return a figure with a panel to an environment: each policy's regret and its 95 % interval.

    Circles are hollow where the paired difference to the reference, whose regret is the dotted line, leaves open which
    of the two is better: the intervals that are drawn cannot tell, as they are not those of differences.
    """
    environments = list(dict.fromkeys(row["environment"] for row in rows))
    most = max(sum(row["environment"] == name for row in rows) for name in environments)
    columns = min(3, len(environments))
    lines = -(-len(environments) // columns)
    with drawing():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(0.4 + 3.9 * columns, 0.4 + lines * (0.9 + 0.19 * most)), layout="constrained")
        panels = figure.subplots(lines, columns, squeeze=False).ravel()
        for panel in panels[len(environments) :]:
            panel.set_visible(False)
        for panel, environment in zip(panels, environments, strict=False):
            _draw_regrets_on(panel, [row for row in rows if row["environment"] == environment])
            panel.set_title(_in_lines(environment), fontsize=9)
        reference = look_of(rows[0]["reference"]).label
        figure.suptitle(
            "Regret per round: mean and its 95 % interval\n"
            f"dotted: {reference}; hollow: its paired difference includes zero",
            fontsize=8, x=0.01, ha="left",
        )  # fmt: skip
        return figure


def _draw_regrets_on(panel: Any, rows: Rows) -> None:
    labels = []
    for place, row in enumerate(rows):
        look = look_of(row["policy"])
        mean, low, high = (float(row[name]) for name in ("regret_per_round", "regret_low", "regret_high"))
        apart, hollow = row["role"] == "attainable", row["verdict"] == "open"
        if row["verdict"] == "reference":
            panel.axvline(mean, color=look.colour, linewidth=1, linestyle=":", zorder=1)
        panel.plot([low, high], [place, place], color=look.colour, linewidth=2)
        panel.plot(mean, place, "D" if apart else "o", color="white" if apart or hollow else look.colour,
                   markersize=4.5, markeredgecolor=look.colour)  # fmt: skip
        labels.append(look.label + (" (attainable)" if apart else ""))
    panel.set_yticks(range(len(rows)), labels, fontsize=7)
    panel.set_ylim(len(rows) - 0.5, -0.5)
    panel.set_xlim(left=0)
    panel.grid(True, axis="x")
    panel.set_axisbelow(True)
