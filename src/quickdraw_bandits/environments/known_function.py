"""A reward given by a formula."""

import inspect
from collections.abc import Callable
from typing import Any, final

import numpy as np

from quickdraw_bandits.arms import Arms
from quickdraw_bandits.checks import Floats, integer
from quickdraw_bandits.environments.environment import Environment, read_only, round_times


@final
class KnownFunction(Environment):
    """A function of one coordinate, or of a coordinate and time, as the mean reward.

    Parameters
    ----------
    function
        ``f(x)``, or ``f(x, t)`` for a reward that drifts, told apart by the number of arguments without a default. It
        is called once with whole arrays, or point by point if it does not accept them. Its values are not scaled.
    n_arms
        Number of arms, evenly spaced from ``low`` to ``high``; default 1,000.
    n_rounds
        Number of rounds, evenly spaced from time 0 up to 1; default 1,000.
    low, high
        Coordinates of the first and the last arm; default -1 and 1.
    noise, seed
        As for ``Environment``.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> env = qd.environments.KnownFunction(lambda x, t: x * t, n_arms=3, n_rounds=2)
    >>> env.mean
    array([[-0. ,  0. ,  0. ],
           [-0.5,  0. ,  0.5]])
    """

    def __init__(
        self,
        function: Callable[..., object] | np.ufunc,
        n_arms: int = 1000,
        n_rounds: int = 1000,
        low: float = -1.0,
        high: float = 1.0,
        noise: float = 0.0,
        seed: int = 0,
    ) -> None:
        arms = Arms.grid(low, high, integer("n_arms", n_arms, at_least=1))
        super().__init__(arms, round_times(n_rounds), noise, seed)
        x = arms.points[:, 0].astype(np.float64)
        if _drifts(function):
            self._mean = read_only(_values(function, x[None, :], self.times[:, None]))
        else:
            # One row repeated by its stride: it takes the memory of one round.
            self._mean = np.broadcast_to(_values(function, x), (self.n_rounds, len(arms)))

    @property
    def mean(self) -> Floats:
        """The value of the function at every arm in every round."""
        return self._mean


def _drifts(function: Callable[..., object] | np.ufunc) -> bool:
    """Tell f(x, t) from f(x) by the number of arguments that must be given."""
    if not callable(function):
        raise ValueError(f"function must be a function of x, or of x and t, got {function!r}")
    if isinstance(function, np.ufunc):
        count = function.nin
    else:
        parameters = inspect.signature(function).parameters.values()
        count = sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    if count not in (1, 2):
        raise ValueError(f"function must take x, or x and t, got one that takes {count} arguments: {function!r}")
    return count == 2


def _values(function: Callable[..., Any] | np.ufunc, *at: Floats) -> Floats:
    """Return finite values of the function on the grid that the coordinates span."""
    shape = np.broadcast_shapes(*(coordinate.shape for coordinate in at))
    try:
        values = np.array(function(*at), dtype=np.float64)
        whole = values.shape == shape
    except (TypeError, ValueError):
        whole = False
    if not whole:
        # One number at a time; an error within the function itself is raised here.
        grid = np.broadcast_arrays(*at)
        points = zip(*(coordinate.ravel().tolist() for coordinate in grid), strict=True)
        values = np.array([float(function(*point)) for point in points]).reshape(shape)
    if not np.isfinite(values).all():
        where = tuple(np.argwhere(~np.isfinite(values))[0])
        point = ", ".join(f"{name}={np.broadcast_to(c, shape)[where]:g}" for name, c in zip("xt", at, strict=False))
        raise ValueError(f"function must be finite at every arm and time, got {values[where]} at {point}")
    return values
