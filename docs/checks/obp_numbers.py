"""The six estimators as computed by obp 0.5.7, an independent implementation, on the public sample.

tests/quickdraw_bandits/evaluation/off_policy/test_estimators.py holds the numbers that this script prints. obp requires
an older Python and an older torch than today's. Its estimators only need NumPy and work with newer versions:

    python3.11 -m venv obp-environment
    obp-environment/bin/pip install --no-deps --ignore-requires-python obp==0.5.7
    obp-environment/bin/pip install numpy scipy scikit-learn pandas pyyaml tqdm matplotlib seaborn torch
    PYTHONPATH=src obp-environment/bin/python docs/checks/obp_numbers.py
"""

import numpy as np
from obp.ope import (
    DirectMethod,
    DoublyRobust,
    InverseProbabilityWeighting,
    ReplayMethod,
    SelfNormalizedDoublyRobust,
    SelfNormalizedInverseProbabilityWeighting,
)

from quickdraw_bandits.datasets import open_bandit

for behavior in ("random", "bts"):
    log = open_bandit(behavior=behavior)
    event, arm = np.arange(len(log))[:, None], np.arange(46)[None, :]
    target = np.exp(np.sin(arm + event / 1000))
    target /= target.sum(axis=1, keepdims=True)
    model = 0.005 + 0.003 * np.cos(arm * event / 7000)
    always_another = np.zeros_like(target)
    always_another[event, 7 * event % 46] = 1.0
    shared = {"reward": log.reward, "action": log.arm, "pscore": log.propensity, "position": None}
    print(behavior)
    for estimator in (
        InverseProbabilityWeighting(),
        SelfNormalizedInverseProbabilityWeighting(),
        DirectMethod(),
        DoublyRobust(),
        SelfNormalizedDoublyRobust(),
    ):
        value = estimator.estimate_policy_value(
            **shared, action_dist=target[:, :, None], estimated_rewards_by_reg_model=model[:, :, None]
        )
        print(f"    {type(estimator).__name__}: {value!r}")
    print(
        f"    ReplayMethod: {ReplayMethod().estimate_policy_value(**shared, action_dist=always_another[:, :, None])!r}"
    )
