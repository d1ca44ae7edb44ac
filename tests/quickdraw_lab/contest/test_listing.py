from quickdraw_lab.contest.environments import ENVIRONMENTS
from quickdraw_lab.contest.listing import described_environments, described_policies
from quickdraw_lab.players.built_in import known_policies


def test_every_policy_has_a_line_that_says_what_it_plays():
    lines = dict(described_policies([]))
    assert set(lines) == set(known_policies())
    assert "Plays arms on a line, points, cosine, haversine, precomputed distances, boxes." in lines["QuickDraw"]
    assert "Plays arms on a line, points, cosine, haversine. " in lines["SlidingGPUCB"]
    assert "window=100, epsilon=0.1. (10 settings in its grid)" in lines["SlidingEpsilonGreedy"]
    assert lines["Random"].endswith("Parameters: none. (not tuned)")
    assert all("\n" not in line for line in lines.values())


def test_every_environment_has_a_line_with_its_settings():
    lines = dict(described_environments({}))
    assert list(lines) == list(ENVIRONMENTS)
    assert lines["base"].endswith("; rho_x=0.1, rho_t=0.1, alpha=1, noise=0")
