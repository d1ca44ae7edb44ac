"""Play every installed rival on small environments: ``python -m benchmarks.rivals.check``.

Each has to beat random choice by the margin given here, and to reject arms that it cannot play. The exit status is 1 if
one fails. Rivals that are not installed are listed.
"""

import importlib
import sys
from importlib.util import find_spec

import numpy as np

import quickdraw_bandits as qd

# Module, class, library, largest allowed fraction of the regret of random choice, and environment.
RIVALS = (
    ("bayesianbandits", "RadialThompson", "bayesianbandits", 0.5, "field"),
    ("pyxab", "HCT", "PyXAB", 0.7, "hill"),
    ("river", "FadingEpsilonGreedy", "river", 0.5, "few"),
    ("mabwiser", "UCB1", "mabwiser", 0.5, "few"),
    ("wdbo", "WDBO", "wdbo_algo", 0.7, "short field"),
)


def environments() -> dict[str, qd.environments.Environment]:
    few = qd.environments.RandomField(1e-3, 1.0, noise=0.1, n_arms=10, n_rounds=300, seed=3)
    return {
        "field": qd.environments.RandomField(n_arms=100, n_rounds=400, seed=3),
        "short field": qd.environments.RandomField(n_arms=100, n_rounds=26, length_t=1.0, seed=3),
        "hill": qd.environments.KnownFunction(lambda x: 1 - (x - 0.3) ** 2, n_arms=100, n_rounds=400, noise=0.1),
        "few": qd.environments.Recorded(few.mean, qd.Arms(np.eye(10)), noise=0.1, seed=3),
    }


def main() -> int:
    failed, played = 0, environments()
    for module, name, library, share, where in RIVALS:
        if find_spec(library) is None:
            print(f"{name}: not installed ({library})")
            continue
        rival = getattr(importlib.import_module(f"benchmarks.rivals.{module}"), name)
        env = played[where]
        warmup = env.n_rounds // 10 + 10
        random = qd.simulate(qd.policies.Random(env.arms, seed=0), env, warmup).regret_per_round
        trace = qd.simulate(rival(env.arms, seed=0), env, warmup)
        again = qd.simulate(rival(env.arms, seed=0), env, warmup)
        good = trace.regret_per_round <= share * random
        same = bool(np.array_equal(trace.arms, again.arms))
        buildable = all(rival(env.arms, **setting, seed=0) is not None for setting in rival.contest_grid)
        failed += not (good and same and buildable)
        print(
            f"{name} ({rival.contest_version}) on {where}: regret {trace.regret_per_round:.4f}, random {random:.4f}, "
            f"at most {share:g} of it: {'yes' if good else 'NO'}; same seed, same choices: {'yes' if same else 'NO'}; "
            f"{1e3 * trace.seconds_per_choice:.2f} ms per choice"
        )
    if find_spec("PyXAB") is not None:
        from benchmarks.rivals.pyxab import HCT

        try:
            HCT(qd.Arms(np.eye(3)))
        except ValueError as error:
            print(f"HCT rejects points in three dimensions: {error}")
        else:
            failed += 1
            print("HCT rejects points in three dimensions: NO")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
