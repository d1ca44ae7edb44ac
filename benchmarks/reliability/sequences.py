"""Run many random sequences: ``python -m benchmarks.reliability.sequences --store sqlite --sequences 10000``."""

import argparse
import shutil
import tempfile
import time
from pathlib import Path

import hypothesis
import psycopg
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from benchmarks.reliability.machine import Machine
from benchmarks.reliability.postgres_server import running
from quickdraw_service.stores import open_store

ROUND = 250
"""Sequences of one seed."""
TABLES = ("log", "experiments", "snapshots", "keys")


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
    with open_store(url):
        pass  # makes the tables
    connection = psycopg.connect(url, autocommit=True)
    # Small tables are emptied faster row by row than by TRUNCATE, which makes new files.
    empty = "; ".join([*(f"DELETE FROM {table}" for table in TABLES), "ALTER TABLE experiments ALTER number RESTART"])

    class OnPostgres(Machine):
        count = 0

        def new_store(self):
            OnPostgres.count += 1
            connection.execute(empty)
            return url

    return OnPostgres


def run(machine, sequences, steps=20, seed=None):
    """Run sequences of up to ``steps`` steps; an error shows the shortest one that fails."""
    if seed is not None:
        hypothesis.seed(seed)(machine)
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
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no further round after so long")
    parser.add_argument("--first-seed", type=int, default=0, help="seed of the first round; the others follow")
    parser.add_argument("--steps", type=int, default=20, help="longest sequence")
    given = parser.parse_args()
    start, end = time.perf_counter(), time.perf_counter() + 60 * given.minutes

    def run_rounds(machine):
        for seed in range(given.first_seed, 10**9):
            done = run(machine, min(ROUND, given.sequences - machine.count), given.steps, seed)
            seconds = time.perf_counter() - start
            print(f"{done} sequences on {given.store}: no difference from the model, {seconds:.0f} s", flush=True)
            if done >= given.sequences or time.perf_counter() > end:
                return

    if given.store == "sqlite":
        folder = tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None)
        try:
            run_rounds(on_sqlite(folder))
        finally:
            shutil.rmtree(folder)
    else:
        with running() as server:
            run_rounds(on_postgres(server.new_database()))


if __name__ == "__main__":
    main()
