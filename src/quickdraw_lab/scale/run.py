"""The whole benchmark. Each measurement is written at once; running it again continues where it stopped."""

import importlib.metadata
import json
import os
import platform
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from time import process_time
from typing import Any

from quickdraw_bandits import __version__
from quickdraw_lab.files import replacing
from quickdraw_lab.scale import curves
from quickdraw_lab.scale.table import measures


def settings(quick: bool) -> dict[str, Any]:
    """Return what must agree for measurements to be stored in one file."""
    libraries = ("numpy", "numba", "scipy")
    return {
        "version": __version__,
        "quick": quick,
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.system()}",
        "versions": {"python": platform.python_version()}
        | {name: importlib.metadata.version(name) for name in libraries},
    }


def run(path: Path, quick: bool, say: Callable[[str], None]) -> dict[str, Any]:
    """Measure what is not in the file yet, and return everything in it."""
    found = load(path, quick)
    rows, points = found["rows"], found["points"]
    for name, measure in measures(quick).items():
        if name in rows:
            continue
        say(f"{name} …")
        start = process_time()
        row = measure()
        rows[name] = asdict(replace(row, seconds=process_time() - start))
        write(path, found)
    for point in curves.points(quick, list(points)):
        say(f"{point['series']}: {point['arms']:,} arms, {point['observations']:,} observations: {point['ms']:.3g} ms")
        points.append(point)
        write(path, found)
    return found


def load(path: Path, quick: bool) -> dict[str, Any]:
    """Return the measurements in the file; refuse a file from another version, machine or size."""
    new = settings(quick)
    if not path.exists():
        return new | {"rows": {}, "points": []}
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        complete = {"rows", "points"} <= set(found)
    except (json.JSONDecodeError, UnicodeDecodeError, TypeError):
        complete = False
    if not complete:
        raise ValueError(f"{path} has no measurements of this command; choose another --out")
    for name, value in new.items():
        if found.get(name) != value:
            raise ValueError(
                f"{path} was measured with {name} {found.get(name)!r}, not {value!r}; choose another --out"
            )
    return found


def write(path: Path, found: dict[str, Any]) -> None:
    """Write all measurements; the file is complete or unchanged."""
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
