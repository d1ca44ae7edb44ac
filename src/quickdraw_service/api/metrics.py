"""Figures for Prometheus: what this process has served, and how each experiment stands."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from quickdraw_service.answers import Figures, Summary
from quickdraw_service.api.backend import Backend

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

# Name, field of Summary, type, help. Counts are of the log, so they are the same at every server of a store.
_PER_EXPERIMENT = (
    ("decisions", "decisions", CounterMetricFamily, "Decisions in the log."),
    ("rewards", "rewards", CounterMetricFamily, "Rewards in the log."),
    ("observations", "observations", CounterMetricFamily, "Observations in the log besides rewards of decisions."),
    ("pending_decisions", "pending", GaugeMetricFamily, "Decisions whose reward is expected."),
    ("arms", "n_arms", GaugeMetricFamily, "Arms, retired ones included."),
    ("log_lag_events", "lag", GaugeMetricFamily, "Events in the log that this server has not applied."),
)


class Metrics:
    """The metrics of one server."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, int], int] = {}
        self._timers: dict[str, _Timer] = {}

    def observe(self, operation: str, status: int, seconds: float) -> None:
        """Count one answer. Called in the event loop alone, so that no lock is needed."""
        key = operation, status
        self._answers[key] = self._answers.get(key, 0) + 1
        timer = self._timers.get(operation)
        if timer is None:
            timer = self._timers[operation] = _Timer()
        timer.counts[bisect_left(BUCKETS, seconds)] += 1
        timer.seconds += seconds

    def text(self, service: Backend) -> bytes:
        """Return all figures in Prometheus' text format. May block."""
        registry = CollectorRegistry()
        registry.register(_Served(self._answers.copy(), self._timers.copy()))
        registry.register(_Service(service.experiments() if service.ready else [], service.figures(), service.ready))
        return generate_latest(registry)


class _Timer:
    """How many answers took how long: by bucket, and in all."""

    __slots__ = ("counts", "seconds")

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS) + 1)
        self.seconds = 0.0


class _Served(Collector):
    """What this process has answered, at one moment."""

    def __init__(self, answers: dict[tuple[str, int], int], timers: dict[str, _Timer]) -> None:
        self._answers, self._timers = answers, timers

    def collect(self) -> Iterable[Metric]:
        requests = CounterMetricFamily("quickdraw_http_requests", "Requests answered.", labels=["operation", "status"])
        for (operation, status), n in self._answers.items():
            requests.add_metric([operation, str(status)], n)
        yield requests
        seconds = HistogramMetricFamily(
            "quickdraw_http_request_seconds", "Seconds from the request to its answer.", labels=["operation"]
        )
        limits = [*map(str, BUCKETS), "+Inf"]
        for operation, timer in self._timers.items():
            seconds.add_metric([operation], list(zip(limits, accumulate(timer.counts), strict=True)), timer.seconds)
        yield seconds


class _Service(Collector):
    """The figures of the service at one moment."""

    def __init__(self, experiments: Sequence[Summary], figures: Figures, ready: bool) -> None:
        self._experiments, self._figures, self._ready = experiments, figures, ready

    def collect(self) -> Iterable[Metric]:
        for name, field, family, meaning in _PER_EXPERIMENT:
            metric = family(f"quickdraw_{name}", meaning, labels=["experiment"])
            for summary in self._experiments:
                metric.add_metric([summary.name], float(getattr(summary, field)))
            yield metric
        scales = GaugeMetricFamily("quickdraw_learned_scale", "Scales learned.", labels=["experiment", "scale"])
        for summary in self._experiments:
            for name, value in summary.scales.items():
                scales.add_metric([summary.name, name], value)
        yield scales
        figures = self._figures
        yield GaugeMetricFamily("quickdraw_ready", "Whether decisions are taken.", float(self._ready))
        yield GaugeMetricFamily("quickdraw_waiting_requests", "Requests waiting for the log.", figures.waiting)
        yield CounterMetricFamily("quickdraw_batches", "Transactions of this server.", figures.batches)
        yield CounterMetricFamily("quickdraw_events", "Events written by this server.", figures.events)
        yield CounterMetricFamily("quickdraw_commit_seconds", "Seconds spent in commits.", figures.commit_seconds)
        yield CounterMetricFamily("quickdraw_choose_seconds", "Seconds spent choosing.", figures.choose_seconds)
