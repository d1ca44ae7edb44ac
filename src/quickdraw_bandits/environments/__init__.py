"""Environments: random fields, known functions, recorded data."""

from quickdraw_bandits.environments.environment import Environment
from quickdraw_bandits.environments.highway_record import highway
from quickdraw_bandits.environments.known_function import KnownFunction
from quickdraw_bandits.environments.random_field import RandomField
from quickdraw_bandits.environments.recorded import Recorded

__all__ = ["Environment", "KnownFunction", "RandomField", "Recorded", "highway"]
