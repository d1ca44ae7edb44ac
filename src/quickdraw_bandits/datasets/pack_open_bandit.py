"""Pack the public Open Bandit sample into the compact form that comes with the package.

The sample is the folder ``obp/dataset/obd`` of the source package obp 0.5.7 on the Python package index.
Run as ``python -m quickdraw_bandits.datasets.pack_open_bandit FOLDER``.
"""

import sys
from pathlib import Path

import numpy as np

from quickdraw_bandits.datasets.open_bandit import SAMPLE, items_of, open_bandit


def pack(source: Path, target: Path) -> None:
    """Write ``{behavior}_women.npz`` for both behaviors, with times in microseconds and everything else exact.

    Nonzero affinities are rare and stored as (row, arm, value).
    """
    for behavior in ("random", "bts"):
        log = open_bandit(source, "women", behavior, affinity=True)
        context = source / behavior / "women" / "item_context.csv"
        microseconds = np.round(log.time * 1e6).astype(np.int64)
        affinity = log.affinity if log.affinity is not None else np.empty((0, 0), dtype=np.float32)
        rows, arms = np.nonzero(affinity)
        np.savez_compressed(
            target / f"{behavior}_women.npz",
            time_step=np.diff(microseconds, prepend=0),
            arm=log.arm.astype(np.uint8),
            reward=log.reward.astype(np.uint8),
            propensity=log.propensity,
            group=log.group.astype(np.uint8),
            group_names=np.array("\n".join(log.group_names)),
            coordinate=items_of(context)[1],
            affinity_row=rows.astype(np.uint16),
            affinity_arm=arms.astype(np.uint8),
            affinity_value=affinity[rows, arms],
        )


if __name__ == "__main__":
    pack(Path(sys.argv[1]), Path(__file__).parent / SAMPLE)
