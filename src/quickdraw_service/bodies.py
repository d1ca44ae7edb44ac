"""The bodies of the rare events of a log: arrays of many observations, new arms, and positions."""

import io
import json

import numpy as np

from quickdraw_bandits.checks import Floats, Integers


def pack_observations(times: Floats, arms: Integers, rewards: Floats) -> bytes:
    """Return observations as bytes: all times, all arms, all rewards, eight little-endian bytes each."""
    return times.astype("<f8").tobytes() + arms.astype("<i8").tobytes() + rewards.astype("<f8").tobytes()


def unpack_observations(body: bytes) -> tuple[Floats, Integers, Floats]:
    """Return times, arms and rewards.

    Examples
    --------
    >>> unpack_observations(pack_observations(np.array([1.0]), np.array([7]), np.array([0.5])))
    (array([1.]), array([7]), array([0.5]))
    """
    n = len(body) // 24
    times, rewards = np.frombuffer(body, "<f8", n), np.frombuffer(body, "<f8", n, 16 * n)
    return times.astype(np.float64), np.frombuffer(body, "<i8", n, 8 * n).astype(np.int64), rewards.astype(np.float64)


def pack_arms(points: Floats, labels: list[str] | None) -> bytes:
    """Return points in NumPy's file format, and the labels behind them as JSON."""
    file = io.BytesIO()
    np.save(file, np.ascontiguousarray(points, dtype=np.float64), allow_pickle=False)
    return file.getvalue() + json.dumps(labels).encode()


def unpack_arms(body: bytes) -> tuple[Floats, list[str] | None]:
    """Return points and labels.

    Examples
    --------
    >>> unpack_arms(pack_arms(np.array([[2.0]]), ["two"]))
    (array([[2.]]), ['two'])
    """
    file = io.BytesIO(body)
    points = np.load(file, allow_pickle=False)
    return points, json.loads(file.read())


def pack_positions(arms: Integers) -> bytes:
    """Return positions of arms as bytes, eight little-endian ones each."""
    return arms.astype("<i8").tobytes()


def unpack_positions(body: bytes) -> Integers:
    """Return positions of arms.

    Examples
    --------
    >>> unpack_positions(pack_positions(np.array([3, 1])))
    array([3, 1])
    """
    return np.frombuffer(body, "<i8").astype(np.int64)
