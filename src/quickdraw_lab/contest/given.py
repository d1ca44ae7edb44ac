"""Environments that are given to a contest as objects or functions."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from quickdraw_bandits.environments import Environment, RandomField, Recorded
from quickdraw_lab.contest.environments import EnvironmentSpec, Part, find_environment, part_of

Source = str | Environment | Callable[[int], Environment]
"""A name of the contest's environments, an environment, or a function that makes one from a seed."""


def specs_of(environments: Source | Iterable[Source] | Mapping[str, Source]) -> dict[str, EnvironmentSpec]:
    """Return what a contest plays on, by name.

    Examples
    --------
    >>> list(specs_of(["base:noise=0.2", RandomField(n_arms=5, n_rounds=9)]))
    ['base:noise=0.2', 'RandomField']
    """
    if isinstance(environments, Mapping):
        return {str(name): _spec(str(name), source) for name, source in environments.items()}
    if isinstance(environments, str | Environment) or callable(environments):
        environments = [environments]
    found: dict[str, EnvironmentSpec] = {}
    for source in environments:
        name = source if isinstance(source, str) else getattr(source, "__name__", type(source).__name__)
        if name in found:
            raise ValueError(f"environments must have different names, got {name!r} twice; give a dictionary of names")
        found[name] = _spec(name, source)
    return found


def _spec(name: str, source: Source) -> EnvironmentSpec:
    if isinstance(source, str):
        return find_environment(source, {})
    if not isinstance(source, Environment) and not callable(source):
        raise ValueError(
            f"environments must be names, environments or functions that make one from a seed, got {source!r}"
        )
    return EnvironmentSpec("given", content=name, given=Given(source))


@dataclass(frozen=True)
class Given:
    """Makes the environments of a contest from one that was given.

    A function is called with the seed. A random field is drawn again. Recorded rewards are cut: the first 40 % of the
    rounds are for tuning, the others for the result. Others keep their means, and differ in warm-up and noise.
    """

    source: Environment | Callable[[int], Environment]

    def __call__(self, part: Part, seed: int) -> Environment:
        """Return the environment of a seed, for tuning or for the result."""
        env = self.source
        if not isinstance(env, Environment):
            made = env(seed)
            if not isinstance(made, Environment):
                raise ValueError(f"environments: the function must return an Environment, got {type(made).__name__}")
            return made
        if isinstance(env, RandomField):
            return RandomField(env.length_x, env.length_t, env.power, env.noise, len(env.arms), env.n_rounds, seed=seed)
        if isinstance(env, Recorded):
            return part_of(env, part, env.noise, seed)
        return Recorded(env.mean, env.arms, env.times, noise=env.noise, seed=seed)
