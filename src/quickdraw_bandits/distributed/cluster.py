"""A Ray cluster: an existing one, or one started on this machine for this machine alone."""

import importlib.util
import logging
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from quickdraw_bandits.evaluation.workers import THREADS, environment_variables

LOOPBACK = "127.0.0.1"
STARTS = 5
"""How often a cluster is started that does not answer in time."""
_asks_for_tokens = False
"""Whether Ray was imported here, with the setting that makes it ask for tokens."""


@contextmanager
def cluster(cores: int, address: str | None = None, threads: int = 1, niceness: int = 15) -> Iterator[Any]:
    """Connect to a cluster, yield the module ``ray``, and disconnect at the end.

    Parameters
    ----------
    cores
        Cores that a cluster started here counts; without effect for an existing one.
    address
        An existing cluster. None (default) starts one, which listens on the loopback interface only and requires a
        token that nobody else knows. It ends with the context.
    threads
        Threads of each process; default 1.
    niceness
        By how much processes of a cluster started here yield to others, from 0 to 19; default 15, that of Ray. With 0
        they have the priority of this process: for work that somebody waits for.
    """
    limits = dict.fromkeys(THREADS, str(threads))
    changes = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
    if address is None:
        # Processes of the cluster inherit these, and can import what this process can.
        changes |= limits | {
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": _token(),
            "RAY_worker_niceness": str(niceness),
            # Without this, Ray replaces a loopback address by that of the network.
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }
    global _asks_for_tokens
    if "ray" not in sys.modules:
        _asks_for_tokens = address is None
    if address is None and not _asks_for_tokens and os.environ.get("RAY_AUTH_MODE") != "token":
        raise RuntimeError(
            "Ray was imported before a cluster that requires a token could be set up, since it reads its settings on "
            "import; import it later, set RAY_AUTH_MODE=token before, or call ray.init yourself"
        )
    with environment_variables(changes):  # before the import, when Ray reads them
        import ray

        if address is None:
            _start(ray, cores)
        else:
            ray.init(
                address=address, log_to_driver=False, logging_level=logging.ERROR, runtime_env={"env_vars": limits}
            )
        try:
            yield ray
        finally:
            ray.shutdown()


def _start(ray: Any, cores: int) -> None:
    """Start a cluster on this machine; Ray waits for it for 30 seconds, which a busy machine can exceed."""
    for attempt in range(1, STARTS + 1):
        try:
            ray.init(
                address="local",
                num_cpus=cores,
                include_dashboard=False,
                log_to_driver=False,
                logging_level=logging.ERROR,
                _node_ip_address=LOOPBACK,
            )
            return
        except Exception as error:  # Ray raises no other
            if attempt == STARTS or "timed out during startup" not in str(error):
                raise
            ray.shutdown()


@cache
def _token() -> str:
    """Return the token of this process: Ray keeps using the first one it was given."""
    return secrets.token_hex(32)


def have_ray() -> bool:
    """Return whether Ray is installed, without importing it: it reads its settings on import."""
    return importlib.util.find_spec("ray") is not None
