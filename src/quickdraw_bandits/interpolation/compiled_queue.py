"""Which box is looked at next: a heap by upper bounds and keys, and the generator that the keys come from."""

import numpy as np
from numba import njit

from quickdraw_bandits.interpolation.compiled_boxes import HIGH, KEY

_compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract", "arcp", "nsz"})


@_compiled
def uniform(state):
    """Return a number between 0 and 1 and step the generator (splitmix64)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return (np.float64(z >> np.uint64(11)) + 0.5) * 2.0**-53


@_compiled
def before(boxes, a, b):
    """Tell whether box ``a`` is to be looked at before box ``b``."""
    if boxes[a, HIGH] != boxes[b, HIGH]:
        return boxes[a, HIGH] > boxes[b, HIGH]
    return boxes[a, KEY] < boxes[b, KEY]


@_compiled
def push(heap, size, boxes, k):
    """Add a box to the heap; return its new size."""
    i = size
    while i > 0:
        above = (i - 1) // 2
        if not before(boxes, k, heap[above]):
            break
        heap[i] = heap[above]
        i = above
    heap[i] = k
    return size + 1


@_compiled
def pop(heap, size, boxes):
    """Remove the first box of the heap, which the caller has read; return the heap's new size."""
    size -= 1
    k = heap[size]
    i = 0
    while True:
        below = 2 * i + 1
        if below >= size:
            break
        if below + 1 < size and before(boxes, heap[below + 1], heap[below]):
            below += 1
        if not before(boxes, heap[below], k):
            break
        heap[i] = heap[below]
        i = below
    heap[i] = k
    return size
