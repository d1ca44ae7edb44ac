# %% [markdown]
# # Radio beams
#
# A base station can send its beam in 181 directions, from −90° to 90°. The
# receiver is in a car, and the best direction moves with it. Every 10 ms the
# station sends one pilot signal in one direction, and measures how strongly it
# is received. Which direction next?
#
# This is a hard problem for most bandit policies: there are many arms, and what
# was learned about one is out of date a second later. But neighbouring
# directions receive almost the same, and a policy can use that.

# %%
import numpy as np

import quickdraw_bandits as qd

# %% [markdown]
# ## The world
#
# Two paths lead to the receiver: the direct one, and a weaker one that is
# reflected by a building. A lorry blocks the direct path from second 7 to
# second 9. Signal strength is in decibels above the noise floor.


# %%
def strength(direction, time):
    """Return the mean strength in dB; angles in degrees, times in seconds."""
    direct = 40 * np.sin(2 * np.pi * time / 20)  # where the car is
    reflected = -55 + 8 * np.cos(2 * np.pi * time / 15)
    blocked = np.where((time > 7) & (time < 9), 0.01, 1.0)
    power = blocked * np.exp(-(((direction - direct) / 9) ** 2)) + 0.1 * np.exp(
        -(((direction - reflected) / 12) ** 2)
    )
    return 10 * np.log10(1 + 300 * power)


directions = np.linspace(-90, 90, 181)
times = np.arange(0, 20, 0.01)
mean = strength(
    directions[None, :], times[:, None]
)  # one row per round, one column per arm
env = qd.environments.Recorded(
    mean, qd.Arms(directions), times=times, noise=2.0, seed=0
)
env

# %% [markdown]
# `Recorded` takes any array of rewards, for example measurements of your own.
# Here the array holds the mean strengths, and `noise=2.0` adds measurement
# noise with a standard deviation of 2 dB.
#
# ## Play
#
# `AdaptiveQuickDraw` has nothing to set. It works with decibels and seconds as
# they are: there is no need to scale rewards to [0, 1]. For comparison, two
# simpler policies and a random one. The first 100 rounds, one second, are
# random for all.

# %%
adaptive = qd.AdaptiveQuickDraw(env.arms, seed=0)
traces = [
    qd.simulate(policy, env, warmup=100)
    for policy in (
        adaptive,
        qd.policies.SlidingEpsilonGreedy(
            env.arms, window=100, epsilon=0.1, seed=0
        ),
        qd.policies.SlidingUCB(env.arms, window=400, seed=0),
        qd.policies.Random(env.arms, seed=0),
    )
]
for trace in traces:
    strong, lost = trace.reward_per_round, trace.regret_per_round
    print(f"{trace.policy:<20} {strong:5.1f} dB, {lost:4.1f} dB below the best")

# %% [markdown]
# The picture shows where each policy sent its beam (dots), on the true strength
# (grey). The adaptive policy follows the car, changes to the reflected path
# while the lorry is in the way, and is soon back.

# %%
_ = qd.plots.compare(traces[:3], env)
# %% [markdown]
# ## What it learned
#
# `scales` says how the policy sees this world: over what distance strengths are
# alike, for how many seconds a measurement remains useful, and how noisy it is.
# Distances are fractions of the largest distance between two arms, `arms.unit`.

# %%
learned = adaptive.scales
print(f"length scale {learned.length_scale * env.arms.unit:.0f}°")
print(f"time scale {learned.time_scale:.1f} s")
print(f"noise {learned.noise:.1f} dB; in truth 2 dB")

# %% [markdown]
# ## As a table
#
# `to_frame` returns a data frame (of Polars; `to_frame("pandas")` of pandas),
# one row per round. Here is the mean loss while the lorry blocks the direct
# path, and otherwise.

# %%
frame = traces[0].to_frame("pandas")
frame["blocked"] = frame["time"].between(7, 9)
frame[100:].groupby("blocked")["regret"].mean().round(2)

# %% [markdown]
# ## A faster car
#
# If the car drives four times as fast, a quarter as many measurements are made
# between two corners. The adaptive policy notices: its time scale becomes
# shorter.

# %%
fast = qd.environments.Recorded(
    mean[::4], env.arms, times=times[: len(mean[::4])], noise=2.0, seed=0
)
policy = qd.AdaptiveQuickDraw(fast.arms, seed=0)
trace = qd.simulate(policy, fast, warmup=100)
print(f"{trace.regret_per_round:.1f} dB below the best direction")
now, before = policy.scales.time_scale, adaptive.scales.time_scale
print(f"time scale {now:.2f} s, before {before:.2f} s")

# %% tags=["check"]
assert traces[0].regret_per_round < 0.5 * min(
    other.regret_per_round for other in traces[1:]
)
assert 1 < adaptive.scales.noise < 4
assert policy.scales.time_scale < adaptive.scales.time_scale

# %% [markdown]
# ## Where to go from here
#
# - [Which policy?](../which-policy.md) compares all policies on many such
#   problems.
# - With 100,000 directions in two dimensions, the same calls work:
#   `qd.Arms(points)` takes any number of coordinates.
# - [Live loop](live_loop.py) shows how to run a policy outside of a simulation.
