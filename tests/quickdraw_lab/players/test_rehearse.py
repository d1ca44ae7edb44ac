"""What is compiled before a game is timed."""

import quickdraw_bandits as qd
from quickdraw_bandits.interpolation import aside
from quickdraw_lab.players.rehearse import rehearse


def test_a_rehearsal_compiles_here_and_leaves_nothing_to_a_helper():
    """Otherwise sums in NumPy serve the rehearsal, and the game that is timed compiles."""
    compiled = []

    class Watched(qd.policies.Random):
        def _select(self, time, among=None):
            compiled.append(aside._compiles())
            return super()._select(time, among)

    env = qd.environments.KnownFunction(lambda x: x, n_arms=5, n_rounds=40)
    rehearse(Watched, env)
    assert compiled == [True] * 3
    assert not aside._compiles()
