"""What the paper says in sections 3.4 and 5 and appendix A, and how each claim is tested on the tables.

"Close" and "well below" need a scale: a tenth of the regret of random choice under the same setting.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.experiments.sweeps import SWEEPS
from quickdraw_bandits.experiments.tables import Tables
from quickdraw_bandits.experiments.verdicts import Comparison, Verdict, compare, compare_share, overall, paired

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
BASELINES = ("Random", "SlidingEpsilonGreedy", "Restless", "SlidingGPUCB")
LIBRARIES = ("scikit-learn", "george")
LEARNERS = ("SlidingEpsilonGreedy", "Restless", "SlidingGPUCB", "QuickDraw")

_DECIDES: Sequence[Verdict] = ("does not hold", "open", "holds", "not measured")
"""The verdict of a claim is the first of these that one of its comparisons has."""

Test = Callable[[Tables], Iterator[Comparison]]


@dataclass(frozen=True)
class Claim:
    """One statement of the paper, and how it is tested.

    Attributes
    ----------
    section
        Where the paper says it.
    piece
        The figure whose tables it is tested on.
    says
        What the text says.
    test
        Yields the comparisons.
    """

    section: str
    piece: str
    says: str
    test: Test


@dataclass(frozen=True)
class Finding:
    """A claim with what was measured."""

    claim: Claim
    comparisons: Sequence[Comparison]

    @property
    def verdict(self) -> Verdict:
        """Whether the claim holds."""
        return overall(self.comparisons)

    @property
    def measured(self) -> str:
        """The comparison that decides, and how many there are."""
        if not self.comparisons:
            return "no table"
        weakest = min(self.comparisons, key=lambda each: (_DECIDES.index(each.verdict), each.slack))
        if len(self.comparisons) == 1:
            return f"{weakest} (n = {weakest.n})"
        holding = sum(comparison.verdict == "holds" for comparison in self.comparisons)
        return f"{holding} of {len(self.comparisons)} comparisons hold; the weakest: {weakest} (n = {weakest.n})"


def findings(tables: Tables) -> list[Finding]:
    """Return every claim with what the tables of a folder say about it."""
    return [Finding(claim, _tested(claim, tables)) for claim in CLAIMS]


def _tested(claim: Claim, tables: Tables) -> list[Comparison]:
    try:
        return list(claim.test(tables))
    except KeyError:  # the table, or a policy or value in it, is not there
        return []


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


def explores(piece: str) -> Test:
    """Test that Quick-Draw plays more different arms at each lower order of magnitude of one of its scales."""

    def test(tables: Tables) -> Iterator[Comparison]:
        for start, end in _DOWN:
            low, high = (
                tables.by_field(f"{piece}_fields", "QuickDraw", value, "distinct_share") for value in (end, start)
            )
            what = f"{_FOUND}, at {SWEEPS[piece].parameter} = {end:g} − at {start:g}"
            yield compare(what, paired(low, high), above=0.0)

    return test


def explores_more(tables: Tables) -> Iterator[Comparison]:
    """Test that Quick-Draw plays more different arms with small scales."""
    small, usual = (tables.by_field("F13_fields", "QuickDraw", value, "distinct_share") for value in (0.1, 1.0))
    yield compare(f"{_FOUND}, l_x = l_t = 0.1 − 1", paired(small, usual), above=0.0)


def regrets_more(tables: Tables) -> Iterator[Comparison]:
    """Test that Quick-Draw has more regret with small scales."""
    small, usual = (tables.by_field("F13_fields", "QuickDraw", value) for value in (0.1, 1.0))
    yield compare("regret, l_x = l_t = 0.1 − 1", paired(small, usual), above=0.0)


_NOISE, _ALPHA, _RHO = SWEEPS["F4"].values, SWEEPS["F5"].values, SWEEPS["F6"].values
_DOWN = ((1.0, 0.1), (0.1, 0.01))
_FOUND = "different arms for each round"
_STALE = "share of rounds on an arm that has become worse by 0.1"
_EDGE = "share of rounds at the edge"

CLAIMS: Sequence[Claim] = (
    Claim("3.4", "F1", "After 15 rounds Quick-Draw and GP-UCB have found the region of high reward.", found_region),
    Claim("3.4", "F1", "Quick-Draw is orders of magnitude faster than scikit-learn's GP.", faster("scikit-learn")),
    Claim("3.4", "F1", "Quick-Draw is orders of magnitude faster than george's GP.", faster("george")),
    Claim("3.4", "F1", "Each observation makes rounds of a GP slower, and those of Quick-Draw not.", slows_down),
    Claim("3.4", "F1", "The GP is more sensitive to its parameters than Quick-Draw.", more_sensitive),
    Claim(
        "3.4", "F4", "Exact GPs have more regret than Quick-Draw.",
        below("F4", ["QuickDraw"], ["SlidingGPUCB"], [0.0]),
    ),
    Claim(
        "5", "F6", "Smaller rho_x makes the problem harder.",
        rises("F6", LEARNERS, [(0.1, 1e-3)]),
    ),
    Claim("5", "F7", "Smaller rho_t makes the problem harder.", rises("F7", LEARNERS, [(0.1, 1e-3)])),
    Claim("5", "F5", "Larger alpha makes the problem harder.", rises("F5", LEARNERS, [(1.0, 5.0)])),
    Claim("5", "F4", "More noise makes all policies but random somewhat worse.", rises("F4", LEARNERS, [(0.0, 0.5)])),
    Claim(
        "5", "F3", "Discounted and sliding-window UCB, which must try every arm first, are like random.",
        like_random,
    ),
    Claim(
        "5", "F3", "SW-ε-greedy keeps playing arms whose reward has fallen; restless and Quick-Draw adapt faster.",
        behaves("stale_share", ["Restless", "QuickDraw"], ["SlidingEpsilonGreedy"], _STALE),
    ),
    Claim(
        "5", "F3", "Quick-Draw's choice of arms is better than that of the other policies shown.",
        behaves("regret_per_round", ["QuickDraw"], LEARNERS[:3], "regret"),
    ),
    Claim("5", "F3", "SW-GP-UCB seeks the edge: it plays it more often than the best arm is there.", edge_beyond_best),
    Claim(
        "5", "F3", "SW-GP-UCB seeks the edge more than the other policies.",
        behaves("edge_share", ["SlidingEpsilonGreedy", "Restless", "QuickDraw"], ["SlidingGPUCB"], _EDGE),
    ),
    Claim("5", "F3", "SW-GP-UCB plays the edge even when arms there are bad.", edge_is_worse),
    Claim("5", "F10", "SW-GP-UCB's bound is sometimes right for the current mean.", sometimes_right),
    Claim("5", "F11", "SW-GP-UCB's bound is too narrow for the current mean.", overconfident),
    Claim(
        "5", "F4", "Quick-Draw is below every baseline at every noise level.",
        below("F4", ["QuickDraw"], BASELINES, _NOISE),
    ),
    Claim(
        "5", "F4", "SW-ε-greedy is well below random at every noise level.",
        below("F4", ["SlidingEpsilonGreedy"], ["Random"], _NOISE, MARGIN),
    ),
    Claim(
        "5", "F4", "SW-ε-greedy is close to restless at every noise level.",
        close("F4", [("SlidingEpsilonGreedy", "Restless")], _NOISE),
    ),
    Claim(
        "5", "F4", "SW-ε-greedy is close to SW-GP-UCB at every noise level.",
        close("F4", [("SlidingEpsilonGreedy", "SlidingGPUCB")], _NOISE),
    ),
    Claim(
        "5", "F4", "Quick-Draw suffers less from noise than the others that learn.",
        degrades_less("F4", "QuickDraw", LEARNERS[:3], (0.0, 0.5)),
    ),
    Claim("5", "F5", "Random becomes worse as alpha rises.", rises("F5", ["Random"], list(pairwise(_ALPHA)))),
    Claim(
        "5", "F5", "Quick-Draw is below every baseline at every alpha.",
        below("F5", ["QuickDraw"], BASELINES, _ALPHA),
    ),
    Claim(
        "5", "F6", "At rho_x = 1e-3 Quick-Draw is close to SW-ε-greedy and to restless.",
        close("F6", [("QuickDraw", "SlidingEpsilonGreedy"), ("QuickDraw", "Restless")], [1e-3]),
    ),
    Claim(
        "5", "F6", "At rho_x = 1e-3 Quick-Draw, SW-ε-greedy and restless are well below SW-GP-UCB.",
        below("F6", ["QuickDraw", "SlidingEpsilonGreedy", "Restless"], ["SlidingGPUCB"], [1e-3], MARGIN),
    ),
    Claim(
        "5", "F6", "At rho_x = 1e-3 Quick-Draw, SW-ε-greedy and restless are below random.",
        below("F6", ["QuickDraw", "SlidingEpsilonGreedy", "Restless"], ["Random"], [1e-3]),
    ),
    Claim(
        "5", "F6", "As rho_x rises above 1e-3, Quick-Draw is below every baseline.",
        below("F6", ["QuickDraw"], BASELINES, [rho for rho in _RHO if rho > 1e-3]),
    ),
    Claim(
        "5", "F7", "At rho_t = 1e-3 every policy is at random's level.",
        close("F7", [(policy, "Random") for policy in LEARNERS], [1e-3]),
    ),
    Claim(
        "5", "F7", "At rho_t = 1e-2 restless is below all other baselines.",
        below("F7", ["Restless"], ["Random", "SlidingEpsilonGreedy", "SlidingGPUCB"], [1e-2]),
    ),
    Claim("5", "F8", "Quick-Draw's regret rises as l_x falls below 1.", rises("F8", ["QuickDraw"], _DOWN)),
    Claim("5", "F9", "Quick-Draw's regret rises as l_t falls below 1.", rises("F9", ["QuickDraw"], _DOWN)),
    Claim("5", "F8", "Quick-Draw explores more as l_x falls below 1.", explores("F8")),
    Claim("5", "F9", "Quick-Draw explores more as l_t falls below 1.", explores("F9")),
    Claim("A", "F13", "With small l_x and l_t Quick-Draw explores more.", explores_more),
    Claim("A", "F13", "With small l_x and l_t Quick-Draw has more regret.", regrets_more),
)  # fmt: skip
"""Every claim about simulated experiments."""
