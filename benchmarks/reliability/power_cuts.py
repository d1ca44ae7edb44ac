"""Cut the power at random writes of a traffic of transactions: ``python -m benchmarks.reliability.power_cuts``.

Every cut leaves what was synced, some of the writes that were not, in any order, and a part of one of them. The store
is opened again on what is left: every event whose transaction had returned must be there, once, and the file whole.
"""

import argparse
import time

import apsw
import numpy as np

from benchmarks.reliability.disk import Disk, DiskVFS
from quickdraw_service.stores.sqlite import SQLiteStore
from quickdraw_service.stores.store import Event, Snapshot


class ExclusiveStore(SQLiteStore):
    """The store without shared memory, which a disk in memory does not have; it checkpoints often."""

    settings = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA wal_autocheckpoint = 60; " + SQLiteStore.settings


class Traffic:
    """Transactions on a disk, and after which operation each of them was acknowledged."""

    def __init__(self, vfs: DiskVFS, transactions: int, seed: int) -> None:
        random = np.random.default_rng(seed)
        vfs.disk = Disk()
        self.acknowledged: list[tuple[int, int]] = []  # operations done, events acknowledged
        self.events: list[Event] = []
        with ExclusiveStore("log.db", vfs.vfs_name) as store:
            store.create("prices", "{}", None, 0.0)
            self.begin = len(vfs.disk.operations)
            for k in range(transactions):
                first = len(self.events) + 1
                new = [self._event(first + j, random) for j in range(int(random.integers(1, 12)))]
                with store.writing([1]):
                    store.append(1, new)
                self.events += new
                self.acknowledged.append((len(vfs.disk.operations), len(self.events)))
                if k % 50 == 49:
                    store.keep_snapshot(1, Snapshot(len(self.events), random.bytes(5_000)))
            self.disk = vfs.disk
            self.end = len(self.disk.operations)
        self.disk.operations = self.disk.operations[: self.end]

    @staticmethod
    def _event(position: int, random: np.random.Generator) -> Event:
        kind = "decision" if position % 2 else "reward"
        return Event(position, kind, f"id-{(position + 1) // 2}-{random.integers(9)}", position, 0.5, 3, 0.25, None)

    def check(self, vfs: DiskVFS, left: Disk, at: int) -> None:
        """Open what a cut before operation ``at`` has left, and compare it with what was acknowledged."""
        promised = max((events for operations, events in self.acknowledged if operations <= at), default=0)
        vfs.disk = left
        with ExclusiveStore("log.db", vfs.vfs_name) as store:
            found = store.tail(1, 0, len(self.events) + 1)
            assert len(found) >= promised, f"cut before operation {at}: {promised - len(found)} events lost"
            assert found == self.events[: len(found)], f"cut before operation {at}: the log differs"
            assert store._run("PRAGMA integrity_check").get == "ok"
            # The log goes on where it ends.
            with store.writing([1]):
                store.append(1, [Event(len(found) + 1, "decision", "next", 1e9, 0.0, 1, 1.0, None)])
            assert store.last_position(1) == len(found) + 1


def cut(traffic: Traffic, vfs: DiskVFS, cuts: int, seed: int) -> None:
    """Cut the power at random operations, with random writes lost."""
    random = np.random.default_rng(seed)
    for _ in range(cuts):
        at = int(random.integers(traffic.begin, traffic.end + 1))
        unsynced = traffic.disk.unsynced(at)
        share = random.choice([0.0, 0.5, 0.9, 1.0])
        kept = [number for number in unsynced if random.random() < share]
        torn = None
        if kept and random.random() < 0.7:
            torn = int(random.integers(0, len(traffic.disk.operations[kept[-1]].data or b"x")))
        traffic.check(vfs, traffic.disk.after_cut(at, kept, torn), at)


def tear(traffic: Traffic, vfs: DiskVFS, transactions: int, step: int) -> int:
    """Tear each write of the last transactions at every ``step``-th byte; return how often."""
    begin = traffic.acknowledged[-transactions - 1][0]
    count = 0
    for number in range(begin, traffic.end):
        data = traffic.disk.operations[number].data
        if data is None:
            continue
        before = [each for each in traffic.disk.unsynced(number) if each < number]
        for size in range(0, len(data) + 1, step):
            traffic.check(vfs, traffic.disk.after_cut(number + 1, [*before, number], size), number)
            count += 1
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cuts", type=int, default=10_000)
    parser.add_argument("--transactions", type=int, default=120)
    parser.add_argument("--torn", type=int, default=3, help="last transactions whose writes are torn at every byte")
    given = parser.parse_args()
    start, vfs = time.perf_counter(), DiskVFS("quickdraw-power-cuts")
    per_traffic = 200
    for seed in range(-(-given.cuts // per_traffic)):
        cut(Traffic(vfs, given.transactions, seed), vfs, min(per_traffic, given.cuts - seed * per_traffic), seed)
    print(f"{given.cuts} power cuts: 0 acknowledged events lost, {time.perf_counter() - start:.0f} s", flush=True)
    torn = tear(Traffic(vfs, 5, 0), vfs, given.torn, 1)
    print(f"{torn} torn writes: 0 acknowledged events lost, {time.perf_counter() - start:.0f} s")
    print(f"SQLite {apsw.sqlite_lib_version()}")


if __name__ == "__main__":
    main()
