"""Reading a log of 864,585 events in the full layout of the Open Bandit Dataset, and the memory that it takes.

The log repeats the public sample. It is compared with a reader in plain Python, which splits
lines and converts fields.
"""

import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.row import Row, at_least, best_of
from quickdraw_bandits.datasets import open_bandit
from quickdraw_bandits.datasets.open_bandit import AFFINITY, USER

EVENTS = 864_585
"""Events of the campaign that the paper evaluates."""
FASTER = 8.0
MOST_MEMORY = 0.5
"""Gigabytes, of the whole process."""
BLOCK = 50_000

READ = """
import resource, sys
from quickdraw_bandits.datasets import open_bandit
assert len(open_bandit(sys.argv[1])) == int(sys.argv[2])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9)
"""


def run() -> list[Row]:
    """Compare the times of both readers, best of three, and measure the memory of ours in a process of its own."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        events = write(folder, EVENTS)
        ours, by_hand = open_bandit(folder), read_by_hand(events)
        for column, values in (("time", by_hand[0]), ("reward", by_hand[2]), ("propensity", by_hand[3])):
            np.testing.assert_array_equal(getattr(ours, column), values)
        times = best_of(3, lambda: open_bandit(folder), lambda: read_by_hand(events))
        command = [sys.executable, "-c", READ, str(folder), str(EVENTS)]
        peak = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    what = f"a log of {EVENTS:,} events"
    return [
        at_least(f"reading {what}; by hand", *times, FASTER),
        Row(
            f"peak memory of reading {what}",
            f"{peak:.2f} GB",
            "",
            peak / MOST_MEMORY,
            f"at most {MOST_MEMORY} GB",
            peak <= MOST_MEMORY,
        ),
    ]


def write(folder: Path, n_events: int) -> Path:
    """Write a campaign of so many events as published, and return the file of events."""
    log = open_bandit(affinity=True)
    assert log.affinity is not None
    rows = [
        ",".join([str(log.arm[k]), "1", f"{log.reward[k]:.0f}", str(log.propensity[k]), *users, *map(str, affinity)])
        for k, affinity in enumerate(log.affinity.tolist())
        for users in [log.group_names[log.group[k]].split("/")]
    ]
    place = folder / "random" / "women"
    place.mkdir(parents=True)
    items = "".join(f"{arm},{x}\n" for arm, x in enumerate(log.arms.points[:, 0].tolist()))
    (place / "item_context.csv").write_text(f"item_id,item_feature_0\n{items}")
    n_users = len(log.group_names[0].split("/"))
    header = ["", "timestamp", "item_id", "position", "click", "propensity_score"]
    header += [f"{USER}{k}" for k in range(n_users)] + [f"{AFFINITY}{arm}" for arm in range(len(log.arms))]
    step = log.time[-1] - log.time[0] + 1.0
    with (place / "women.csv").open("w") as file:
        file.write(",".join(header) + "\n")
        for k in range(n_events):
            again, row = divmod(k, len(rows))
            when = datetime.fromtimestamp(log.time[row] + again * step, UTC)
            file.write(f"{k},{when},{rows[row]}\n")
    return place / "women.csv"


def read_by_hand(path: Path) -> list[np.ndarray]:
    """Return times, items, clicks, propensities and groups, as this package read them before it used Polars."""
    with path.open(newline="") as lines:
        header = next(lines).rstrip().split(",")
        wanted = ["timestamp", "item_id", "click", "propensity_score"]
        wanted += [name for name in header if name.startswith(USER)]
        positions = [header.index(name) for name in wanted]
        picked = map(itemgetter(*positions), _fields(lines, max(positions), len(header)))
        codes: list[dict[str, int]] = [{} for _ in wanted[4:]]
        parts: list[list[np.ndarray]] = [[] for _ in wanted]
        while block := list(islice(picked, BLOCK)):
            columns = list(zip(*block, strict=True))
            parts[0].append(np.array([datetime.fromisoformat(text).timestamp() for text in columns[0]]))
            for k in range(1, 4):
                parts[k].append(np.array(columns[k], dtype=np.float64))
            for k, known in enumerate(codes, start=4):
                for label in dict.fromkeys(columns[k]):
                    known.setdefault(label, len(known))
                parts[k].append(np.fromiter(map(known.__getitem__, columns[k]), dtype=np.int64, count=len(block)))
    joined = [np.concatenate(part) for part in parts]
    groups = np.unique(np.stack(joined[4:], axis=1), axis=0, return_inverse=True)[1]
    return [*joined[:4], groups]


def _fields(lines: Iterable[str], last: int, width: int) -> Iterator[list[str]]:
    """Yield the fields of each row up to the last that is needed."""
    for line in lines:
        if '"' in line or line.count(",") + 1 != width:
            raise ValueError("the log of this benchmark has neither quotes nor rows of another width")
        yield line.rstrip("\r\n").split(",", last + 1)


if __name__ == "__main__":
    for row in run():
        print(row)
