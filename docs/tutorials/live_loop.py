# %% [markdown]
# # A live loop
#
# In production, several threads ask for decisions at once, rewards arrive later
# and out of order, some never arrive, and the process restarts now and then.
# This tutorial builds such a loop in one process. A policy is an ordinary
# object: any number of threads may call it, and each call is atomic.

# %%
import queue
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

import quickdraw_bandits as qd

# %% [markdown]
# ## The policy
#
# We choose how long a video player buffers, among 200 settings from 0.5 to 20
# seconds; a viewer's session then has a quality score. `Mixed` plays a random
# setting in 5 % of decisions, so that the log can be evaluated later. `warm_up`
# compiles everything ahead, so that no viewer waits for the compiler.

# %%
arms = qd.Arms.grid(0.5, 20, 200)
policy = qd.Mixed(qd.AdaptiveQuickDraw(arms, seed=0), uniform=0.05, seed=1)
qd.warm_up(policy)

# %% [markdown]
# ## Decide
#
# Eight threads serve requests. `decide` returns the arm and the exact
# probability of the choice. `expect` says that the reward is still to come:
# until then the pull is *pending*, and other threads do not all rush to the
# same arm. A row for the log is kept with each decision.

# %%
start = datetime(2026, 3, 2, 9, 0)
sessions = queue.Queue()  # sessions that are under way
log, lock = [], threading.Lock()


def serve(request):
    """Answer one request: choose a setting, and remember what was chosen."""
    time = start + timedelta(seconds=20 * request)
    decision = policy.decide(time)
    policy.expect(time, decision.arm)
    sessions.put(decision)
    with lock:
        log.append(
            {
                "time": time,
                "arm": decision.arm,
                "propensity": decision.probability,
                "reward": None,
            }
        )
    return arms.points[
        decision.arm, 0
    ]  # what the caller gets: seconds to buffer


with ThreadPoolExecutor(8) as pool:
    answers = list(pool.map(serve, range(40)))
print(f"{len(answers)} answers, {len(policy.pending[0])} rewards still to come")

# %% [markdown]
# ## Rewards, late and out of order
#
# Sessions end in any order. `update` gets the time of the *decision*, not of
# the reward: that is how a policy knows which pull is meant and how old it is.
# One session in twenty never reports; `forget` gives its reward up.

# %%
random = np.random.default_rng(0)


def quality(seconds, time):
    """Return the score of a session; the best setting drifts with the load."""
    hours = (time - start).total_seconds() / 3600
    best = 8 + 5 * np.sin(2 * np.pi * hours / 12)
    return 60 - 1.5 * (seconds - best) ** 2 / 4 + random.normal(0, 3)


def finish_sessions():
    """Report what has ended so far, in random order."""
    ended = []
    while not sessions.empty():
        ended.append(sessions.get())
    for k in random.permutation(len(ended)):
        decision = ended[k]
        if random.random() < 0.05:
            policy.forget(decision.time, decision.arm)
        else:
            score = quality(arms.points[decision.arm, 0], decision.time)
            policy.update(decision.time, decision.arm, score)
            row = next(row for row in log if row["time"] == decision.time)
            row["reward"] = score


finish_sessions()
print(f"{policy.n_observations} rewards learned")
print(f"{len(policy.pending[0])} still to come")

# %% [markdown]
# ## Run for a while
#
# Requests in groups of 40, rewards after each group. The settings that are
# chosen approach the best one, although rewards are late.

# %%
for group in range(1, 25):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(serve, range(40 * group, 40 * group + 40)))
    finish_sessions()

scores = [
    row["reward"]
    for row in sorted(log, key=lambda row: row["time"])
    if row["reward"] is not None
]
print(f"mean score of the first 100 sessions: {np.mean(scores[:100]):.1f}")
print(f"mean score of the last 100 sessions: {np.mean(scores[-100:]):.1f}")

# %% [markdown]
# ## Save and load
#
# `save` writes everything that later choices depend on, pending pulls and the
# random state included. The file is checked when it is read. The loaded policy
# makes the same choices as the one that was saved.

# %%
with ThreadPoolExecutor(8) as pool:
    list(
        pool.map(serve, range(1000, 1010))
    )  # ten decisions are pending when we stop

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "policy.qd"
    qd.save(policy, path)
    restored = qd.load(path)
    print(f"{path.stat().st_size / 1024:.0f} kB")

later = start + timedelta(hours=6)
print(
    len(restored.pending[0]),
    "pending;",
    restored.select(later) == policy.select(later),
)

# %% [markdown]
# Rewards of decisions from before the restart are learned as usual:

# %%
policy = restored
finish_sessions()
print(f"{len(policy.pending[0])} rewards still to come")

# %% [markdown]
# ## Why this setting?
#
# `explain` shows the estimate of an arm and the observations that weigh most in
# it.

# %%
now = start + timedelta(hours=6, minutes=1)
arm = policy.select(now)
why = policy.explain(now, arm)
seconds = arms.points[:, 0]
print(
    f"{seconds[arm]:.1f} s: expected score {why.mean:.1f} ± {why.deviation:.1f}"
)
for arm, reward, weight in zip(
    why.arms[:3], why.rewards[:3], why.weights[:3], strict=True
):
    print(f"  {seconds[arm]:4.1f} s scored {reward:.1f}, weight {weight:.2f}")

# %% tags=["check"]
assert len(policy.pending[0]) == 0
assert np.mean(scores[-100:]) > np.mean(scores[:100])
assert len(log) == 25 * 40 + 10
assert all(row["propensity"] >= 0.05 / 200 for row in log)

# %% [markdown]
# ## Where to go from here
#
# - The rows in `log` have what off-policy evaluation needs: see
#   [Clicks](clicks.py).
# - [Live systems](../live.md) has more: subsets of arms, new and retired arms,
#   very many arms.
