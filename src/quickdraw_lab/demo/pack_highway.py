"""Pack the recorded speeds into the compact form that comes with the package.

Run as ``python -m quickdraw_lab.demo.pack_highway NGSIM_full.npy`` with the file named in the NOTICE beside the result.
"""

import sys
from pathlib import Path

import numpy as np

from quickdraw_bandits import environments
from quickdraw_bandits.environments.highway_record import FILE
from quickdraw_bandits.tables import fill_gaps


def pack(source: Path, target: Path) -> None:
    """Write speeds with one row per step and one column per cell, in tenths."""
    speeds = fill_gaps(np.load(source).T)
    np.savez_compressed(target, speeds=np.rint(10 * speeds).astype(np.uint8))


if __name__ == "__main__":
    pack(Path(sys.argv[1]), Path(environments.__file__).parent / FILE)
