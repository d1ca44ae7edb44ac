"""The state of a search: boxes of arms, what they keep from round to round, and how they come and go."""

from typing import Any, NamedTuple

import numpy as np

from quickdraw_bandits.checks import Floats
from quickdraw_bandits.interpolation.engines.tree.expansion import n_terms
from quickdraw_bandits.numerics.jit import inner

BATCH = 128
"""Observations or groups summed at once."""
NEAR = 12
"""Observations too near for an expansion that a box keeps one by one."""
UNUSED, SPLIT, STANDING = 0, 1, 2
"""What a slot of the table is: free, a box with children, or a box without."""
FULL, VANISHED = -1, -2
"""Returned by a search instead of a box: a table is too small, or precisions are too small for float64."""
ROOM_ON_STACK = 4096


class Query(NamedTuple):
    """One choice: a clock, the parameters of the index, and what is known of the rewards, in scaled units.

    ``dims`` has one entry per dimension of the arms, so that their number is known when code is compiled. ``step`` is
    the time since the last choice, and ``back`` how far the clock went back lately: boxes stand for so long before now.
    ``pulls`` has the place and time of every pending pull, and ``pull_groups`` the centre, half sides and number of
    each group of them.
    """

    dims: tuple[int, ...]
    now: float
    step: float
    back: float
    gamma: float
    cap: float
    sharpness: int
    least: float
    largest: float
    tolerance: float
    pulls: Floats
    pull_groups: Floats


class Workspace(NamedTuple):
    """The tables of a search. All but ``boxes``, ``free``, ``lists`` and ``counters`` hold nothing between searches.

    Attributes
    ----------
    boxes, free
        One record per box, see ``box_type``, and the slots that are free again.
    heap
        The queue of boxes.
    lists
        Groups (their number) and observations (-1 - their row) that boxes start from.
    stack, path, durations
        Groups still to be summed; boxes to be refined, and for how long each is to stand.
    batch, scratch, counters
        One record each, see ``batch_type``, ``scratch_type`` and ``COUNTERS``.
    keys
        The state of the generator of keys.
    tied
        Filled with the positions of all arms at the cap if it is as long as there are arms.
    allowed
        Which arms may be chosen, in the order in which they were given; of length 0 if all may.
    """

    boxes: np.ndarray
    free: np.ndarray
    heap: np.ndarray
    lists: np.ndarray
    stack: np.ndarray
    path: np.ndarray
    durations: Floats
    batch: np.ndarray
    scratch: np.ndarray
    counters: np.ndarray
    keys: np.ndarray
    tied: np.ndarray
    allowed: np.ndarray

    @classmethod
    def allocate(cls, dimension: int, boxes: int, length: int, keys: np.ndarray) -> "Workspace":
        """Make room for ``boxes`` boxes, and for lists of ``length`` groups and observations in all."""
        return cls(
            boxes=np.zeros(boxes, dtype=box_type(dimension)),
            free=np.empty(boxes, dtype=np.int64),
            heap=np.empty(boxes, dtype=np.int64),
            lists=np.empty(length, dtype=np.int32),
            stack=np.empty(ROOM_ON_STACK, dtype=np.int64),
            path=np.empty(ROOM_ON_STACK, dtype=np.int64),
            durations=np.empty(ROOM_ON_STACK),
            batch=np.zeros(1, dtype=batch_type(dimension)),
            scratch=np.zeros(1, dtype=scratch_type(dimension)),
            counters=np.zeros(1, dtype=COUNTERS),
            keys=keys,
            tied=np.empty(0, dtype=np.bool_),
            allowed=np.empty(0, dtype=np.bool_),
        )

    @property
    def room(self) -> int:
        """How many more boxes there can be."""
        counters = self.counters[0]
        return len(self.boxes) - int(counters["slots"]) + int(counters["n_free"])

    def larger(self) -> "Workspace":
        """Return the same with room for twice as many boxes."""
        boxes, free = np.zeros(2 * len(self.boxes), dtype=self.boxes.dtype), np.empty(2 * len(self.free), np.int64)
        boxes[: len(self.boxes)], free[: len(self.free)] = self.boxes, self.free
        return self._replace(boxes=boxes, free=free, heap=np.empty(len(boxes), dtype=np.int64))

    @property
    def listed(self) -> tuple[int, int]:
        """The epoch of the lists, and where they end."""
        return int(self.counters[0]["epoch"]), int(self.counters[0]["used"])

    def listed_since(self, before: tuple[int, int]) -> int:
        """Return by how much lists have grown; those of a new epoch start from nothing."""
        epoch, end = self.listed
        return end - before[1] if epoch == before[0] else end

    def with_longer_lists(self) -> "Workspace":
        """Return the same with room for lists of twice the length."""
        end = self.listed[1]
        lists = np.empty(2 * len(self.lists), dtype=self.lists.dtype)
        # The rest is not touched, lest one choice wait for all of that memory.
        lists[:end] = self.lists[:end]
        return self._replace(lists=lists)


def record(integers: str, floats: str, **arrays: Any) -> np.dtype:
    """Return a record of named integers, numbers, and arrays of numbers of the given shapes."""
    fields: list[Any] = [*((name, np.int64) for name in integers.split()), *((name, float) for name in floats.split())]
    return np.dtype([*fields, *((name, float, shape) for name, shape in arrays.items())])


COUNTERS = record("rounds slots n_free epoch packed used n_recent n_roots begin end groups refined", "")
"""Rounds so far; slots ever used, and free again; the epoch of the lists, the trees that it is of, and the end of its
lists; recent observations and roots of other trees; the range of arms of the box that was found; for measurements,
groups summed and boxes refined in this round."""


