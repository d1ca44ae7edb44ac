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


CHOOSE = """
import sys
import quickdraw_bandits as qd

assert not {"numba", "quickdraw_bandits.evaluation", "quickdraw_bandits.tables"} & set(sys.modules)
policy = qd.QuickDraw(qd.Arms.grid(-1, 1, 16), seed=0)
for k in range(4):
    policy.update(0.1 * k, policy.select(0.1 * k), k % 2)
assert not {"scipy.linalg", "quickdraw_bandits.evaluation"} & set(sys.modules), "loaded, and of no use to a choice"

# What others compile has SciPy's linear algebra all the same.
import numba, numpy as np

square = np.array([[2.0, 1.0], [1.0, 3.0]])
assert (numba.njit(lambda a: a @ a)(square) == square @ square).all()
assert np.allclose(numba.njit(lambda a: np.linalg.inv(a))(square) @ square, np.eye(2))

for name in qd.__all__:
    getattr(qd, name)
try:
    qd.nothing
except AttributeError as error:
    assert str(error) == "module 'quickdraw_bandits' has no attribute 'nothing'"
else:
    raise AssertionError
"""


def test_a_choice_loads_nothing_that_it_does_not_need():
    result = subprocess.run([sys.executable, "-c", CHOOSE], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
