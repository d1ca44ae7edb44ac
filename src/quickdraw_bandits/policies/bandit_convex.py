"""Non-stationary bandit convex optimisation (PBGD)."""

from typing import Any

import numpy as np

from quickdraw_bandits.arms import Box
from quickdraw_bandits.arms.arm_set import ArmSet
from quickdraw_bandits.arms.subset import Subset
from quickdraw_bandits.checks import Floats, Integers, Seed, integer, number, positive
from quickdraw_bandits.policies.decision import ArmT
from quickdraw_bandits.policies.lattice import Lattice
from quickdraw_bandits.policies.policy import Policy
from quickdraw_bandits.policies.probes import OpenProbes, Probe

MOST_EXACT = 2
"""Dimensions up to which the probability of a choice is known."""


class BanditConvex(Policy[ArmT]):
    """Gradient ascent on a concave reward that drifts, with gradients estimated from one or two rewards.

    Zhao, Wang, Zhang and Zhou, *Bandit convex optimization in non-stationary environments* (2021): parameter-free
    bandit gradient descent (PBGD). It minimises the loss f = -reward over the arms, scaled to the cube [-1, 1]^d.
    Experts i at y_i with step sizes eta_i have weights w_i. Every round, with y = sum w_i y_i and a random unit vector
    s, play x = y + delta s, estimate the gradient g, and move every expert:

        g   = (d / delta) f(x) s                                          (one point, after Flaxman et al. 2005)
        g   = (d / (2 delta)) (f(y + delta s) - f(y - delta s)) s         (two points)
        w_i ~ w_i exp(-epsilon g·(y_i - y)),    epsilon = 2 / (G D sqrt(t))
        y_i = y_i - eta_i g, projected onto (1 - delta) [-1, 1]^d

    D = 2 R is the diameter of the cube, R = sqrt(d), and G bounds g: d C / delta or d L. For T gradients the steps are
    sqrt(7 R² / (k G² T)) times 1, 2, 4, … up to sqrt((7 R² + 2 R² T) / (k G² T)), for k = 1 or 2 points; at first w_i
    is proportional to 1 / (i (i + 1)). delta is the smaller of 1/2 and sqrt(d) R T^(-1/4), or d R T^(-1/2). All these
    are the constants of PyNOL, the library of the same authors.

    ``points=1`` is the source's bandit algorithm. The default ``points=2`` differs: in the source both points belong
    to one round, here they are two consecutive choices, between which the reward may drift, and T is half the horizon.
    It is the default because a slope from one reward is too noisy to learn much in 1,000 rounds.

    Differs from the source in two more ways. On a grid, the arm nearest to x is played. Arms chosen by others count
    only before the first choice: the experts start at the best of them. A late reward moves the experts when it
    arrives; it is identified by its time and arm.

    ``decide`` and ``probabilities`` are exact on a line and in the plane, and raise NotImplementedError in more
    dimensions. ``add_arms`` raises it, too: steps, experts and delta are set for the range that the arms have.

    Parameters
    ----------
    arms
        A ``Box``, or ``Arms`` on an evenly spaced grid of any dimension. Other arms raise ValueError.
    points
        Rewards per gradient, 1 or 2; default 2. With 2, gradients are half as many and much less noisy.
    horizon
        Number of rounds to be played; default 1,000. A larger value takes smaller steps.
    bound
        For one point C, the largest absolute reward; for two points L, the steepest slope over the cube, in units of
        the reward; default 1. A larger value takes smaller steps.
    perturbation
        delta, the distance at which slopes are measured on the cube [-1, 1]^d, above 0 and below 1. The default None
        is the source's value. A larger value measures more precisely and plays further from the optimum.
    seed
        An integer or a ``numpy.random.Generator``; draws s.

    Attributes
    ----------
    centre
        Coordinates of y, around which the policy plays.

    Examples
    --------
    >>> import quickdraw_bandits as qd
    >>> policy = qd.policies.BanditConvex(qd.Box(0.0, 10.0), seed=0)
    >>> for t in range(200):
    ...     x = policy.select(t)
    ...     policy.update(t, x, 1 - ((x[0] - 7) / 10) ** 2)
    >>> policy.centre.round(0)
    array([7.])
    """

    plays_boxes = True

    def __init__(
        self,
        arms: ArmSet[ArmT],
        points: int = 2,
        horizon: int = 1000,
        bound: float = 1.0,
        perturbation: float | None = None,
        seed: Seed = None,
    ) -> None:
        super().__init__(arms, seed)
        self._lattice = Lattice(self.arms, "BanditConvex")
        self.points = integer("points", points, at_least=1, at_most=2)
        self.horizon = integer("horizon", horizon, at_least=self.points)
        self.bound = positive("bound", bound)
        d, T, R = self._lattice.dimension, self.horizon // self.points, np.sqrt(self._lattice.dimension)
        if perturbation is None:
            perturbation = min(0.5, np.sqrt(d) * R * T**-0.25 if self.points == 1 else d * R * T**-0.5)
        self.perturbation = number("perturbation", perturbation)
        if not 0 < self.perturbation < 1:
            raise ValueError(f"perturbation must be above 0 and below 1, got {perturbation!r}")
        G = d * self.bound / self.perturbation if self.points == 1 else d * self.bound
        self._rate = 2 / (G * 2 * R)
        n_experts = 1 + int(np.ceil(np.log2(np.sqrt((7 + 2 * T) / 7))))
        i = np.arange(1, n_experts + 1)
        self._steps = np.sqrt(7 * R**2 / (self.points * G**2 * T)) * 2.0 ** (i - 1)
        self._log_weights = -np.log(i * (i + 1.0))
        self._experts = np.zeros((n_experts, d))
        self._best_reward = -np.inf
        self._n_gradients = 0
        self._open = OpenProbes()
        self._other_side: Probe | None = None

    @property
    def centre(self) -> Floats:
        """Coordinates of y, around which the policy plays."""
        if isinstance(self.arms, Box):
            low, high = self.arms.low, self.arms.high
        else:
            low, high = self.arms.points.min(axis=0), self.arms.points.max(axis=0)
        centre: Floats = low + (self._middle() + 1) / 2 * (high - low)
        return centre

    def _middle(self) -> Floats:
        weights = np.exp(self._log_weights - self._log_weights.max())
        middle: Floats = weights @ self._experts / weights.sum()
        return middle

    def _select(self, time: float, among: Subset | None = None) -> int | Floats:
        probe, side = self._other_side, -1.0
        self._other_side = None
        if probe is None:
            probe, side = Probe(self._middle(), self._direction(), self.points), 1.0
            self._other_side = probe if self.points == 2 else None
        place = self._place(probe.middle + side * self.perturbation * probe.direction)
        arm = self._lattice.arm(place, self._random, among)
        self._open.add(time, arm, side, probe)
        return arm

    def _direction(self) -> Floats:
        d = self._lattice.dimension
        if d == 1:
            return np.array([2.0 * self._random.integers(2) - 1.0])
        normal = self._random.standard_normal(d)
        direction: Floats = normal / np.sqrt(normal @ normal)
        return direction

    def _place(self, x: Floats) -> Floats:
        """Return the place of the lattice nearest to x in [-1, 1]^d."""
        unit = np.clip((x + 1) / 2, 0.0, 1.0)
        return unit if self._lattice.is_box else np.rint(unit * (self._lattice.sizes - 1))

    def _decide(self, time: float, among: Subset | None) -> tuple[int, float]:
        ends = self._ends(among)
        arm: Any = self._select(time, among)
        return arm, sum(chance * np.count_nonzero(arms == arm) / len(arms) for arms, chance in ends)

    def _probabilities(self, time: float, among: Subset | None = None) -> Floats:
        probabilities = np.zeros(len(self._arm_set))
        for arms, chance in self._ends(among):
            probabilities[arms] += chance / len(arms)
        return probabilities

    def _ends(self, among: Subset | None) -> list[tuple[Integers, float]]:
        """Return the arms nearest to each place that may be probed next, one set per place, and its probability."""
        if self._lattice.dimension > MOST_EXACT:
            raise NotImplementedError(
                f"BanditConvex has no exact probabilities in more than {MOST_EXACT} dimensions, got "
                f"{self._lattice.dimension}, because directions on a sphere have none in closed form; use select, or "
                "keep a log with another policy, such as HOO or Mixed(AdaptiveQuickDraw(arms))"
            )
        if self._other_side is not None:
            places = [(self._other_side.middle - self.perturbation * self._other_side.direction, 1.0)]
        elif self._lattice.dimension == 1:
            places = [(self._middle() + sign * self.perturbation, 0.5) for sign in (-1.0, 1.0)]
        else:
            places = self._arcs()
        return [(self._lattice.arms_near(self._place(place), among), chance) for place, chance in places]

    def _arcs(self) -> list[tuple[Floats, float]]:
        """Return the middle of each arc of the circle around y that is in one cell of the grid, and its share.

        A coordinate x_j is rounded to another place at the halves between places, x_j = (2 k + 1) / (n_j - 1) - 1. The
        circle crosses that line where cos or sin of the angle is (x_j - y_j) / delta.
        """
        middle, angles = self._middle(), [np.zeros(1)]
        for j, size in enumerate(self._lattice.sizes.tolist()):
            lines = (2 * np.arange(size - 1) + 1) / max(size - 1, 1) - 1
            parts = (lines - middle[j]) / self.perturbation
            parts = parts[np.abs(parts) < 1]
            crossed = np.arccos(parts) if j == 0 else np.arcsin(parts)
            angles += [crossed, -crossed if j == 0 else np.pi - crossed]
        edges = np.sort(np.concatenate(angles) % (2 * np.pi))
        edges = np.append(edges, 2 * np.pi)
        between, shares = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / (2 * np.pi)
        directions = np.column_stack([np.cos(between), np.sin(between)])
        return [(middle + self.perturbation * d, share) for d, share in zip(directions, shares.tolist(), strict=True)]

    def _update(self, times: Floats, arms: Integers | Floats, rewards: Floats) -> None:
        if self._open.n_added == 0:
            best = int(np.argmax(rewards))
            if rewards[best] > self._best_reward:
                self._best_reward = float(rewards[best])
                self._start_at(self._lattice.places(arms[best : best + 1])[0])
            return
        for time, arm, reward in zip(times, arms, rewards, strict=True):
            probe = self._open.add_reward(time, arm, reward)
            if probe is not None:
                slope = -probe.difference * self._lattice.dimension / (self.points * self.perturbation)
                self._descend(slope * probe.direction)

    def _start_at(self, place: Floats) -> None:
        last = 1 if self._lattice.is_box else np.maximum(self._lattice.sizes - 1, 1)
        limit = 1 - self.perturbation
        self._experts[:] = np.clip(2 * place / last - 1, -limit, limit)

    def _descend(self, gradient: Floats) -> None:
        gradient = np.clip(gradient, -1e100, 1e100)  # so that huge rewards do not become infinities
        self._n_gradients += 1
        rate = self._rate / np.sqrt(self._n_gradients)
        self._log_weights -= rate * ((self._experts - self._middle()) @ gradient)
        limit = 1 - self.perturbation
        self._experts = np.clip(self._experts - self._steps[:, None] * gradient, -limit, limit)
