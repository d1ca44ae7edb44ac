"""Times of every kind at the boundary: one clock a policy, nothing silently converted."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pandas
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


def test_nanoseconds_are_cut_off_alike_in_every_kind_of_datetime():
    policy = qd.AdaptiveQuickDraw(ARMS, seed=0)
    time = pandas.Timestamp("2026-01-01 00:00:00.123456789")
    for announced in (time, time.tz_localize("UTC"), time.to_datetime64(), time.to_pydatetime(warn=False)):
        policy.expect(announced, 1)
    assert set(policy.pending[0].tolist()) == {datetime(2026, 1, 1, microsecond=123456)}
    policy.update(pandas.Series([time] * 4), [1] * 4, [0.5] * 4)
    assert len(policy.pending[0]) == 0


@pytest.mark.parametrize("kind", ["update", "expect", "forget"])
@pytest.mark.parametrize("nothing", [[], (), np.empty(0), np.empty(0, "datetime64[us]")], ids=str)
def test_no_times_at_all_are_of_either_kind(kind, nothing):
    for time_scale in (1.0, timedelta(days=1)):
        policy = qd.QuickDraw(ARMS, time_scale=time_scale, seed=0)
        getattr(policy, kind)(nothing, *([[]] * (2 if kind == "update" else 1)))
        assert policy.n_observations == 0


@pytest.mark.parametrize(
    "time", [(2**62, "s"), (2**62, "D"), (-(2**62), "W"), (2**62, "Y"), (330_000, "Y"), (2**60, "ms")]
)
def test_dates_that_would_wrap_around_are_refused(time):
    policy = qd.AdaptiveQuickDraw(ARMS, seed=0)
    with pytest.raises(ValueError, match=r"time must be within 100,000,000 days of 1970, got .* at position 0"):
        policy.select(np.datetime64(*time))
    with pytest.raises(ValueError, match=r"time must be within 100,000,000 days of 1970, got .* at position 1"):
        policy.update(np.array(["2026-01-01", np.datetime64(*time)], f"datetime64[{time[1]}]"), [1, 1], [0.5, 0.5])
    assert policy.select(0.0) in range(5)


def test_dates_of_every_unit_are_the_same_instants():
    for unit in ("Y", "M", "D", "h", "s", "ms", "us", "ns"):
        policy = qd.AdaptiveQuickDraw(ARMS, seed=0)
        policy.expect(np.datetime64("2026-01-01", unit), 1)
        assert policy.pending[0].tolist() == [datetime(2026, 1, 1)]


@pytest.mark.parametrize("span", [np.timedelta64(2**40, "D"), np.timedelta64(3, "M"), np.timedelta64(3)], ids=repr)
def test_lengths_of_time_without_a_length_in_seconds_are_refused(span):
    with pytest.raises(ValueError, match=r"time_scale must be a length of up to .*, got np\.timedelta64"):
        qd.QuickDraw(ARMS, time_scale=span)


def test_a_length_of_centuries():
    policy = qd.QuickDraw(ARMS, time_scale=np.timedelta64(400 * 365, "D"))
    assert policy.kernel.time_scale == 400 * 365 * 86400


def test_datetimes_in_rows_of_different_lengths():
    with pytest.raises(ValueError, match="time must hold datetimes, got rows of different lengths"):
        qd.AdaptiveQuickDraw(ARMS).update([datetime(2026, 1, 1), [1.0, 2.0]], [1, 1], [0.5, 0.5])
