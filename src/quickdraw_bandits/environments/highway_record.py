"""Recorded speeds on a highway, which come with the package."""

from importlib.resources import as_file, files

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.environments.recorded import Recorded

FILE = "highway_speed/speeds.npz"


def highway(noise: float = 0.0, seed: int = 0) -> Recorded:
    """Return recorded speeds on 200 cells of a congested highway in 500 steps, as an environment.

    Waves of congestion travel along the road, against the traffic. The reward of a cell is its speed at that step,
    scaled to [0, 1] by the lowest and highest speed of the record. The arms are the cells, in the order of the road.
    Times run from 0 up to 1. Gaps of the record, 1 % of it, are interpolated over time.

    The record is from the NGSIM program of the US Federal Highway Administration; see the NOTICE beside the file.

    Parameters
    ----------
    noise, seed
        As for ``Environment``; noise is added to the scaled speeds.

    Examples
    --------
    >>> highway()
    Recorded(500 rounds, 200 arms, noise=0, seed=0)
    """
    with as_file(files(__package__) / FILE) as file, np.load(file) as stored:
        speeds = stored["speeds"].astype(np.float64)
    low, high = speeds.min(), speeds.max()
    return Recorded(
        (speeds - low) / (high - low), Arms.grid(0, speeds.shape[1] - 1, speeds.shape[1]), None, noise, seed
    )
