"""What the library needs to choose: NumPy and Numba."""

import subprocess
import sys

PLAY = """
import sys
for name in ("scipy", "polars", "pandas", "pyarrow"):
    sys.modules[name] = None  # an import of it raises
import quickdraw_bandits as qd

for kind in (getattr(qd.policies, name) for name in qd.policies.__all__):
    if issubclass(kind, qd.policies.Policy) and kind is not qd.policies.Policy:
        policy = kind(qd.Arms.grid(-1, 1, 16), seed=0)
        for k in range(4):
            policy.update(0.1 * k, policy.select(0.1 * k), k % 2)
        assert abs(policy.probabilities(0.4).sum() - 1) < 1e-9
"""


def test_every_policy_plays_without_scipy_and_libraries_of_frames():
    result = subprocess.run([sys.executable, "-c", PLAY], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_importing_the_library_does_not_import_the_compiler():
    code = "import sys, quickdraw_bandits; print('numba' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"
