"""Environments for gymnasium, and the policies of this library as agents on them.

Importing this module registers four ids. All take ``delay``, and the arguments of the class that they are named after
except ``seed``, which goes to ``reset``:

- ``quickdraw/RandomField-v0``
- ``quickdraw/KnownFunction-v0``, which needs ``function``
- ``quickdraw/Recorded-v0``, which needs ``rewards`` and ``arms``
- ``quickdraw/Box-v0``, a continuum of arms, with the arguments of ``BoxEnv``

>>> import gymnasium
>>> import quickdraw_bandits as qd
>>> import quickdraw_bandits.gym
>>> env = gymnasium.make("quickdraw/RandomField-v0", n_arms=50, n_rounds=200)
>>> policy = qd.AdaptiveQuickDraw(env.unwrapped.arms, seed=0)
>>> qd.gym.play(policy, env, seed=1)
Trace(AdaptiveQuickDraw, 200 rounds, regret_per_round=...)
"""

from quickdraw_bandits.extras import missing_extra

try:
    import gymnasium
except ImportError:
    raise missing_extra("these environments", "gymnasium", "gym") from None

from quickdraw_bandits.gym.arrivals import Arrival
from quickdraw_bandits.gym.bandit_env import BanditEnv
from quickdraw_bandits.gym.box_env import BoxEnv
from quickdraw_bandits.gym.play import play

__all__ = ["Arrival", "BanditEnv", "BoxEnv", "play"]

for _name, _entry in (
    ("RandomField", "registered:random_field"),
    ("KnownFunction", "registered:known_function"),
    ("Recorded", "registered:recorded"),
    ("Box", "box_env:BoxEnv"),
):
    gymnasium.register(id=f"quickdraw/{_name}-v0", entry_point=f"quickdraw_bandits.gym.{_entry}")
