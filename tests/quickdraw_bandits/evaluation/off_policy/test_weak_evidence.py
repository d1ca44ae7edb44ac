"""Estimates that say when the log tells too little about a policy, and why."""

import math

import numpy as np
import pytest

from quickdraw_bandits.evaluation.off_policy import (
    WeakEvidenceWarning,
    direct_method,
    ips,
    replay,
    self_normalised_ips,
)


class TestWeakEvidence:
    def test_no_match(self):
        with pytest.warns(WeakEvidenceWarning, match="self-normalised ips: no logged event agrees with the policy"):
            estimate = self_normalised_ips([1] * 500, [0.5] * 500, [0.0] * 500)
        assert math.isnan(estimate.value)
        assert math.isnan(estimate.low)
        with pytest.warns(WeakEvidenceWarning, match="replay: no logged event agrees"):
            assert math.isnan(replay([1] * 500, [False] * 500).value)

    def test_no_reward(self):
        with pytest.warns(WeakEvidenceWarning, match="has a reward, so that no interval can be given"):
            estimate = ips([0] * 500, [0.5] * 500, [0.5] * 500)
        assert estimate.value == 0
        assert math.isnan(estimate.standard_error)
        assert math.isnan(estimate.high)

    def test_few_rewards(self):
        with pytest.warns(WeakEvidenceWarning, match="only about 9 events with a reward carry the estimate"):
            estimate = ips([1] * 9 + [0] * 500, [0.5] * 509, [0.5] * 509)
        assert estimate.weakness == "only about 9 events with a reward carry the estimate"

    def test_one_of_a_kind(self):
        with pytest.warns(WeakEvidenceWarning, match="only about 1 event with a reward carries the estimate"):
            ips([1] + [0] * 500, [0.5] * 501, [0.5] * 501)
        with pytest.warns(WeakEvidenceWarning, match="worth only 1 event of the policy's own"):
            direct_method([0.3])

    def test_rewards_only_where_there_is_hardly_any_weight(self):
        # 20 rewards at weight 0.02, and 150 events at weight 50 without one, where 0.02 · 150 = 3 were to be expected.
        reward, target = [1] * 20 + [0] * 980, [0.0004] * 850 + [1.0] * 150
        with pytest.warns(WeakEvidenceWarning, match="only about 3 events with a reward carry the estimate"):
            ips(reward, [0.02] * 1000, target)

    def test_few_effective_samples(self):
        with pytest.warns(WeakEvidenceWarning, match="worth only 99 events of the policy's own"):
            ips([1] * 500, [0.5] * 500, [0.5] * 99 + [0.0] * 401)

    def test_enough(self):
        assert ips([1, 0] * 250, [0.5] * 500, [0.5] * 500).weakness == ""


class TestOverlap:
    """Weights have the mean 1 only if the log can hold every arm that the target plays, at the propensities stated."""

    def log(self, n=4000, logged=4, seed=0):
        random = np.random.default_rng(seed)
        arms = random.integers(logged, size=n)
        return arms, (random.random(n) < 0.2 + 0.1 * arms).astype(float), np.full(n, 1 / logged)

    def test_a_log_that_lacks_arms_of_the_target_is_weak(self):
        arms, rewards, propensities = self.log()
        # The target plays five arms alike, of which the log holds four.
        with pytest.warns(WeakEvidenceWarning, match=r"weights are 0\.8 on average, where 1 is expected"):
            estimate = self_normalised_ips(rewards, propensities, np.full(len(arms), 0.2))
        assert "lacks arms" in estimate.weakness

    def test_wrong_propensities_are_noticed(self):
        arms, rewards, propensities = self.log()
        with pytest.warns(WeakEvidenceWarning, match="propensities are wrong"):
            ips(rewards, propensities / 3, np.where(arms == 2, 1.0, 0.0))

    def test_right_ones_are_not_called_weak(self):
        weak = 0
        for seed in range(50):
            arms, rewards, propensities = self.log(seed=seed)
            weak += bool(ips(rewards, propensities, np.where(arms == 2, 1.0, 0.0)).weakness)
        assert weak == 0  # at four standard errors, one log in 16,000 is
