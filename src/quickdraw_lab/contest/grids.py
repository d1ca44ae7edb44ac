"""What is tried when a policy is tuned: settings of its parameters, most important first.

A budget of B tries the first B settings, so that all policies get the same number of tries if they have that many. The
first setting is the defaults of the policy; parameters that are not named stay at their defaults. In all environments
time runs from 0 to 1, and rewards and distances lie in [0, 1].

All grids were written by hand, from the meaning of the parameters, before the policy played any contest. Picking a
grid by a search would give its policy more tries than the budget: a search over 90 settings of Quick-Draw on separate
fields was made once, and nothing of it was used. One policy from another library has an advantage: the defaults of the
one with radial features are known to do well on such fields.

A policy from elsewhere brings its own grid in the class attribute ``contest_grid``, a sequence of dictionaries, and
names the library behind it in ``contest_version``.
"""

from collections.abc import Callable, Mapping, Sequence

from quickdraw_bandits.environments import Environment, RandomField
from quickdraw_bandits.evaluation.simulate import Player
from quickdraw_lab.players.by_name import load_policy
from quickdraw_lab.players.contestant import Value
from quickdraw_lab.players.oracle import oracle

Parameters = Mapping[str, Value]


def _each(name: str, *values: Value, **others: Value) -> list[Parameters]:
    return [{name: value, **others} for value in values]


_FORGETTING: list[Parameters] = [
    {"forgetting": 0.03},
    {"length_scale": 0.05},
    {"noise_variance": 1e-2, "forgetting": 3e-3},
    {"forgetting": 0.03, "length_scale": 0.05},
    {"forgetting": 3e-3},
    {"forgetting": 0.1},
    {"noise_variance": 0.1, "forgetting": 3e-3},
]
"""For the two policies on a Gaussian process that forgets at a constant rate."""

GRIDS: Mapping[str, Sequence[Parameters]] = {
    "Random": [{}],
    "QuickDraw": [
        {},
        {"exploration": 1.0},
        {"time_scale": 0.3, "exploration": 1.0},
        {"sharpness": 2, "exploration": 1.0, "length_scale": 0.3, "time_scale": 0.3},
        {"time_scale": 0.1, "exploration": 1.0},
        {"noise_variance": 1e-3, "exploration": 1.0},
        {"sharpness": 2, "exploration": 1.0},
        {"time_scale": 3.0, "exploration": 1.0},
        {"time_scale": 0.03, "exploration": 1.0},
        {"sharpness": 2, "exploration": 1.0, "noise_variance": 1e-3},
        {"exploration": 0.5},
        {"time_scale": None},
    ],
    "SlidingEpsilonGreedy": [
        {},
        {"window": 30},
        {"window": 30, "epsilon": 0.2},
        {"window": 300},
        {"window": 10, "epsilon": 0.2},
        {"epsilon": 0.2},
        {"window": 300, "epsilon": 0.03},
        {"epsilon": 0.03},
        {"window": 10},
        {"window": 1000, "epsilon": 0.03},
    ],
    "Restless": [
        {},
        *_each("volatility", 0.1, 1.0, 0.5, 0.2, 2.0),
        *_each("first_arms", 30, 300),
        {"volatility": 0.03},
        {"volatility": 5.0},
    ],
    "SlidingGPUCB": [
        {},
        {"prior_mean": "average"},
        {"window": 50},
        {"exploration": 1.0},
        {"window": 50, "prior_mean": "average"},
        {"window": 30},
        {"prior_mean": "average", "exploration": 1.0},
        {"window": 50, "exploration": 1.0},
        {"window": 30, "prior_mean": "average"},
        {"window": 200},
    ],
    "GPUCB": [{}, {"exploration": 1.0}, {"exploration": 0.5}],
    "DiscountedUCB": [
        {},
        *_each("xi", 0.03, 0.003),
        *_each("discount", 0.997, 0.97, xi=0.03),
        *_each("discount", 0.997, 0.97, xi=0.003),
        {"discount": 0.999, "xi": 0.03},
        {"discount": 0.9, "xi": 0.003},
    ],
    "SlidingUCB": [
        {},
        *_each("xi", 0.03, 0.003),
        *_each("window", 300, 30, xi=0.03),
        *_each("window", 300, 30, xi=0.003),
        {"window": 1000, "xi": 0.03},
        {"window": 1000, "xi": 0.003},
    ],
    "ExploreFirst": [{}, *_each("explore", 120, 150, 200, 300, 500, 50, 30, 10)],
    "EpsilonGreedy": [{}, *_each("epsilon", 0.2, 0.03, 0.01, 0.3, 0.5, 0.05, 0.0, 0.7)],
    "UCB1": [{}, *_each("exploration", 0.3, 0.03, 0.1, 1.0, 0.01, 0.003, 0.6, 0.0)],
    "ThompsonSampling": [
        {},
        *_each("noise_std", 0.1, 0.3, prior_mean=0.5, prior_std=0.3),
        *_each("noise_std", 0.1, 0.3),
        {"noise_std": 0.03, "prior_mean": 0.5, "prior_std": 0.3},
        {"noise_std": 0.1, "prior_mean": 0.5, "prior_std": 0.1},
        {"rewards": "bernoulli"},
        {"noise_std": 0.03},
    ],
    "Softmax": [{}, *_each("temperature", 0.03, 0.01, 0.05, 0.003, 0.02, 0.2, 0.001, 0.5)],
    "Zooming": [
        {},
        *_each("exploration", 0.03, 0.1, 0.003, 0.3),
        *_each("exploration", 0.03, 0.1, 0.003, lipschitz=5.0),
        {"exploration": 0.03, "lipschitz": 0.3},
    ],
    "HOO": [
        {},
        *_each("exploration", 0.1, 0.01, 0.5),
        *_each("exploration", 0.1, 0.01, nu=3.0),
        {"exploration": 0.1, "rho": 0.75},
        {"exploration": 0.01, "nu": 0.3},
        {"exploration": 0.01, "rho": 0.75},
    ],
    "BanditConvex": [
        {},
        *_each("bound", 0.3, 3.0),
        *_each("perturbation", 0.1, 0.03, 0.3),
        *_each("perturbation", 0.1, 0.3, bound=0.3),
        {"points": 1},
    ],
    "DiscountedLinUCB": [
        {},
        *_each("discount", 0.97, 0.997),
        *_each("noise_std", 0.01, 0.3),
        *_each("discount", 0.9, 0.999),
        *_each("discount", 0.97, 0.9, noise_std=0.01, regularisation=0.1),
    ],
    "RestartedLinUCB": [
        {},
        *_each("restart_every", 30, 300),
        *_each("noise_std", 0.01, 0.3),
        *_each("restart_every", 10, 1000),
        *_each("restart_every", 30, 10, noise_std=0.01, regularisation=0.1),
    ],
    "WeightedGPUCB": [
        {},
        {"exploration": 1.0},
        {"discount": 0.95},
        {"length_scale": 0.05},
        {"noise_variance": 1e-2, "discount": 0.99},
        {"discount": 0.95, "length_scale": 0.05},
        {"discount": 0.99},
        {"discount": 0.9},
        {"noise_variance": 0.1, "discount": 0.99},
    ],
    "TimeVaryingGPUCB": [{}, {"exploration": 1.0}, *_FORGETTING],
    "EventTriggeredGPUCB": [
        {},
        {"exploration": 1.0},
        {"noise_variance": 1e-4},
        {"length_scale": 0.05},
        {"noise_variance": 1e-2},
        {"noise_variance": 1e-4, "length_scale": 0.05},
        {"error_probability": 0.9},
        {"exploration": 0.5},
        {"noise_variance": 0.1},
    ],
    "PredictiveSampling": [{}, {"signal_variance": 0.01}, *_FORGETTING],
    "PriorEliminationGPUCB": [
        {},
        {"exploration": 1.0},
        {"exploration": 0.5},
        {"noise_variance": 1e-2},
        {"noise_variance": 1e-2, "exploration": 1.0},
        {"signal_variance": 0.1},
        {"window": 50},
        {"noise_variance": 0.1},
        {"noise_variance": 0.1, "exploration": 1.0},
    ],
    "AdaptiveQuickDraw": [{}],
}

