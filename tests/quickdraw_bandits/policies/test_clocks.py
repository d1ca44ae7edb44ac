"""Times of every kind at the boundary: one clock a policy, nothing silently converted."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

import quickdraw_bandits as qd

ARMS = qd.Arms.grid(0, 1, 5)


@pytest.mark.parametrize(
    "times",
    [
        [0.0, np.datetime64("2020-01-01")],
        [0.0, np.datetime64("NaT")],
        [0.0, datetime(2020, 1, 1, tzinfo=UTC)],
        [1, np.timedelta64(1, "s")],
        [0.0, timedelta(days=1)],
        np.array([1, 2], dtype="timedelta64[s]"),
    ],
)
def test_dates_among_numbers_are_refused(times):
    policy = qd.QuickDraw(ARMS, seed=0)
    with pytest.raises(ValueError, match="time must be numbers or datetimes, not both"):
        policy.update(times, [1, 1], [0.5, 0.5])
    assert policy.n_observations == 0


def test_an_array_of_dates_as_objects_is_one_of_dates():
    policy = qd.QuickDraw(ARMS, time_scale=timedelta(days=1), seed=0)
    policy.update(np.array([np.datetime64("2020-01-01")] * 2, dtype=object), [1, 1], [0.5, 0.5])
    assert policy.observations[0].astype("datetime64[D]").tolist() == [datetime(2020, 1, 1).date()] * 2


def test_nothing_announced_leaves_the_clock_open():
    policy = qd.AdaptiveQuickDraw(ARMS, seed=0)
    policy.expect([], [])
    assert policy.select(datetime(2026, 1, 1, tzinfo=UTC)) in range(5)


def test_what_is_pending_can_be_forgotten_as_it_is_returned():
    policy = qd.AdaptiveQuickDraw(ARMS, seed=0)
    policy.expect(np.datetime64("2026-01-01T00:00:00.123456789"), 1)
    policy.forget(*policy.pending)
    assert len(policy.pending[0]) == 0


@pytest.mark.parametrize("time", [1.1e300, -1.7e308])
def test_times_whose_differences_overflow_are_refused(time):
    policy = qd.QuickDraw(qd.Box([0, 0], [1, 1]), time_scale=None, seed=3)
    for call in (lambda: policy.update(time, [0.1, 0.2], 0.5), lambda: policy.select(time)):
        with pytest.raises(ValueError, match="time must be from -1e\\+300 to 1e\\+300"):
            call()
    few = qd.QuickDraw(ARMS, seed=3)
    for times, arms, rewards in ((time, 1, 0.5), ([0.0, time], [1, 1], [0.5, 0.5])):
        with pytest.raises(ValueError, match="from -1e\\+300 to 1e\\+300"):
            few.update(times, arms, rewards)
    assert few.n_observations == policy.n_observations == 0


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("SpaceTimeGPUCB", "time_scale"),
        ("TimeVaryingGPUCB", "time_unit"),
        ("WeightedGPUCB", "time_unit"),
        ("PriorEliminationGPUCB", "time_unit"),
        ("PredictiveSampling", "time_unit"),
    ],
)
def test_with_datetimes_lengths_of_time_are_timedeltas(name, given):
    kind, day = getattr(qd.policies, name), datetime(2026, 1, 1, tzinfo=UTC)
    with pytest.raises(ValueError, match="give every length of time as a timedelta"):
        kind(ARMS, seed=0).select(day)
    dates, seconds = (kind(ARMS, **{given: span}, seed=0) for span in (timedelta(hours=1), 3600.0))
    for k in range(12):
        moment = day + timedelta(minutes=7 * k)
        arm = dates.select(moment)
        assert arm == seconds.select(moment.timestamp())
        dates.update(moment, arm, 0.1 * arm)
        seconds.update(moment.timestamp(), arm, 0.1 * arm)
