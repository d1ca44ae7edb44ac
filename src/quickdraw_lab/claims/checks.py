"""Checks of the paper's statements on the tables. Each check yields comparisons, paired over fields.

"Close" and "well below" are relative to the regret of random choice under the same setting: less and more than a tenth.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.plots.style import style_of
from quickdraw_lab.claims.verdicts import Comparison, compare, compare_share, paired
from quickdraw_lab.figures.f4_to_f9_sweeps import SWEEPS
from quickdraw_lab.result_tables import Tables

Check = Callable[[Tables], Iterator[Comparison]]
"""Yields the comparisons, or raises ``KeyError`` if a table, a policy or a value is missing."""

MARGIN = 0.1
"""Share of the regret of random choice: a smaller difference is close, a larger one well below."""

NEAR_BEST = 0.1
"""Largest shortfall from the best arm inside the region of high reward (rewards go up to about 1)."""

STEADY = 0.1
"""Rounds whose times differ by fewer orders of magnitude (0.1 is a quarter) count as equally long."""

CALIBRATED = 0.5 * math.erfc(math.sqrt(2))
"""Share of arms above an upper bound of two standard deviations, if the bound is calibrated."""

LIBRARIES = ("scikit-learn", "george")
DISTINCT = "different arms per round"


def _name(policy: str) -> str:
    return style_of(policy).label


def below(figure: str, low: Sequence[str], high: Sequence[str], values: Sequence[float], margin: float = 0.0) -> Check:
    """Check that each of ``low`` has less regret than each of ``high``, by a margin relative to that of random."""
    return _differs(figure, list(product(low, high)), values, -math.inf, -margin)


def close(figure: str, pairs: Sequence[tuple[str, str]], values: Sequence[float]) -> Check:
    """Check that the regrets of each pair differ by less than a tenth of the regret of random."""
    return _differs(figure, pairs, values, -MARGIN, MARGIN)


def _differs(
    figure: str, pairs: Sequence[tuple[str, str]], values: Sequence[float], above: float, below: float
) -> Check:
    """Check that the differences of regrets lie in a range, which is relative to the regret of random."""

    def check(tables: Tables) -> Iterator[Comparison]:
        for value in values:
            random = float(np.mean(list(tables.by_field(figure, "Random", value).values())))
            for one, other in pairs:
                difference = paired(tables.by_field(figure, one, value), tables.by_field(figure, other, value))
                what = f"{_name(one)} − {_name(other)} at {SWEEPS[figure].parameter} = {value:g}"
                yield compare(what, difference, above if math.isinf(above) else above * random, below * random)

    return check


def rises(figure: str, policies: Sequence[str], steps: Sequence[tuple[float, float]]) -> Check:
    """Check that regret is larger at the second value of each step than at the first."""

    def check(tables: Tables) -> Iterator[Comparison]:
        for policy, (start, end) in product(policies, steps):
            difference = paired(tables.by_field(figure, policy, end), tables.by_field(figure, policy, start))
            what = f"{_name(policy)} at {SWEEPS[figure].parameter} = {end:g} − at {start:g}"
            yield compare(what, difference, above=0.0)

    return check


def degrades_less(figure: str, policy: str, others: Sequence[str], step: tuple[float, float]) -> Check:
    """Check that the regret of ``policy`` rises by less than that of each other policy."""

    def check(tables: Tables) -> Iterator[Comparison]:
        start, end = step

        def rise(name: str) -> dict[str, float]:
            first, last = tables.by_field(figure, name, start), tables.by_field(figure, name, end)
            return {field: last[field] - first[field] for field in last if field in first}

        for other in others:
            what = f"rise of {_name(policy)} − rise of {_name(other)}, {SWEEPS[figure].parameter} {start:g} to {end:g}"
            yield compare(what, paired(rise(policy), rise(other)), below=0.0)

    return check


def behaves(column: str, low: Sequence[str], high: Sequence[str], what: str) -> Check:
    """Check that a measure of behaviour on the base setting is smaller for each of ``low`` than of ``high``."""

    def check(tables: Tables) -> Iterator[Comparison]:
        for pair in product(low, high):
            one, other = (tables.by_field("F3_fields", policy, column=column) for policy in pair)
            yield compare(f"{what}, {_name(pair[0])} − {_name(pair[1])}", paired(one, other), below=0.0)

    return check


def edge_beyond_best(tables: Tables) -> Iterator[Comparison]:
    """Check that SW-GP-UCB plays the edge more often than the best arm is there."""
    played = tables.by_field("F3_fields", "SlidingGPUCB", column="edge_share")
    best = tables.by_field("F3_fields", "SlidingGPUCB", column="best_edge_share")
    yield compare("share of rounds at the edge, played arm − best arm", paired(played, best), above=0.0)


def edge_is_worse(tables: Tables) -> Iterator[Comparison]:
    """Check that SW-GP-UCB has more regret in rounds at the edge than on average."""
    at_edge = tables.by_field("F3_fields", "SlidingGPUCB", column="edge_regret")
    everywhere = tables.by_field("F3_fields", "SlidingGPUCB")
    yield compare("regret in rounds at the edge − in all rounds", paired(at_edge, everywhere), above=0.0)


def like_random(tables: Tables) -> Iterator[Comparison]:
    """Check that the two UCB policies are close to random."""
    random = tables.by_field("F3_fields", "Random")
    margin = MARGIN * float(np.mean(list(random.values())))
    for policy in ("DiscountedUCB", "SlidingUCB"):
        difference = paired(tables.by_field("F3_fields", policy), random)
        yield compare(f"{_name(policy)} − {_name('Random')}", difference, above=-margin, below=margin)


def overconfident(tables: Tables) -> Iterator[Comparison]:
    """Check that more arms lie above the upper bound than if it were calibrated."""
    shares = [float(row["above_share"]) for row in tables.rows("F11_bounds")]
    yield compare("share of arms whose true mean is above the upper bound", shares, above=CALIBRATED)


def sometimes_right(tables: Tables) -> Iterator[Comparison]:
    """Check that in some fields no more arms lie above the upper bound than if it were calibrated."""
    calibrated = [float(row["above_share"]) <= CALIBRATED for row in tables.rows("F11_bounds")]
    yield compare_share(
        f"share of fields with at most {CALIBRATED:.1%} of arms above the upper bound", calibrated, above=0.0
    )


def found_region(tables: Tables) -> Iterator[Comparison]:
    """Check that the arm with the highest estimate after 15 rounds is nearly as good as the best."""
    for policy, name in (("QuickDraw", "Quick-Draw"), ("GPUCB", "GP-UCB")):
        shortfall = tables.by_field("F1_found", policy, column="shortfall", key="function")
        what = f"mean reward of the best arm − of the best arm according to {name}"
        yield compare(what, list(shortfall.values()), below=NEAR_BEST)


def faster(library: str) -> Check:
    """Check that rounds of Quick-Draw are more than a hundred times faster, by the mean decimal logarithm of ratios."""

    def check(tables: Tables) -> Iterator[Comparison]:
        ratios = np.log10(_seconds(tables, f"GPUCB ({library})") / _seconds(tables, "QuickDraw"))
        yield compare(f"time of a round, {library} / Quick-Draw, in orders of magnitude", ratios.tolist(), above=2.0)

    return check


def slows_down(tables: Tables) -> Iterator[Comparison]:
    """Check that rounds of the GPs take longer in the second half than in the first, and those of Quick-Draw do not."""
    for policy, name in (("QuickDraw", "Quick-Draw"), *((f"GPUCB ({each})", each) for each in LIBRARIES)):
        seconds = np.log10(_seconds(tables, policy))
        half = len(seconds) // 2
        slower = (seconds[-half:] - seconds[:half]).tolist()
        what = f"time of a round of {name}, second half / first half, in orders of magnitude"
        yield compare(what, slower, -STEADY, STEADY) if policy == "QuickDraw" else compare(what, slower, above=0.0)


def _seconds(tables: Tables, policy: str) -> Floats:
    """Return the time of each round of F1 except the first, in which there is nothing to compute."""
    return np.diff(list(tables.by_field("F1", policy, column="cumulative_seconds", key="round").values()))


def more_sensitive(tables: Tables) -> Iterator[Comparison]:
    """Check that a wrong length scale costs GP-UCB more regret than Quick-Draw, on average over length scales."""
    costs: dict[str, dict[str, float]] = {}
    for policy in ("GPUCB", "QuickDraw"):
        regrets: dict[str, list[float]] = {}
        for row in tables.rows("F1_sensitivity"):
            if row["policy"] == policy:
                regrets.setdefault(row["function"], []).append(float(row["regret_per_round"]))
        costs[policy] = {function: float(np.mean(each)) - min(each) for function, each in regrets.items()}
    what = "mean regret over length scales above that of the best, GP-UCB − Quick-Draw"
    yield compare(what, paired(costs["GPUCB"], costs["QuickDraw"]), above=0.0)


def explores(figure: str, steps: Sequence[tuple[float, float]]) -> Check:
    """Check that Quick-Draw plays more different arms at the second value of one of its scales than at the first."""

    def check(tables: Tables) -> Iterator[Comparison]:
        for start, end in steps:
            low, high = (
                tables.by_field(f"{figure}_fields", "QuickDraw", value, "distinct_share") for value in (end, start)
            )
            what = f"{DISTINCT}, at {SWEEPS[figure].parameter} = {end:g} − at {start:g}"
            yield compare(what, paired(low, high), above=0.0)

    return check


def rises_with_small_scales(column: str, what: str) -> Check:
    """Check that a column is larger for Quick-Draw with small scales."""

    def check(tables: Tables) -> Iterator[Comparison]:
        small, usual = (tables.by_field("F13_fields", "QuickDraw", value, column) for value in (0.1, 1.0))
        yield compare(f"{what}, l_x = l_t = 0.1 − 1", paired(small, usual), above=0.0)

    return check
