"""Groups of observations that are almost at one point."""

from quickdraw_bandits.checks import Floats, Integers
from quickdraw_bandits.numerics.jit import compiled
from quickdraw_bandits.policies.adaptive.correlation import Rates


@compiled
def group(
    columns: Floats,
    matrix: Floats,
    arms: Integers,
    times: Floats,
    rates: Rates,
    reach: float,
    leaders: Integers,
    joined: Integers,
) -> tuple[int, int]:
    """Choose observations from the first on that lead groups; each of the others joins a leader that is near enough.

    An observation joins the last leader with near D² + recent (t - t')² < ``reach``. Where arms have a level of their
    own, the leader must be of the same arm. Distances are those of ``fill_covariance``.

    Fills ``leaders``, and in ``joined`` the group of each observation, up to the first for which there is no room among
    the leaders. Returns how many groups and how many such observations there are.
    """
    n, m = times.shape[0], 0
    ordered = True
    for i in range(1, n):
        ordered &= times[i] <= times[i - 1]
    for i in range(n):
        same = -1
        for j in range(m - 1, -1, -1):
            s = leaders[j]
            age = times[i] - times[s]
            late = rates.recent * age * age
            if ordered and late >= reach:  # those before are later still, so that few leaders are looked at
                break
            if rates.share > 0.0 and arms[i] != arms[s]:
                continue
            squared = matrix[arms[i], arms[s]] if matrix.shape[0] else 0.0
            for axis in range(columns.shape[0]):
                d = columns[axis, i] - columns[axis, s]
                squared += d * d
            if rates.near * squared + late < reach:
                same = j
                break
        if same < 0:
            if m == leaders.shape[0]:
                return m, i
            leaders[m] = i
            same = m
            m += 1
        joined[i] = same
    return m, n
