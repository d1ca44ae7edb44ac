"""Whatever bytes come, decoding gives a checked value or an error of the service."""

import json
import math

from hypothesis import example, given
from hypothesis import strategies as st

from quickdraw_service.api.decoding import decode_json, decode_query, decode_segment
from quickdraw_service.api.operation import Routes
from quickdraw_service.api.operations import OPERATIONS
from quickdraw_service.api.wire import BeliefQuery, DecideBody, ExperimentBody, LogQuery, RewardsBody
from quickdraw_service.errors import ServiceError

numbers = st.floats() | st.integers() | st.booleans() | st.text(max_size=3) | st.none()
values = st.recursive(
    numbers, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)


def outcome(decode, *arguments):
    """Return the value, or None for an error that the API answers with below 500."""
    try:
        return decode(*arguments)
    except ServiceError as error:
        refused = error
    assert 400 <= refused.status < 500
    assert refused.message
    return None


@given(st.binary(max_size=200))
@example(b'{"id": "\\ud83d"}')
@example(b'{"rewards": [{"id": "x", "reward": 1e400}]}')
def test_any_bytes(body):
    for kind in (DecideBody, RewardsBody, ExperimentBody):
        outcome(decode_json, body, kind)


@given(id=values, time=values, among=values, count=values)
def test_any_values_of_the_fields(id, time, among, count):
    body = json.dumps({"id": id, "time": time, "among": among, "count": count}).encode()
    found = outcome(decode_json, body, DecideBody)
    if found is not None:
        assert found.time is None or (type(found.time) is float and math.isfinite(found.time))
        assert found.id is None or 1 <= len(found.id) <= 128
        assert "\0" not in (found.id or "")
        assert found.count is None or type(found.count) is int
        assert type(count) is not bool
        assert type(time) is not bool
        assert not isinstance(time, str)


@given(st.lists(st.fixed_dictionaries({"id": values, "reward": values}), max_size=3))
def test_any_rewards(rewards):
    found = outcome(decode_json, json.dumps({"rewards": rewards}).encode(), RewardsBody)
    if found is not None:
        assert all(math.isfinite(item.reward) and item.id for item in found.rewards)
        assert [item.reward for item in found.rewards] == [item["reward"] for item in rewards]


@given(st.binary(max_size=60) | st.text(alphabet="timepons=&%0123456789eE+-.nafi", max_size=40).map(str.encode))
def test_any_query(query):
    found = outcome(decode_query, query, BeliefQuery)
    if found is not None:
        assert found.time is None or math.isfinite(found.time)
        assert 1 <= found.points <= 10_000
    outcome(decode_query, query, LogQuery)


@given(st.binary(max_size=60))
def test_any_path(path):
    operations, segments = Routes(OPERATIONS).find(b"/" + path)
    assert operations is None or all(operation.path.startswith("/") for operation in operations.values())
    for segment in [*segments, path]:
        outcome(decode_segment, segment)


def test_segments_are_found_before_they_are_decoded():
    operations, segments = Routes(OPERATIONS).find(b"/v1/experiments/a/decisions/x%2Freward/reward")
    assert set(operations) == {"PUT"}
    assert [decode_segment(segment) for segment in segments] == ["a", "x/reward"]
