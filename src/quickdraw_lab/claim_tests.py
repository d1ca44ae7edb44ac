"""How a statement of the paper is tested on the tables: each test yields comparisons, paired over fields.

"Close" and "well below" need a scale: a tenth of the regret of random choice under the same setting.
"""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_lab.sweeps import SWEEPS
from quickdraw_lab.tables import Tables
from quickdraw_lab.verdicts import Comparison, compare, compare_share, paired

Test = Callable[[Tables], Iterator[Comparison]]
"""Yields the comparisons, or raises KeyError where a table has not what it needs."""

MARGIN = 0.1
"""Of random's regret: less is close, more is well below."""

NEAR_BEST = 0.1
"""An arm that pays at most this much less than the best (of rewards up to about 1) is in the region of high reward."""

STEADY = 0.1
"""Rounds whose times differ by fewer orders of magnitude than this, a quarter, take equally long."""

NARROW = 0.5 * math.erfc(math.sqrt(2))
"""The share of arms that should lie above a right bound of two standard deviations."""

NAMES = {
    "QuickDraw": "Quick-Draw",
    "SlidingGPUCB": "SW-GP-UCB",
    "Restless": "restless",
    "SlidingEpsilonGreedy": "SW-ε-greedy",
    "Random": "random",
    "DiscountedUCB": "discounted UCB",
    "SlidingUCB": "sliding UCB",
}
LIBRARIES = ("scikit-learn", "george")
FOUND = "different arms for each round"


def below(piece: str, low: Sequence[str], high: Sequence[str], values: Sequence[float], margin: float = 0.0) -> Test:
    """Test that each of ``low`` has less regret than each of ``high``, by a margin in units of random's regret."""

    def test(tables: Tables) -> Iterator[Comparison]:
        for value in values:
            random = float(np.mean(list(tables.by_field(piece, "Random", value).values())))
            for one in low:
                for other in high:
                    difference = paired(tables.by_field(piece, one, value), tables.by_field(piece, other, value))
                    what = f"{NAMES[one]} − {NAMES[other]} at {SWEEPS[piece].parameter} = {value:g}"
                    yield compare(what, difference, below=-margin * random)

    return test


def close(piece: str, pairs: Sequence[tuple[str, str]], values: Sequence[float]) -> Test:
    """Test that the regrets of each pair differ by less than a tenth of random's."""

    def test(tables: Tables) -> Iterator[Comparison]:
        for value in values:
            margin = MARGIN * float(np.mean(list(tables.by_field(piece, "Random", value).values())))
            for one, other in pairs:
                difference = paired(tables.by_field(piece, one, value), tables.by_field(piece, other, value))
                what = f"{NAMES[one]} − {NAMES[other]} at {SWEEPS[piece].parameter} = {value:g}"
                yield compare(what, difference, above=-margin, below=margin)

    return test


def rises(piece: str, policies: Sequence[str], steps: Sequence[tuple[float, float]]) -> Test:
    """Test that regret is larger at the second value of each step than at the first."""

    def test(tables: Tables) -> Iterator[Comparison]:
        for policy in policies:
            for start, end in steps:
                difference = paired(tables.by_field(piece, policy, end), tables.by_field(piece, policy, start))
                what = f"{NAMES[policy]} at {SWEEPS[piece].parameter} = {end:g} − at {start:g}"
                yield compare(what, difference, above=0.0)

    return test


def degrades_less(piece: str, policy: str, others: Sequence[str], step: tuple[float, float]) -> Test:
    """Test that the regret of ``policy`` rises by less than that of each other."""

    def test(tables: Tables) -> Iterator[Comparison]:
        start, end = step

        def rise(name: str) -> dict[str, float]:
            first, last = tables.by_field(piece, name, start), tables.by_field(piece, name, end)
            return {field: last[field] - first[field] for field in last if field in first}

        for other in others:
            what = f"rise of {NAMES[policy]} − rise of {NAMES[other]}, {SWEEPS[piece].parameter} {start:g} to {end:g}"
            yield compare(what, paired(rise(policy), rise(other)), below=0.0)

    return test


def behaves(column: str, low: Sequence[str], high: Sequence[str], what: str) -> Test:
    """Test on the base setting that a measure of behaviour is smaller for each of ``low`` than for each of ``high``."""

    def test(tables: Tables) -> Iterator[Comparison]:
        for one in low:
            for other in high:
                difference = paired(
                    tables.by_field("F3_fields", one, column=column), tables.by_field("F3_fields", other, column=column)
                )
                yield compare(f"{what}, {NAMES[one]} − {NAMES[other]}", difference, below=0.0)

    return test


def edge_beyond_best(tables: Tables) -> Iterator[Comparison]:
    """Test that SW-GP-UCB plays the edge more often than the best arm is there."""
    played = tables.by_field("F3_fields", "SlidingGPUCB", column="edge_share")
    best = tables.by_field("F3_fields", "SlidingGPUCB", column="best_edge_share")
    yield compare("share of rounds at the edge, played − best", paired(played, best), above=0.0)


def edge_is_worse(tables: Tables) -> Iterator[Comparison]:
    """Test that SW-GP-UCB's rounds at the edge have more regret than its rounds have on average."""
    at_edge = tables.by_field("F3_fields", "SlidingGPUCB", column="edge_regret")
    everywhere = tables.by_field("F3_fields", "SlidingGPUCB")
    yield compare("regret of rounds at the edge − of all rounds", paired(at_edge, everywhere), above=0.0)


