import re
from dataclasses import replace

import numpy as np
import pytest

import quickdraw_bandits as qd
from quickdraw_lab.demo.chapters import SETTINGS, play_chapter
from quickdraw_lab.demo.page import write_demo
from quickdraw_lab.players.built_in import PAPER


@pytest.fixture(scope="module")
def chapters():
    small = replace(
        SETTINGS[0], warmup=10, build=lambda seed: qd.environments.RandomField(n_arms=30, n_rounds=60, seed=seed)
    )
    short = replace(
        SETTINGS[1], warmup=10, build=lambda seed: qd.environments.RandomField(n_arms=20, n_rounds=50, seed=seed)
    )
    return [play_chapter(setting, seed=1) for setting in (small, short)]


def test_the_adaptive_policy_comes_first_and_the_papers_five_follow(chapters):
    for chapter in chapters:
        assert chapter.traces[0].policy == "AdaptiveQuickDraw"
        assert {trace.policy for trace in chapter.traces[1:]} == set(PAPER)
        assert chapter.rows()[0]["times adaptive"] == "1.0"


def test_the_belief_is_the_estimate_before_each_choice(chapters):
    chapter = chapters[0]
    env, played = chapter.env, chapter.traces[0]
    policy = qd.AdaptiveQuickDraw(env.arms, seed=1)
    for round, time in enumerate(env.times.tolist()):
        if round >= played.warmup:
            np.testing.assert_allclose(chapter.believed[chapter.rounds.index(round)], policy.estimate(time)[0])
            assert policy.select(time) == played.arms[round]
        policy.update(time, int(played.arms[round]), float(played.rewards[round]))
    assert chapter.rounds == list(range(played.warmup, env.n_rounds))


def test_the_page_holds_both_games_and_loads_nothing(chapters, tmp_path):
    written = write_demo(chapters, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(written)
    page = (tmp_path / "demo.html").read_text(encoding="utf-8")
    assert not re.search(r"https?://|<script|<link|@import|url\(", page)
    assert page.count('src="data:image/png;base64,') == 4
    for chapter in chapters:
        table = page.split(f'data-name="{chapter.setting.name}"')[1].split("</table>")[0]
        assert re.findall('<tr class="first"><td>(.*?)</td><td>(.*?)</td>', table) == [
            ("Adaptive Quick-Draw", f"{chapter.traces[0].regret_per_round:.3f}")
        ]


def test_recorded_speeds_come_with_the_package():
    env = qd.environments.highway(noise=0.1, seed=3)
    assert env.mean.shape == (500, 200)
    assert (env.mean.min(), env.mean.max(), env.noise, env.seed) == (0.0, 1.0, 0.1, 3)
    # Waves travel against the traffic: what is seen at a cell now is seen seven cells before at the next step.
    still, moved = env.mean[:-1, 7:], env.mean[1:, :-7]
    with_wave = np.corrcoef(still.ravel(), moved.ravel())[0, 1]
    against = np.corrcoef(env.mean[:-1, :-7].ravel(), env.mean[1:, 7:].ravel())[0, 1]
    assert with_wave > against + 0.03
