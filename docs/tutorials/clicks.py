# %% [markdown]
# # Clicks
#
# A shop shows one of 20 banners to each visitor. About 3 in 100 visitors click.
# The banners were chosen at random so far, and all of it was logged. Would
# another policy have earned more clicks? We do not want to try it on visitors
# first: off-policy evaluation answers from the log alone, and says how sure it
# is.

# %%
import numpy as np
import pandas as pd

import quickdraw_bandits as qd
from quickdraw_bandits.evaluation import play_log
from quickdraw_bandits.evaluation.off_policy import builder

# %% [markdown]
# ## The log
#
# In practice this comes from your database. Here we generate three weeks of it.
# Banners differ in how large a discount they announce. Similar discounts
# attract similarly many visitors, and which discount works best changes over
# time. `probability` is the *propensity*: the probability with which the
# logging policy chose that banner. Without it, a log cannot be evaluated.

# %%
random = np.random.default_rng(0)
n_events, discounts = 12_000, np.arange(2, 42, 2)
days = np.sort(21 * random.random(n_events))  # since the start
shown = random.integers(20, size=n_events)


def click_rate(discount, day):
    """Return the true probability of a click."""
    best = 20 + 12 * np.sin(2 * np.pi * day / 21)
    return 0.008 + 0.06 * np.exp(-(((discount - best) / 7) ** 2))


events = pd.DataFrame(
    {
        "time": pd.Timestamp("2026-03-02")
        + pd.to_timedelta(days, unit="D").floor("ms"),
        "banner": [f"{discounts[k]:.0f} % off" for k in shown],
        "discount": discounts[shown],
        "click": (
            random.random(n_events) < click_rate(discounts[shown], days)
        ).astype(int),
        "probability": 1 / 20,
    }
)
events.head()

# %% [markdown]
# `Log.from_frame` takes pandas, Polars and Arrow; the arguments name the
# columns. `coordinate` says where a banner lies among the others, so that a
# policy can learn from similar ones.

# %%
names = {
    "arm": "banner",
    "reward": "click",
    "propensity": "probability",
    "coordinate": "discount",
}
log = qd.datasets.Log.from_frame(events, **names)
log

# %% [markdown]
# ## What would other policies have earned?
#
# `play_log` plays a policy on the log: for every event the policy says with
# which probability it would have chosen the banner that was shown, then it
# learns from what happened. Each policy starts anew after `interval` events;
# here it learns over the whole log. `truth` is only for this tutorial, where
# the true click rates are known.

# %%
candidates = {
    "at random, as logged": builder(qd.policies.Random),
    "AdaptiveQuickDraw": builder(qd.AdaptiveQuickDraw),
    "SlidingEpsilonGreedy": builder(
        qd.policies.SlidingEpsilonGreedy, window=2000, epsilon=0.1
    ),
}


announced = np.array([float(name.split()[0]) for name in log.arm_names])


def truth(group, time):
    """Return the true click rates; times in a log are seconds since 1970."""
    return click_rate(
        announced[None, :], (time[:, None] - log.time[0]) / 86_400
    )


played = {
    name: play_log(log, build, interval=n_events, truth=truth)
    for name, build in candidates.items()
}

# %%
rows = []
for name, result in played.items():
    estimate = next(
        one for one in result.estimates() if one.estimator == "doubly robust"
    )
    rows.append(
        {
            "policy": name,
            "clicks per 1000": 1000 * estimate.value,
            "low": 1000 * estimate.low,
            "high": 1000 * estimate.high,
            "effective events": estimate.effective_sample_size,
            "truth": 1000 * result.true_value,
        }
    )
pd.DataFrame(rows).round(1)

# %% [markdown]
# From `low` to `high` is a 95 % confidence interval. Look at *effective events*
# as well: a policy that chooses one banner agrees with the random log in one
# event of 20, so that 12,000 events tell as much as 600 of its own. The
# interval is wide, but it lies above the click rate of the log.
#
# ## All six estimators
#
# Five of them agree. The direct method does not: it trusts a model, here the
# mean click rate of each banner over the whole log, which knows nothing of the
# change over time. `doubly robust` is the one to start with: it uses the model
# to be more precise, and the propensities to correct it.

# %%
played["AdaptiveQuickDraw"].estimates().to_frame("pandas")

# %% [markdown]
# ## When the log is too short
#
# With 1,000 events, 50 agree with a policy, and hardly two of them have a
# click. The estimate says so: `weakness` names the reason, and a
# `WeakEvidenceWarning` is issued.

# %%
import warnings

short = qd.datasets.Log.from_frame(events[:1000], **names)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", qd.evaluation.WeakEvidenceWarning)
    weak = play_log(short, builder(qd.AdaptiveQuickDraw)).ips()
value, low, high = 1000 * weak.value, 1000 * weak.low, 1000 * weak.high
print(f"{value:.1f} clicks per 1000, from {low:.1f} to {high:.1f}")
print(weak.weakness)

# %% tags=["check"]
estimates = {row["policy"]: row for row in rows}
for row in rows:
    assert row["low"] < row["truth"] < row["high"]
assert (
    estimates["AdaptiveQuickDraw"]["low"]
    > estimates["at random, as logged"]["high"]
)
assert weak.weakness

# %% [markdown]
# ## Where to go from here
#
# - [Logged data](../logged-data.md) has the formulas of the estimators and what
#   each needs.
# - `quickdraw evaluate log.csv` does the same from the command line.
# - To collect a log that can be evaluated, wrap your policy in `qd.Mixed` and
#   store the probability that `decide` returns: see
#   [A live loop](live_loop.py).
