"""The classes and functions that a saved policy may name, and no others."""

from functools import cache
from importlib import import_module
from typing import Any

MODULES = {
    "arms": ("Arms", "Box"),
    "arms.labels": ("Labels",),
    "exploration": ("Constant", "Decaying", "Theorem"),
    "observations": ("Observations", "Pending", "Window"),
    "times": ("Clock",),
    "interpolation.direct": ("DirectSum",),
    "interpolation.kernel": ("Kernel",),
    "interpolation.parts": ("GrownEngine", "Part"),
    "interpolation.running_sums": ("RunningSums",),
    "interpolation.engines.tree": ("TreeEngine",),
    "interpolation.engines.tree.arm_tree": ("ArmTree",),
    "interpolation.engines.tree.boxes": ("Query", "Workspace"),
    "interpolation.engines.tree.observation_trees": ("ObservationTrees", "Trees"),
    "interpolation.engines.tables.engine": ("TablesEngine",),
    "interpolation.engines.tables.far_past": ("FarPast",),
    "interpolation.engines.tables.geometry": ("Geometry",),
    "interpolation.engines.tables.level": ("Level",),
    "interpolation.engines.tables.levels": ("Levels",),
    "interpolation.engines.tables.node_sums": ("Observed", "ScaledArms", "Units"),
    "interpolation.engines.tables.nodes": ("TimeNodes",),
    "interpolation.engines.tables.turns": ("Turns",),
    "gaussian_process": (
        "ArmCorrelations",
        "Directions",
        "DriftingProcess",
        "Fit",
        "Forgetting",
        "Parameters",
        "Sample",
        "SquaredExponential",
        "WarmFit",
        "WeightedProcess",
    ),
    "gaussian_process.rolling_factor": ("RollingFactor",),
    "policies.adaptive.clock": ("Clock",),
    "policies.adaptive.continuum": ("Continuum",),
    "policies.adaptive.correlation": ("Rates",),
    "policies.adaptive.evidence": ("Evidence",),
    "policies.adaptive.peak_profile": ("Known", "Profile", "Sums", "Units"),
    "policies.adaptive.peaks": ("Peak", "Peaks", "Waiting"),
    "policies.adaptive.pool": ("Pool",),
    "policies.adaptive.sample": ("SpaceTimeSample",),
    "policies.adaptive.scales": ("Candidate", "ScaleGrid", "Scales"),
    "policies.adaptive.shortlist": ("Shortlist",),
    "policies.adaptive.space": ("Space", "Targets"),
    "policies.adaptive.stay": ("Stay",),
    "policies.adaptive.surprises": ("Expectation", "Surprises"),
    "policies.adaptive.tuner": ("Tuner",),
    "policies.clock_warning": ("ClockWatch",),
    "policies.gp_libraries": ("_george", "_own", "_scikit_learn"),
    "policies.hoo_tree": ("Tree",),
    "policies.lattice": ("Lattice",),
    "policies.mixed": ("Mixed",),
    "policies.probes": ("OpenProbes", "Probe"),
    "policies.tallies": ("Tallies",),
}
"""By module of the package: what may be named. Every policy that the package exports is added to it."""


@cache
def saved_classes() -> dict[str, Any]:
    """Return the classes and functions by the names that files use."""
    from quickdraw_bandits import policies

    found = {name: getattr(policies, name) for name in policies.__all__ if name != "Policy"}
    for module, names in MODULES.items():
        for name in names:
            found[f"{module}.{name}"] = getattr(import_module(f"quickdraw_bandits.{module}"), name)
    return found
