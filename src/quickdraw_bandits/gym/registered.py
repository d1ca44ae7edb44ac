"""What ``gymnasium.make`` calls: every environment of this library, built anew from the seed of each episode."""

from collections.abc import Callable

from quickdraw_bandits.environments import Environment, KnownFunction, RandomField, Recorded
from quickdraw_bandits.gym.arrivals import Delay
from quickdraw_bandits.gym.bandit_env import BanditEnv


def random_field(delay: Delay = 0, **arguments: object) -> BanditEnv:
    """Return random fields, a new one in every episode."""
    return _seeded(RandomField, arguments, delay)


def known_function(delay: Delay = 0, **arguments: object) -> BanditEnv:
    """Return a known function, with new noise in every episode."""
    return _seeded(KnownFunction, arguments, delay)


def recorded(delay: Delay = 0, **arguments: object) -> BanditEnv:
    """Return recorded rewards, with new noise in every episode."""
    return _seeded(Recorded, arguments, delay)


def _seeded(kind: Callable[..., Environment], arguments: dict[str, object], delay: Delay) -> BanditEnv:
    if "seed" in arguments:
        raise ValueError(f"seed must be given to reset, not to make; got seed={arguments['seed']!r}")
    return BanditEnv(lambda seed: kind(seed=seed, **arguments), delay)
