"""When and how the adaptive policy follows a single peak instead of a field of similar rewards."""

from typing import TYPE_CHECKING, Any

import numpy as np

from quickdraw_bandits.arms import Box
from quickdraw_bandits.checks import Floats
from quickdraw_bandits.policies.adaptive.peaks import FIRST, HISTORY, Peaks
from quickdraw_bandits.policies.adaptive.scales import Scales
from quickdraw_bandits.policies.adaptive.sighting import Sighting

if TYPE_CHECKING:
    from quickdraw_bandits.policies.adaptive_quick_draw import AdaptiveQuickDraw

LEAST_RATIO = 2 / 3
"""The line may become longer by 1 / this while a peak goes on being followed; widths are parts of its length."""


def follow(policy: "AdaptiveQuickDraw[Any]", times: Floats, arms: Any, rewards: Floats) -> None:
    """Take in rewards that the policy is about to learn from: where the peak may be, and how well it predicts."""
    if not _on_a_line(policy) or not policy._steps.known:
        return
    peaks, (low, high) = policy._peaks, policy._pool.limits
    single, reward = len(times) == 1, float(rewards[0])
    if single and not low <= reward <= high:
        return  # an outlier
    lost = peaks.lost
    if not lost and not low <= peaks.highest <= high:  # so was one of the first rewards
        policy._peaks = peaks = Peaks()
        look_for_peak(policy)
        lost = peaks.lost
    if lost:  # rewards that are no longer those of before say nothing of what to expect
        look_for_peak(policy, FIRST if single else HISTORY)
    elif single and not peaks.passes_over():
        field = policy._surprises.log_density(policy._pool, arms[0], reward)
        peaks.learn(float(times[0]), float(policy._space.places(arms)[0, 0]), reward, policy._steps, field)
    elif not single:
        latest = np.argsort(times, kind="stable")[-HISTORY:]
        places = policy._space.places(arms[latest])[:, 0]
        for time, place, paid in zip(times[latest].tolist(), places.tolist(), rewards[latest].tolist(), strict=True):
            peaks.learn(time, place, paid, policy._steps, None)


def look_for_peak(policy: "AdaptiveQuickDraw[Any]", latest: int = HISTORY) -> None:
    """Look for the peak again, in the latest observations: where the clock, the arms or the rewards have changed."""
    if _on_a_line(policy):
        seen, (low, high) = policy._seen, policy._pool.limits
        rows = np.arange(max(len(seen.rewards) - latest, 0), len(seen.rewards))
        rows = rows[(seen.rewards[rows] >= low) & (seen.rewards[rows] <= high)]
        places = policy._space.places(seen.arms[rows])[:, 0]
        policy._peaks.restart(seen.times[rows], places, seen.rewards[rows], policy._steps)


def adapt_to_arms(policy: "AdaptiveQuickDraw[Any]", ratio: float) -> None:
    """Go on with other arms, where a length is ``ratio`` times the number that it was before.

    The field decides from now on if they are no line, or a much longer one, on which the same width is another.
    """
    if not _on_a_line(policy) or ratio < LEAST_RATIO:
        policy._peaks = Peaks()
    elif ratio != 1.0:
        look_for_peak(policy)


def follows_peak(policy: "AdaptiveQuickDraw[Any]") -> bool:
    """Return whether the peak decides. While pulls are pending, the field decides: it counts where they are."""
    return policy._peaks.leads and len(policy._pending) == 0


def with_peak(policy: "AdaptiveQuickDraw[Any]", scales: Scales) -> Scales:
    """Return the scales with width and velocity of the peak, if it decides."""
    if not follows_peak(policy):
        return scales
    return scales.with_peak(policy._peaks.best, policy._space.diameter, policy._steps.step)


def is_past(policy: "AdaptiveQuickDraw[Any]", time: float) -> bool:
    """Return whether a time is before the latest pull: the filter does not say where the peak was then."""
    return policy._peaks.is_past(time)


def sighting(policy: "AdaptiveQuickDraw[Any]", time: float) -> Sighting:
    """Return where the peak may be at a time."""
    return policy._peaks.at(time, policy._steps)


def best_place(policy: "AdaptiveQuickDraw[Any]", box: Box, time: float) -> Floats:
    """Return the place of the largest expected reward in a box of one dimension."""
    part = sighting(policy, time).best_place()
    return np.minimum(box.low + part * (box.high - box.low), box.high)  # rounding must not leave the box


def rewards_around_peak(policy: "AdaptiveQuickDraw[Any]", time: float, arms: Any) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of the rewards of all arms or some, by where the peak may be."""
    targets = policy._space.towards(arms, np.empty(0, dtype=np.int64))
    return sighting(policy, time).rewards(targets.columns[0])


def _on_a_line(policy: "AdaptiveQuickDraw[Any]") -> bool:
    """Return whether arms are at many places along one coordinate: a peak says nothing of arms at the same place."""
    return policy._grid.follows and policy._space.spread_out
