"""Runs in processes on this machine."""

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.queues import Queue
from queue import Empty
from typing import Any

from quickdraw_bandits.evaluation.workers import worker_pool
from quickdraw_lab.runner.run import Play, R, Record

SECONDS_BETWEEN_CHECKS = 1.0


def run_on_pool(play: Play[R], tasks: Sequence[list[R]], jobs: int) -> Iterator[Record]:
    """Play tasks in ``jobs`` processes of one thread each, and yield each record as its run finishes.

    ``play`` must be picklable. A queue carries the records, and None at the end of a task.
    """
    queue: Queue[Record | None] = multiprocessing.get_context("spawn").Queue()
    with worker_pool(min(jobs, len(tasks)), _begin, play, queue) as pool:
        futures = [pool.submit(_play, task) for task in tasks]
        unfinished = len(tasks)
        while unfinished:
            try:
                record = queue.get(timeout=SECONDS_BETWEEN_CHECKS)
            except Empty:
                # A task that ended without its None raised an error: its process died, or building the field failed.
                for future in futures:
                    if future.done():
                        _raise_error_of(future)
                continue
            if record is None:
                unfinished -= 1
            else:
                yield record


def _raise_error_of(future: Future[None]) -> None:
    try:
        future.result()
    except BrokenProcessPool as error:
        raise BrokenProcessPool(
            "a worker process died (out of memory, killed, or ended by a policy of your own); "
            "finished runs are kept, repeat the command to continue"
        ) from error


_play_task: Play[Any]
_queue: "Queue[Record | None]"


def _begin(play: Play[Any], queue: "Queue[Record | None]") -> None:
    global _play_task, _queue
    _play_task, _queue = play, queue
    # If nobody reads the queue any more, this process must not wait for its last records to be read.
    queue.cancel_join_thread()


def _play(task: list[Any]) -> None:
    for record in _play_task(task):
        _queue.put(record)
    _queue.put(None)
