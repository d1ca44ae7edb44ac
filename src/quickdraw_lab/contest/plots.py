"""The pictures of a contest: ranks of policies on environments, and regrets with confidence intervals."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from quickdraw_bandits.plots.style import drawing, style_of
from quickdraw_lab.result_tables import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Rows = Sequence[Row]


def draw_ranks(rows: Rows) -> "Figure":
    """Return a figure with the mean rank of each policy on each environment.

    The least regret on each environment is framed. Policies are sorted by their mean rank.
    """
    ranked = [row for row in rows if row["mean_rank"] != ""]
    environments = list(dict.fromkeys(row["environment"] for row in ranked))
    ranks = {(row["policy"], row["environment"]): float(row["mean_rank"]) for row in ranked}
    policies = _by_mean_rank(ranks)
    best = {row["environment"]: row["policy"] for row in reversed(ranked)}  # rows are sorted by regret
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
        panel.set_yticks(range(len(policies)), [style_of(policy).label for policy in policies])
        panel.tick_params(length=0)
        panel.spines[:].set_visible(False)
        figure.colorbar(image, ax=panel, fraction=0.04, pad=0.02).ax.invert_yaxis()
        figure.suptitle(
            "Mean rank by regret, 1 is best\nframed: least mean regret; all: mean of those played",
            fontsize=8, x=0.01, ha="left",
        )  # fmt: skip
        return figure


def _in_lines(environment: str) -> str:
    """Return the name of an environment with one setting per line."""
    return environment.replace(":", "\n").replace(",", "\n")


def _by_mean_rank(ranks: Mapping[tuple[str, str], float]) -> list[str]:
    """Return policies sorted by their mean rank over the environments they played."""
    each: dict[str, list[float]] = {}
    for (policy, _), rank in ranks.items():
        each.setdefault(policy, []).append(rank)
    return sorted(each, key=lambda policy: (float(np.mean(each[policy])), policy))


def draw_regrets(rows: Rows) -> "Figure":
    """Return a figure with one panel per environment: the regret of each policy and its 95 % interval.

    A dotted line marks the regret of the reference. Circles are hollow where the paired difference from the reference
    includes zero, which the intervals shown do not tell, as they are not those of differences.
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
            draw_regrets_on(panel, [row for row in rows if row["environment"] == environment])
            panel.set_title(_in_lines(environment), fontsize=9)
        reference = style_of(rows[0]["reference"]).label
        figure.suptitle(
            "Regret per round: mean and its 95 % interval\n"
            f"dotted: {reference}; hollow: its paired difference includes zero",
            fontsize=8, x=0.01, ha="left",
        )  # fmt: skip
        return figure


def draw_regrets_on(panel: "Axes", rows: Rows) -> None:
    """Draw the regret of each policy on one environment."""
    labels = []
    for place, row in enumerate(rows):
        style = style_of(row["policy"])
        mean, low, high = (float(row[name]) for name in ("regret_per_round", "regret_low", "regret_high"))
        oracle, hollow = row["role"] == "attainable", row["verdict"] == "open"
        if row["verdict"] == "reference":
            panel.axvline(mean, color=style.colour, linewidth=1, linestyle=":", zorder=1)
        panel.plot([low, high], [place, place], color=style.colour, linewidth=2)
        panel.plot(mean, place, "D" if oracle else "o", color="white" if oracle or hollow else style.colour,
                   markersize=4.5, markeredgecolor=style.colour)  # fmt: skip
        labels.append(style.label + (" (attainable)" if oracle else ""))
    panel.set_yticks(range(len(rows)), labels, fontsize=7)
    panel.set_ylim(len(rows) - 0.5, -0.5)
    panel.set_xlim(left=0)
    panel.grid(True, axis="x")
    panel.set_axisbelow(True)
