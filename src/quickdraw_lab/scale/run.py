"""The whole benchmark. Each measurement is written at once; running it again continues where it stopped."""

import importlib.metadata
import json
import os
import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from time import process_time
from typing import TypedDict

from quickdraw_bandits import __version__
from quickdraw_lab.files import replacing
from quickdraw_lab.scale import curves
from quickdraw_lab.scale.table import Row, measures


class Settings(TypedDict):
    """What must agree for measurements to be stored in one file."""

    version: str
    quick: bool
    machine: str
    versions: dict[str, str]


@dataclass
class Measurements:
    """What was measured, and with which settings."""

    settings: Settings
    rows: dict[str, Row] = field(default_factory=dict)
    points: list[curves.Point] = field(default_factory=list)

    def write(self, path: Path) -> None:
        """Write all measurements; the file is complete or unchanged."""
        rows = {name: asdict(row) for name, row in self.rows.items()}
        content = {**self.settings, "rows": rows, "points": self.points}
        with replacing(path) as temporary:
            temporary.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> "Measurements":
        """Return the measurements in a file."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            rows = {name: Row(**row) for name, row in content.pop("rows").items()}
            return cls(content, rows, content.pop("points"))
        except (json.JSONDecodeError, UnicodeDecodeError, AttributeError, TypeError, KeyError):
            raise ValueError(f"{path} has no measurements of this command; choose another --out") from None


def settings_of(quick: bool) -> Settings:
    """Return the settings of measurements made now."""
    libraries = ("numpy", "numba", "scipy")
    return {
        "version": __version__,
        "quick": quick,
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.system()}",
        "versions": {"python": platform.python_version()}
        | {name: importlib.metadata.version(name) for name in libraries},
    }


def run(path: Path, quick: bool, say: Callable[[str], None]) -> Measurements:
    """Measure what is not in the file yet, and return everything in it."""
    found = load(path, quick)
    for name, measure in measures(quick).items():
        if name in found.rows:
            continue
        say(f"{name} …")
        start = process_time()
        row = measure()
        found.rows[name] = replace(row, seconds=process_time() - start)
        found.write(path)
    for point in curves.points(quick, list(found.points)):
        say(f"{point['series']}: {point['arms']:,} arms, {point['observations']:,} observations: {point['ms']:.3g} ms")
        found.points.append(point)
        found.write(path)
    return found


def load(path: Path, quick: bool) -> Measurements:
    """Return the measurements in the file, none if there is no file; refuse another version, machine or size."""
    settings = settings_of(quick)
    if not path.exists():
        return Measurements(settings)
    found = Measurements.read(path)
    for name, value in settings.items():
        before = dict(found.settings).get(name)
        if before != value:
            raise ValueError(f"{path} was measured with {name} {before!r}, not {value!r}; choose another --out")
    return found


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
