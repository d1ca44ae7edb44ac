"""An experiment to look at: prices whose best one drifts, played over HTTP like any other client would."""

import threading
import time as system_time

import numpy as np

from quickdraw_service.client import Client
from quickdraw_service.errors import ServiceError

NAME = "demo"
ARMS = 200
FILLED = 600
"""Rounds that are played before the first look."""
ROUND_SECONDS = 0.25


def mean_reward(place: float, time: float) -> float:
    """Return the mean reward at a place from 0 to 1: two peaks that wander, and change their heights.

    Examples
    --------
    >>> 0 <= mean_reward(0.3, 12.0) <= 1
    True
    """
    first = 0.5 + 0.38 * np.sin(time / 37)
    second = 0.5 + 0.42 * np.sin(time / 61 + 2)
    height = 0.5 + 0.3 * np.sin(time / 83)
    peaks = height * np.exp(-(((place - first) / 0.09) ** 2)) + (1 - height) * np.exp(-(((place - second) / 0.09) ** 2))
    return float(0.1 + 0.8 * peaks)


def play(client: Client, rounds: int, start: float, pause: float, random: np.random.Generator) -> None:
    """Decide and reward, round after round; times go on from ``start``, a quarter of a second per round."""
    for k in range(rounds):
        decision = client.decide(NAME, time=start + k * ROUND_SECONDS)
        reward = mean_reward(decision.arm / (ARMS - 1), decision.time) + 0.05 * random.standard_normal()
        client.reward(NAME, decision.id, float(reward))
        if pause:
            system_time.sleep(pause)


def play_for_ever(url: str) -> None:
    """Create the experiment, fill its past, and then play one round every quarter of a second."""
    random = np.random.default_rng()
    with Client(url) as client:
        is_new = client.create(NAME, arms={"grid": {"low": 0.0, "high": 1.0, "n": ARMS}})
        past = FILLED * ROUND_SECONDS
        try:
            if is_new:
                play(client, FILLED, system_time.time() - past, 0.0, random)
            while True:
                play(client, 1, system_time.time(), ROUND_SECONDS, random)
        except (ServiceError, OSError):
            return  # the server has stopped


def play_in_background(url: str) -> None:
    """Start playing; the thread ends with the process."""
    threading.Thread(target=play_for_ever, args=(url,), name="demo", daemon=True).start()
