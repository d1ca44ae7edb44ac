"""The statements of sections 3.4 and 5 and appendix A, and what the tables say about them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from quickdraw_lab.claims.checks import (
    DISTINCT,
    MARGIN,
    Check,
    behaves,
    below,
    close,
    degrades_less,
    edge_beyond_best,
    edge_is_worse,
    explores,
    faster,
    found_region,
    like_random,
    more_sensitive,
    overconfident,
    rises,
    rises_with_small_scales,
    slows_down,
    sometimes_right,
)
from quickdraw_lab.claims.verdicts import Comparison, Verdict, overall
from quickdraw_lab.figures.f4_to_f9_sweeps import SWEEPS
from quickdraw_lab.result_tables import Tables

BASELINES = ("Random", "SlidingEpsilonGreedy", "Restless", "SlidingGPUCB")
LEARNERS = ("SlidingEpsilonGreedy", "Restless", "SlidingGPUCB", "QuickDraw")

_DECIDES: Sequence[Verdict] = ("does not hold", "open", "holds", "not measured")
"""The first of these that a comparison has is the verdict of the claim."""


@dataclass(frozen=True)
class Claim:
    """One statement of the paper, and how it is checked.

    Attributes
    ----------
    section
        Section of the paper.
    figure
        The figure whose tables it is checked on.
    says
        The statement.
    check
        Yields the comparisons.
    """

    section: str
    figure: str
    says: str
    check: Check


@dataclass(frozen=True)
class Finding:
    """A claim and what was measured."""

    claim: Claim
    comparisons: Sequence[Comparison]

    @property
    def verdict(self) -> Verdict:
        """Whether the claim holds."""
        return overall(self.comparisons)

    @property
    def measured(self) -> str:
        """The comparison that decides, and the number of comparisons."""
        if not self.comparisons:
            return "no table"
        weakest = min(self.comparisons, key=lambda each: (_DECIDES.index(each.verdict), each.slack))
        if len(self.comparisons) == 1:
            return f"{weakest} (n = {weakest.n})"
        holding = sum(comparison.verdict == "holds" for comparison in self.comparisons)
        return f"{holding} of {len(self.comparisons)} comparisons hold; the weakest: {weakest} (n = {weakest.n})"


def findings(tables: Tables) -> list[Finding]:
    """Check every claim on the tables of a folder."""
    return [Finding(claim, _checked(claim, tables)) for claim in CLAIMS]


def _checked(claim: Claim, tables: Tables) -> list[Comparison]:
    try:
        return list(claim.check(tables))
    except KeyError:  # the table, or a policy or value in it, is missing
        return []


_NOISE, _ALPHA, _RHO = SWEEPS["F4"].values, SWEEPS["F5"].values, SWEEPS["F6"].values
_DOWN = ((1.0, 0.1), (0.1, 0.01))
_STALE = "share of rounds on an arm whose mean fell by 0.1"
_EDGE = "share of rounds at the edge"

CLAIMS: Sequence[Claim] = (
    Claim("3.4", "F1", "After 15 rounds Quick-Draw and GP-UCB have found the region of high reward.", found_region),
    Claim("3.4", "F1", "Quick-Draw is orders of magnitude faster than scikit-learn's GP.", faster("scikit-learn")),
    Claim("3.4", "F1", "Quick-Draw is orders of magnitude faster than george's GP.", faster("george")),
    Claim("3.4", "F1", "Rounds of a GP become slower with each observation, those of Quick-Draw do not.", slows_down),
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
        "5", "F3", "Discounted and sliding-window UCB, which must try every arm first, perform like random.",
        like_random,
    ),
    Claim(
        "5", "F3", "SW-ε-greedy keeps playing arms whose reward has fallen; restless and Quick-Draw adapt faster.",
        behaves("stale_share", ["Restless", "QuickDraw"], ["SlidingEpsilonGreedy"], _STALE),
    ),
    Claim(
        "5", "F3", "Quick-Draw chooses better arms than the other policies shown.",
        behaves("regret_per_round", ["QuickDraw"], LEARNERS[:3], "regret"),
    ),
    Claim("5", "F3", "SW-GP-UCB seeks the edge: it plays there more often than the best arm is.", edge_beyond_best),
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
    Claim("5", "F8", "Quick-Draw explores more as l_x falls below 1.", explores("F8", _DOWN)),
    Claim("5", "F9", "Quick-Draw explores more as l_t falls below 1.", explores("F9", _DOWN)),
    Claim("A", "F13", "With small l_x and l_t Quick-Draw explores more.",
          rises_with_small_scales("distinct_share", DISTINCT)),
    Claim("A", "F13", "With small l_x and l_t Quick-Draw has more regret.",
          rises_with_small_scales("regret_per_round", "regret")),
)  # fmt: skip
"""Every claim about simulated experiments."""
