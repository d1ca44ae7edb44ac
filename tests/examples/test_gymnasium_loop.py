import gymnasium
import pytest

import quickdraw_bandits as qd
from quickdraw_bandits.gym import play


def test_the_loop_is_play_written_out(monkeypatch, pytestconfig):
    monkeypatch.syspath_prepend(pytestconfig.rootpath / "examples")
    import gymnasium_loop

    results = gymnasium_loop.play(n_arms=60, n_rounds=500)
    assert results["AdaptiveQuickDraw"][1] < 0.6 * results["Random"][1]
    env = gymnasium.make("quickdraw/RandomField-v0", n_arms=60, n_rounds=500, noise=0.05, delay=(5, 20))
    trace = play(qd.AdaptiveQuickDraw(env.unwrapped.arms, seed=0), env, seed=1)
    assert results["AdaptiveQuickDraw"] == pytest.approx((trace.reward_per_round, trace.regret_per_round))