def box_type(dimension: int) -> np.dtype:
    """Return the record of a box.

    =================================  ============================================================================
    state, parent, child, sibling      what the slot is, and its place in the tree of boxes
    depth, node, begin, end            boxes around it; node of the arm tree, and its range of positions
    arm                                position of its best arm if all were evaluated in this round, or -1
    refined_in, epoch, start, length   round when it was refined; its list, and the epoch of that
    n_near                             observations too near for an expansion
    lower, upper                       corners, the last coordinate being the time for which its sums hold
    high, low, width, refined_width    bounds of the index, their distance, and their distance when last refined
    key                                the smallest of the keys of its arms, which breaks ties at the cap
    level, centre_mean, total, lowest  reward that rewards are counted from; mean and S0 at the centre; least S0
    error0, error1                     bounds of what the sums leave out of S0 and S1
    folded_error0, folded_error1       the same of the folded sums
    coarseness, staleness              part of the width that is due to the size of groups, and to folded groups
    fineness, strictness               factors of the error that groups kept and folded may have
    patience, stretched                how much longer than usual it is to stand, and whether it does
    sums, folded                       polynomials of S0 and S1: of all observations, and of those folded for good
    near_weight, near_least,           of an observation too near: precision above the least that it has in the box,
    near_largest                       and range of its reward
    =================================  ============================================================================
    """
    terms = 2 * n_terms(dimension + 1)
    return record(
        "state parent child sibling depth node begin end arm refined_in epoch start length n_near",
        "high low width refined_width key level centre_mean total lowest error0 error1 folded_error0 folded_error1 "
        "coarseness staleness fineness strictness patience stretched",
        lower=(dimension + 1,),
        upper=(dimension + 1,),
        sums=(terms,),
        folded=(terms,),
        near_weight=(NEAR,),
        near_least=(NEAR,),
        near_largest=(NEAR,),
    )


def scratch_type(dimension: int) -> np.dtype:
    """Return the record of what is known of the box that is being refined, and of vectors for passing use.

    Half sides, centre, their root sum of squares and its square; what an error of S0 does to the deviation; the errors
    above which a group is not folded, all folded groups together, and above which a group is opened.
    """
    vectors = dict.fromkeys(("half", "centre", "step", "offset"), (dimension + 1,))
    return record("", "radius radius2 steep fold budget use", **vectors, polynomial=(2 * n_terms(dimension + 1),))


def batch_type(dimension: int) -> np.dtype:
    """Return the record of a batch: numbers of groups and points, and one column per quantity.

    Differences in place and time; mean reward; R²; count times g, g1 and g2; bound of what is left out; largest
    deviation of a reward; count, radius and spread of a group, and the part of the error due to its size.
    """
    names = ("reward", "r2", "g0", "g1", "g2", "rest", "away", "count", "radius", "spread", "share")
    integers: list[Any] = [("groups", np.int64, (BATCH,)), ("points", np.int64, (BATCH,))]
    floats: list[Any] = [(name, float, (BATCH,)) for name in names]
    return np.dtype([*integers, ("offset", float, (dimension + 1, BATCH)), *floats])


@inner
def stands(query, box):
    """Tell whether what a box keeps holds now."""
    d = len(query.dims)
    return box.lower[d] <= query.now <= box.upper[d]


@inner
def expire(query, box):
    """Let a box stand at no time."""
    d = len(query.dims)
    box.lower[d], box.upper[d] = np.inf, -np.inf


@inner
def eligible(arms, work, box):
    """Tell whether some arm of a box may be chosen."""
    if len(work.allowed) == 0:
        return True
    for position in range(box.begin, box.end):  # noqa: SIM110 - generators cannot be compiled here
        if work.allowed[arms.permutation[position]]:
            return True
    return False


@inner
def volume(query, arms, box):
    """Return how many arms a box has, or for a continuum how large it is."""
    if arms.discrete:
        return 1.0 * (box.end - box.begin)
    product = 1.0
    for j in range(len(query.dims)):
        product *= box.upper[j] - box.lower[j]
    return product


@inner
def new_box(work, parent):
    """Return an unused slot, now a box that stands at no time yet inside box ``parent``, or FULL."""
    boxes, counters = work.boxes, work.counters[0]
    if counters.n_free:
        counters.n_free -= 1
        k = work.free[counters.n_free]
    elif counters.slots < len(boxes):
        k = counters.slots
        counters.slots += 1
    else:
        return FULL
    box = boxes[k]
    box.parent = parent
    box.child = box.sibling = box.refined_in = box.epoch = box.arm = -1
    box.state = STANDING
    box.depth = 0
    if parent >= 0:
        around = boxes[parent]
        box.depth = around.depth + 1
        box.sibling = around.child
        around.child = k
        around.state = SPLIT
    return k


@inner
def join(query, work, reach, parent):
    """Put a box in the place of its children if none is split and it may do; return whether that was done.

    The box's own bounds are wider than those of its children, by about as much as they were when it was split. Where
    they would have to be split again at once, because they then exceed ``reach``, nothing is gained.
    """
    boxes, counters = work.boxes, work.counters[0]
    around = boxes[parent]
    high = -np.inf
    child = around.child
    while child >= 0:
        box = boxes[child]
        if box.state != STANDING:
            return False
        high = max(high, box.high + around.width - box.width)
        child = box.sibling
    if not high < reach:
        return False
    child = around.child
    while child >= 0:
        boxes[child].state = UNUSED
        work.free[counters.n_free] = child
        counters.n_free += 1
        child = boxes[child].sibling
    around.child = -1
    around.state = STANDING
    around.high = high
    expire(query, around)
    return True
