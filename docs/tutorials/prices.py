# %% [markdown]
# # Prices
#
# A shop sells one product and may change its price every day: 41 prices from
# £20 to £40. Which price brings in the most, when demand moves with the season?
# We have a table of past days, with dates, price labels and takings in
# thousands of pounds, and use it as it is.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import quickdraw_bandits as qd

# %% [markdown]
# ## The table
#
# In practice this comes from a file or a database. Here we generate 150 days.
# People chose the prices: eight even ones, from £22 to £36.

# %%
prices = np.arange(20, 40.5, 0.5)
labels = [f"£{price:.2f}" for price in prices]
random = np.random.default_rng(3)


def takings(price, day):
    """Return the mean takings of a day in k£, unknown to the policy."""
    season = np.sin(2 * np.pi * (day - pd.Timestamp("2026-01-01")).days / 365)
    demand = 1000 / (1 + np.exp((price - 30 - 4 * season) / 2.2))
    return price * demand / 1000


def sell(price, day):
    """Return what is earned that day, which varies by chance."""
    return takings(price, day) + random.normal(0, 1.2)


days = pd.date_range("2026-01-01", periods=150, freq="D")
chosen = random.choice(np.arange(4, 36, 4), size=150)
history = pd.DataFrame(
    {
        "day": days,
        "price": [labels[k] for k in chosen],
        "takings": [
            sell(prices[k], day) for k, day in zip(chosen, days, strict=True)
        ],
    }
)
history.head()

# %% [markdown]
# ## Arms and policy
#
# An arm is a price. Its coordinate says which prices are similar, its label is
# what your table calls it. `AdaptiveQuickDraw` has nothing to set. It learns
# from the data how fast demand moves, over what range prices have similar
# takings, and how much takings vary by chance. Thousands of pounds are fine:
# rewards need not lie between 0 and 1.

# %%
arms = qd.Arms(prices, labels=labels)
policy = qd.AdaptiveQuickDraw(arms, seed=0)
policy.update(
    history["day"], history["price"], history["takings"]
)  # the whole history at once
policy

# %% [markdown]
# ## What does it believe?

# %%
_ = qd.plots.belief(policy, pd.date_range("2026-01-01", "2026-06-30", freq="D"))
# %% [markdown]
# The mean is high where past takings were high. The standard deviation is small
# around the prices that were tried, and grows after the last day of the table.
# For one day, `estimate` returns both for every price:

# %%
tomorrow = pd.Timestamp("2026-05-31")
mean, std = policy.estimate(tomorrow)
belief = pd.DataFrame({"price": labels, "mean": mean, "std": std})
belief.sort_values("mean", ascending=False).head().round(2)

# %% [markdown]
# ## Choose, sell, learn
#
# The loop of a live shop: ask for a price, sell, and tell the policy what came
# in. `update` takes labels as well as positions. For comparison, we keep the
# price that was best in the table.

# %%
best_so_far = history.groupby("price")["takings"].mean().idxmax()
rows = []
for day in pd.date_range("2026-05-31", periods=120, freq="D"):
    price = str(arms.labels[policy.select(day)])
    earned = sell(prices[arms.position(price)], day)
    policy.update(day, price, earned)
    rows.append(
        {
            "day": day,
            "price": prices[arms.position(price)],
            "policy": takings(prices[arms.position(price)], day),
            "fixed price": takings(prices[arms.position(best_so_far)], day),
            "best price": max(takings(price, day) for price in prices),
        }
    )
season = pd.DataFrame(rows).set_index("day")
season[["policy", "fixed price", "best price"]].sum().round(0)

# %%
figure, (above, below) = plt.subplots(
    2, 1, sharex=True, figsize=(7, 5), layout="constrained"
)
above.plot(season.index, season["price"], ".")
above.set_ylabel("price (£)")
season[["policy", "fixed price", "best price"]].cumsum().plot(ax=below)
_ = below.set_ylabel("takings so far (k£)")
# %% [markdown]
# ## What has it learned?
#
# `scales` says over what range prices have similar takings, for how long a
# day's takings remain informative, and how much they vary by chance. Distances
# are fractions of the largest distance between two arms, `arms.unit`. The time
# scale is a `timedelta`, because the times are dates.

# %%
learned = policy.scales
print(f"length scale £{learned.length_scale * arms.unit:.2f}")
print(f"time scale {learned.time_scale.days} days")
print(f"noise {learned.noise:.1f} thousand pounds; in truth 1.2")

# %% [markdown]
# ## Some prices only
#
# Marketing allows only prices that end in .00 this week. `among` restricts one
# choice:

# %%
allowed = [label for label in labels if label.endswith(".00")]
print(arms.labels[policy.select(pd.Timestamp("2026-09-28"), among=allowed)])

# %% [markdown]
# ## Why this price?
#
# `explain` shows the days that weigh most in the estimate of a price.

# %%
day = pd.Timestamp("2026-09-28")
why = policy.explain(day, policy.select(day))
pd.DataFrame(
    {
        "price": [arms.labels[arm] for arm in why.arms[:5]],
        "day": why.times[:5],
        "takings": why.rewards[:5].round(2),
        "weight": why.weights[:5].round(3),
    }
)

# %% tags=["check"]
totals = season[["policy", "fixed price", "best price"]].sum()
assert totals["policy"] > totals["fixed price"]
assert totals["policy"] > 0.9 * totals["best price"]
assert 0.6 < policy.scales.noise < 2.4

# %% [markdown]
# ## Where to go from here
#
# - [A live loop](live_loop.py): threads, rewards that arrive late, saving and
#   loading.
# - [The adaptive policy](../adaptive.md): what it learns and how.
