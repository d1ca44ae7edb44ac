import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quickdraw_bandits.interpolation.engines.tree.boxes import box_type
from quickdraw_bandits.interpolation.engines.tree.queue import pop, push, uniform


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1000)), min_size=1, max_size=40), st.randoms())
def test_boxes_come_by_upper_bound_and_then_by_key(boxes, random):
    table = np.zeros(len(boxes), dtype=box_type(1)).view(np.recarray)
    table.high, table.key = np.array(boxes, dtype=float).T
    heap = np.empty(len(boxes), dtype=np.int64)
    size, waiting = 0, []
    for k in range(len(boxes)):
        size = push(heap, size, table, k)
        waiting.append(k)
        if random.random() < 0.3:
            first = min(waiting, key=lambda k: (-boxes[k][0], boxes[k][1]))
            assert boxes[heap[0]] == boxes[first]
            waiting.remove(heap[0])
            size = pop(heap, size, table)
    seen = []
    while size:
        seen.append(boxes[heap[0]])
        size = pop(heap, size, table)
    assert seen == sorted((boxes[k] for k in waiting), key=lambda box: (-box[0], box[1]))


def test_the_generator_is_splitmix64():
    state = np.array([1234567], dtype=np.uint64)
    # The first outputs of the reference implementation for this seed.
    with np.errstate(over="ignore"):
        drawn = [uniform(state) for _ in range(3)]
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    np.testing.assert_allclose(drawn, np.array(expected, dtype=float) / 2**64, atol=1e-15)