def like_random(tables: Tables) -> Iterator[Comparison]:
    """Test that the two UCB policies are close to random."""
    random = tables.by_field("F3_fields", "Random")
    margin = MARGIN * float(np.mean(list(random.values())))
    for policy in ("DiscountedUCB", "SlidingUCB"):
        difference = paired(tables.by_field("F3_fields", policy), random)
        yield compare(f"{NAMES[policy]} − random", difference, above=-margin, below=margin)


def overconfident(tables: Tables) -> Iterator[Comparison]:
    """Test that more arms lie above the bound of two standard deviations than a right one would let through."""
    shares = [float(row["above_share"]) for row in tables.rows("F11_bounds")]
    yield compare("share of arms whose true mean is above the upper bound", shares, above=NARROW)


def sometimes_right(tables: Tables) -> Iterator[Comparison]:
    """Test that there are fields in which no more arms lie above the bound than a right one would let through."""
    right = [float(row["above_share"]) <= NARROW for row in tables.rows("F11_bounds")]
    yield compare_share(f"share of fields in which the bound leaves out at most {NARROW:.1%} of arms", right, above=0.0)


def found_region(tables: Tables) -> Iterator[Comparison]:
    """Test that the arm thought best after 15 rounds is nearly as good as the best."""
    for policy, name in (("QuickDraw", "Quick-Draw"), ("GPUCB", "GP-UCB")):
        shortfall = tables.by_field("F1_found", policy, column="shortfall", key="function")
        what = f"reward of the best arm − of the one that {name} thinks best"
        yield compare(what, list(shortfall.values()), below=NEAR_BEST)


def faster(library: str) -> Test:
    """Test that rounds of Quick-Draw are more than a hundred times faster: the mean of decimal logarithms of ratios."""

    def test(tables: Tables) -> Iterator[Comparison]:
        ratios = np.log10(_seconds(tables, f"GPUCB ({library})") / _seconds(tables, "QuickDraw"))
        yield compare(f"orders of magnitude between a round of {library} and of Quick-Draw", ratios.tolist(), above=2.0)

    return test


def slows_down(tables: Tables) -> Iterator[Comparison]:
    """Test on the second half of rounds against the first that those of GPs take ever longer, Quick-Draw's do not."""
    for policy, name in (("QuickDraw", "Quick-Draw"), *((f"GPUCB ({each})", each) for each in LIBRARIES)):
        seconds = np.log10(_seconds(tables, policy))
        half = len(seconds) // 2
        slower = (seconds[-half:] - seconds[:half]).tolist()
        what = f"orders of magnitude by which a round of {name} is slower than one half a game earlier"
        yield compare(what, slower, -STEADY, STEADY) if policy == "QuickDraw" else compare(what, slower, above=0.0)


def _seconds(tables: Tables, policy: str) -> Floats:
    """Return the time of each round of F1 but the first, in which there is nothing to compute yet."""
    return np.diff(list(tables.by_field("F1", policy, column="cumulative_seconds", key="round").values()))


def more_sensitive(tables: Tables) -> Iterator[Comparison]:
    """Test that a wrong length scale costs GP-UCB more regret than Quick-Draw, over all length scales."""
    costs: dict[str, dict[str, float]] = {}
    for policy in ("GPUCB", "QuickDraw"):
        regrets: dict[str, list[float]] = {}
        for row in tables.rows("F1_sensitivity"):
            if row["policy"] == policy:
                regrets.setdefault(row["function"], []).append(float(row["regret_per_round"]))
        costs[policy] = {function: float(np.mean(each)) - min(each) for function, each in regrets.items()}
    what = "regret above that of the best length scale, GP-UCB − Quick-Draw"
    yield compare(what, paired(costs["GPUCB"], costs["QuickDraw"]), above=0.0)


def explores(piece: str, steps: Sequence[tuple[float, float]]) -> Test:
    """Test that Quick-Draw plays more different arms at the second value of one of its scales than at the first."""

    def test(tables: Tables) -> Iterator[Comparison]:
        for start, end in steps:
            low, high = (
                tables.by_field(f"{piece}_fields", "QuickDraw", value, "distinct_share") for value in (end, start)
            )
            what = f"{FOUND}, at {SWEEPS[piece].parameter} = {end:g} − at {start:g}"
            yield compare(what, paired(low, high), above=0.0)

    return test


def explores_more(tables: Tables) -> Iterator[Comparison]:
    """Test that Quick-Draw plays more different arms with small scales."""
    small, usual = (tables.by_field("F13_fields", "QuickDraw", value, "distinct_share") for value in (0.1, 1.0))
    yield compare(f"{FOUND}, l_x = l_t = 0.1 − 1", paired(small, usual), above=0.0)


def regrets_more(tables: Tables) -> Iterator[Comparison]:
    """Test that Quick-Draw has more regret with small scales."""
    small, usual = (tables.by_field("F13_fields", "QuickDraw", value) for value in (0.1, 1.0))
    yield compare("regret, l_x = l_t = 0.1 − 1", paired(small, usual), above=0.0)
