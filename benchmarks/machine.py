"""Describe the machine on which the benchmarks run."""

import importlib.metadata
import os
import platform
from pathlib import Path


def machine() -> str:
    """Return processor, cores, operating system and library versions on one line."""
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "numba", "scipy"))
    return (
        f"{_processor()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}, {versions}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
