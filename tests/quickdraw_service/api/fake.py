"""A service in memory: no log, no policy; decisions are the first arm that may be chosen. For tests of the API."""

import math
import threading
import time

import numpy as np

from quickdraw_service.answers import (
    Belief,
    Chosen,
    Estimated,
    Figures,
    History,
    LogRows,
    ScalesThen,
    Summary,
    Weighed,
    Why,
)
from quickdraw_service.errors import (
    BadRequestError,
    ConflictError,
    OverloadedError,
    UnavailableError,
    UnknownDecisionError,
    UnknownExperimentError,
)
from quickdraw_service.requests import (
    ArmsChanged,
    Created,
    Decided,
    Decisions,
    Observed,
    Rewarded,
)

POLICIES = ("AdaptiveQuickDraw", "QuickDraw", "Random")


class Experiment:
    def __init__(self, definition):
        self.definition = definition
        if definition.grid is not None:
            low, high, n = definition.grid
            self.points = np.linspace(low, high, min(n, 1000))[:, None]
        else:
            self.points = definition.points
        self.labels = definition.labels
        self.retired = set()
        self.decisions = {}
        self.requests = {}
        self.observed = {}


class FakeService:
    """Answers in another thread, as the worker does, unless ``held``."""

    def __init__(self, deliver, keys=()):
        self.deliver, self.stored_keys = deliver, list(keys)
        self.ready, self.failure, self.stopped = False, None, False
        self.known = {}
        self.held = []
        self.hold = False
        self.full = False
        self.stored = threading.RLock()

    def start(self):
        self.ready = True

    def stop(self, timeout):
        self.ready, self.stopped = False, True

    def prepare(self, request):
        return request

    def submit(self, request, ticket):
        if not self.ready:
            raise UnavailableError("the service is starting", "Try again later.")
        if self.full:
            raise OverloadedError("too many requests are waiting", "Try again later.", retry_after=2.5)
        if self.hold:
            self.held.append((request, ticket))
        else:
            threading.Thread(target=self._answer, args=([(request, ticket)],)).start()

    def release(self):
        self.hold = False
        threading.Thread(target=self._answer, args=(self.held,)).start()

    def _answer(self, waiting):
        with self.stored:
            self.deliver([(ticket, self._try(request)) for request, ticket in waiting])

    def _try(self, request):
        try:
            return getattr(self, "_" + type(request).__name__.lower())(request)
        except (BadRequestError, ConflictError, UnknownExperimentError) as error:
            return error

    def _of(self, name):
        if name not in self.known:
            raise UnknownExperimentError(f"there is no experiment {name!r}", "Create it first.")
        return self.known[name]

    def _create(self, request):
        definition = request.definition
        if definition.policy not in POLICIES:
            raise BadRequestError(f"policy must be one of {', '.join(POLICIES)}, got {definition.policy!r}")
        before = self.known.get(request.experiment)
        if before is None:
            self.known[request.experiment] = Experiment(definition)
            return Created(True)
        same = repr(before.definition) == repr(definition)
        if not same:
            raise ConflictError(f"{request.experiment!r} has another definition", "Choose another name.")
        return Created(False)

    def _positions(self, of, arms):
        found = []
        for arm in arms:
            if isinstance(arm, str):
                if of.labels is None or arm not in of.labels:
                    raise BadRequestError(f"there is no arm {arm!r}")
                arm = of.labels.index(arm)
            if arm >= len(of.points):
                raise BadRequestError(f"there is no arm {arm}")
            found.append(arm)
        return found

    def _decide(self, request):
        of = self._of(request.experiment)
        id, count = request.id or f"made-{len(of.requests)}", request.count or 1
        if id in of.requests:
            if of.requests[id] != count:
                raise ConflictError(f"{id!r} was asked with another count")
            ids = [id] if count == 1 else [f"{id}-{i + 1}" for i in range(count)]
            return Decisions([of.decisions[each] for each in ids], False)
        may = range(len(of.points)) if request.among is None else sorted(set(self._positions(of, request.among)))
        may = [arm for arm in may if arm not in of.retired][:count]
        if len(may) < count:
            raise BadRequestError(f"count must be at most {len(may)}, got {count}")
        when = time.time() if request.time is None else request.time
        for i, arm in enumerate(may):
            each = id if count == 1 else f"{id}-{i + 1}"
            label = None if of.labels is None else of.labels[arm]
            of.decisions[each] = Decided(each, arm, label, of.points[arm].tolist(), when, 1 / len(of.points))
        of.requests[id] = count
        return Decisions(list(of.decisions.values())[-count:], True)

    def _reward(self, request):
        of, outcomes = self._of(request.experiment), []
        for id, reward in zip(request.ids, request.rewards, strict=True):
            assert math.isfinite(reward)
            decided = of.decisions.get(id)
            if decided is None:
                outcomes.append("unknown")
            elif decided.reward is None:
                of.decisions[id] = Decided(*[getattr(decided, name) for name in decided.__struct_fields__[:6]], reward)
                outcomes.append("recorded")
            else:
                outcomes.append("duplicate" if decided.reward == reward else "conflict")
        return Rewarded(outcomes)

    def _observe(self, request):
        of = self._of(request.experiment)
        self._positions(of, request.arms)
        if request.id in of.observed:
            return Observed(of.observed[request.id], False)
        of.observed[request.id or object()] = len(request.times)
        return Observed(len(request.times), True)

    def _addarms(self, request):
        of = self._of(request.experiment)
        if request.points.shape[1] != of.points.shape[1]:
            raise BadRequestError("points must have as many coordinates as the arms")
        if (request.labels is None) != (of.labels is None) or len(request.labels or request.points) != len(
            request.points
        ):
            raise BadRequestError("labels must be given exactly where arms have them")
        before = len(of.points)
        of.points = np.concatenate([of.points, request.points])
        if of.labels is not None:
            of.labels = [*of.labels, *request.labels]
        return ArmsChanged(list(range(before, len(of.points))), True)

    def _retirearms(self, request):
        of = self._of(request.experiment)
        positions = self._positions(of, request.arms)
        new = not set(positions) <= of.retired
        of.retired |= set(positions)
        return ArmsChanged(positions, new)

    def experiments(self):
        return [self.experiment(name) for name in list(self.known)]

    def experiment(self, name):
        of = self._of(name)
        rewarded = sum(decided.reward is not None for decided in of.decisions.values())
        return Summary(
            name=name, definition=of.definition, created=1.0, n_arms=len(of.points), n_retired=len(of.retired),
            dimension=of.points.shape[1], decisions=len(of.decisions), rewards=rewarded,
            observations=sum(of.observed.values()), pending=len(of.decisions) - rewarded, latest_time=None, position=7,
            lag=0, scales={"length_scale": 0.25},
        )  # fmt: skip

    def decision(self, name, id):
        found = self._of(name).decisions.get(id)
        if found is None:
            raise UnknownDecisionError(f"there is no decision {id!r}")
        return found

    def decisions(self, name, after=None, limit=100):
        listed = list(self._of(name).decisions.values())[::-1]
        if after is not None:
            ids = [decided.id for decided in listed]
            if after not in ids:
                raise UnknownDecisionError(f"there is no decision {after!r}")
            listed = listed[ids.index(after) + 1 :]
        return listed[:limit]

    def belief(self, name, time, points):
        of = self._of(name)
        arms = np.arange(len(of.points))[:points]
        labels = None if of.labels is None else [of.labels[arm] for arm in arms]
        nothing = np.full(len(arms), np.inf)
        return Belief(time or 0.0, arms, labels, of.points[arms], nothing * np.nan, nothing, nothing)

    def explain(self, name, arm, time, most=10):
        (position,) = self._positions(self._of(name), [arm])
        seen = Weighed(1.0, 2.0, position, None, 0.0, 0.5, 1.0, 0.9)
        return Why(time or 0.0, position, None, 0.5, 0.1, 0.6, [seen])

    def history(self, name, times, points, latest):
        of = self._of(name)
        some = np.arange(min(points, len(of.points)))
        decided = list(of.decisions.values())[-latest:]
        moments = np.array([each.time for each in decided[:times]])
        chosen = Chosen(
            [each.id for each in decided],
            [each.time for each in decided],
            [each.arm for each in decided],
            [each.point for each in decided],
            [each.reward for each in decided],
            [each.probability for each in decided],
        )
        labels = None if of.labels is None else of.labels[: len(some)]
        unknown = np.full((len(moments), len(some)), np.nan)
        return History(
            moments, some, labels, of.points[some], unknown, unknown, chosen, [ScalesThen(1.0, {"noise": 0.1})]
        )

    def evaluation(self, name, policies, latest):
        self._of(name)
        for policy in policies:
            if policy not in POLICIES:
                raise BadRequestError(f"policies: unknown name {policy!r}")
        return [
            Estimated("this experiment", 0.5, 0.4, 0.6, "", None),
            Estimated("random arms", None, None, None, "weak", 2),
        ]

    def log(self, name, unrewarded=False):
        of = self._of(name)
        rows = [decided for decided in of.decisions.values() if unrewarded or decided.reward is not None]
        for i in range(0, len(rows), 2):
            part = rows[i : i + 2]
            yield LogRows(
                [row.id for row in part],
                np.array([row.time for row in part]),
                np.array([row.arm for row in part]),
                None if of.labels is None else [row.label for row in part],
                np.array([np.nan if row.reward is None else row.reward for row in part]),
                np.array([row.probability for row in part]),
            )

    def figures(self):
        return Figures(0, 3, 5, 0.1, 0.2)

    def keys(self):
        return list(self.stored_keys)
