"""A shop that asks the decision service for prices, and whose customers answer late.

Start a server in another terminal, then run this file:

    quickdraw serve --store sqlite:///shop.db
    python examples/service_loop.py http://127.0.0.1:8000

Rewards come some rounds after their decision, in batches, and one in ten never comes. The best price drifts. The
program may be stopped and started again at any time, and so may the server: decisions and rewards are in the log.
"""

import random
import sys
from math import exp

from quickdraw_service import Client

EXPERIMENT = "prices"
LATE = 5


def best_price(round: int) -> float:
    return 4.0 + 3.0 * round / 400


def customer(price: float, round: int) -> float:
    """Return what a customer pays: more likely the closer the price is to the best one."""
    return exp(-((price - best_price(round)) ** 2))


def run(url: str, key: str | None = None, rounds: int = 400) -> tuple[float, float]:
    """Play; return the mean reward of the last quarter, and what random prices would have earned there."""
    chance = random.Random(0)
    earned, at_random, late = [], [], []
    with Client(url, key) as client:
        client.create(
            EXPERIMENT, {"grid": {"low": 1, "high": 10, "n": 200}}, uniform=0.02, reward_within=60 * 60
        )  # fmt: skip
        with client.batch(EXPERIMENT, size=10) as rewards:
            for round in range(rounds):
                decision = client.decide(EXPERIMENT)
                (price,) = decision.point
                late.append((decision.id, customer(price, round)))
                if len(late) > LATE:
                    id, reward = late.pop(0)
                    if chance.random() < 0.9:
                        rewards.add(id, reward)
                earned.append(customer(price, round))
                at_random.append(customer(chance.uniform(1, 10), round))
        standing = client.experiment(EXPERIMENT)
        print(f"{standing['decisions']} decisions, {standing['rewards']} rewards, {standing['pending']} pending")
        client.save_log(EXPERIMENT, f"{EXPERIMENT}.csv")
    last = rounds * 3 // 4
    return sum(earned[last:]) / (rounds - last), sum(at_random[last:]) / (rounds - last)


if __name__ == "__main__":
    reward, by_chance = run(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000", *sys.argv[2:3])
    print(f"mean reward of the last rounds {reward:.2f}, of random prices {by_chance:.2f}")
    print(f"the log is in {EXPERIMENT}.csv: try quickdraw evaluate {EXPERIMENT}.csv")
