"""The priority queue of boxes, by upper bound and then by key, and the generator that keys come from."""

import numpy as np

from quickdraw_bandits.numerics.jit import inner


@inner
def uniform(state):
    """Return a number between 0 and 1 and advance the generator (splitmix64)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return (np.float64(z >> np.uint64(11)) + 0.5) * 2.0**-53


@inner
def before(a, b):
    """Tell whether box ``a`` comes before box ``b``."""
    if a.high != b.high:
        return a.high > b.high
    return a.key < b.key


@inner
def push(heap, size, boxes, k):
    """Add box ``k`` to the heap; return its new size."""
    i = size
    while i > 0:
        above = (i - 1) // 2
        if not before(boxes[k], boxes[heap[above]]):
            break
        heap[i] = heap[above]
        i = above
    heap[i] = k
    return size + 1


@inner
def pop(heap, size, boxes):
    """Remove the first box of the heap, which the caller has read; return the heap's new size."""
    size -= 1
    k = heap[size]
    i = 0
    while True:
        below = 2 * i + 1
        if below >= size:
            break
        if below + 1 < size and before(boxes[heap[below + 1]], boxes[heap[below]]):
            below += 1
        if not before(boxes[heap[below]], boxes[k]):
            break
        heap[i] = heap[below]
        i = below
    heap[i] = k
    return size