ORACLES: Mapping[str, Callable[..., Player[int]]] = {"SpaceTimeGPUCB": oracle}
"""Policies that are told the covariance of a random field, with the functions that build them as f(field, seed=...)."""


def settings_of(policy: str, budget: int) -> list[tuple[tuple[str, Value], ...]]:
    """Return the settings to try for a policy: its defaults only if it has no grid.

    Examples
    --------
    >>> settings_of("Restless", budget=2)
    [(), (('volatility', 0.1),)]
    """
    return [tuple(sorted(setting.items())) for setting in grid_of(policy)[:budget]]


def grid_of(policy: str) -> Sequence[Parameters]:
    """Return the grid of a policy."""
    if ":" in policy:
        found: object = getattr(load_policy(policy), "contest_grid", ({},))
        return [dict(setting) for setting in checked_grid(policy, found)]
    return GRIDS.get(policy, [{}])


def checked_grid(policy: str, grid: object) -> list[tuple[tuple[str, Value], ...]]:
    """Return the settings of a policy from elsewhere, each sorted by name, or raise ValueError."""
    if not isinstance(grid, Sequence) or not grid or not all(isinstance(setting, Mapping) for setting in grid):
        raise ValueError(f"policy {policy!r}: contest_grid must be a sequence of dictionaries, got {grid!r}")
    for value in (value for setting in grid for value in setting.values()):
        # Settings are stored as JSON, and compared with what is read back.
        if not isinstance(value, float | int | str | None):
            raise ValueError(
                f"policy {policy!r}: values in contest_grid must be numbers, texts, True, False or None, got {value!r}"
            )
    return [tuple(sorted(setting.items())) for setting in grid]


def has_grid(policy: str) -> bool:
    """Return whether a policy has a grid."""
    return hasattr(load_policy(policy), "contest_grid") if ":" in policy else policy in GRIDS


def version_of(policy: str) -> str:
    """Return the library and version behind a policy from elsewhere; empty for a built-in policy."""
    return str(getattr(load_policy(policy), "contest_version", "")) if ":" in policy else ""


def is_oracle(policy: str, env: Environment) -> bool:
    """Return whether a policy is told the covariance of the environment."""
    return policy in ORACLES and isinstance(env, RandomField)
