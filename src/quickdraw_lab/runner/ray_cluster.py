"""Runs on a Ray cluster, either an existing one or one started on this machine."""

import socket
from collections.abc import Iterator, Sequence
from typing import Any

from quickdraw_bandits.distributed.cluster import cluster, have_ray
from quickdraw_bandits.extras import missing_extra
from quickdraw_lab.runner.run import Play, R, Record

SECONDS_TO_ANSWER = 10.0


def run_on_ray(play: Play[R], tasks: Sequence[list[R]], jobs: int, address: str | None = None) -> Iterator[Record]:
    """Play tasks on a cluster, one core and one thread each, and yield each record as its run finishes.

    Parameters
    ----------
    play, tasks
        What to play, and the function that plays it, which must be picklable.
    jobs
        Number of cores of a cluster started here. An existing cluster uses all of its cores.
    address
        An existing cluster, on which this package and any policy from elsewhere are installed. If None, a temporary
        cluster is started, which listens on the loopback interface only and requires a token.
    """
    require_ray()
    with cluster(jobs, address) as ray:
        stream = ray.remote(num_cpus=1, num_returns="streaming", max_retries=0)(_stream)
        # Twice as many tasks as cores, so that no core waits; the rest stay here.
        limit = 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))
        waiting = iter(tasks)
        playing: list[Any] = []
        while True:
            while len(playing) < limit and (task := next(waiting, None)) is not None:
                playing.append(stream.remote(play, task))
            if not playing:
                return
            [ready], _ = ray.wait(playing, num_returns=1, fetch_local=False)
            try:
                yield ray.get(next(ready))
            except StopIteration:
                playing.remove(ready)


def _stream(play: Play[R], task: list[R]) -> Iterator[Record]:
    yield from play(task)


def require_ray() -> None:
    """Raise an error if Ray is not installed, without importing it: it reads its settings on import."""
    if not have_ray():
        raise missing_extra("runs on Ray", "ray", "ray")


def require_cluster(address: str) -> None:
    """Raise an error if nothing answers at ``host:port``: Ray itself would wait for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdigit():
        return  # "auto", or a form that Ray itself checks
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=SECONDS_TO_ANSWER).close()
    except (OSError, OverflowError) as error:
        raise ValueError(f"--ray-address {address}: no cluster answers there ({error})") from error
