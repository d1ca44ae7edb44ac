"""Run many random sequences: ``python -m benchmarks.reliability.sequences --store sqlite --sequences 10000``."""

import argparse
import shutil
import tempfile
import time
from pathlib import Path

import psycopg
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from benchmarks.reliability.machine import Machine
from benchmarks.reliability.postgres_server import running

TABLES = "log, experiments, snapshots, keys"


def on_sqlite(folder):
    """Return machines, each on a new file in a folder."""

    class OnSQLite(Machine):
        count = 0

        def new_store(self):
            for old in Path(folder).glob("*.db*"):
                old.unlink()
            OnSQLite.count += 1
            return f"sqlite:///{folder}/{OnSQLite.count}.db"

    return OnSQLite


def on_postgres(url):
    """Return machines, each on the emptied tables of one database."""

    class OnPostgres(Machine):
        count = 0

        def new_store(self):
            OnPostgres.count += 1
            with psycopg.connect(url, autocommit=True) as connection:
                if connection.execute("SELECT to_regclass('meta')::text").fetchone()[0] is not None:
                    connection.execute(f"TRUNCATE {TABLES} RESTART IDENTITY")
            return url

    return OnPostgres


def run(machine, sequences, steps=20, seed=None):
    """Run sequences of up to ``steps`` steps; an error shows the shortest one that fails."""
    chosen = settings(
        max_examples=sequences,
        stateful_step_count=steps,
        deadline=None,
        derandomize=seed is None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=chosen)
    return machine.count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--sequences", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=20, help="longest sequence")
    given = parser.parse_args()
    start = time.perf_counter()
    if given.store == "sqlite":
        folder = tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None)
        try:
            done = run(on_sqlite(folder), given.sequences, given.steps)
        finally:
            shutil.rmtree(folder)
    else:
        with running() as server:
            done = run(on_postgres(server.new_database()), given.sequences, given.steps)
    print(f"{done} sequences on {given.store}: no difference from the model, {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
