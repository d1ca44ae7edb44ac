"""Questions from other threads while the worker decides."""

import threading

import numpy as np

from benchmarks.reliability.examples import definition
from quickdraw_service.requests import Create, Decide, Reward
from quickdraw_service.service import Service


def test_readers_see_a_whole_policy_and_disturb_nothing(tmp_path):
    with Service(f"sqlite:///{tmp_path}/log.db", warm_up=False) as service:
        service.ask(Create("prices", definition(parameters={"length_scale": 0.2, "time_scale": 50.0}, uniform=0.1)))
        failures, done = [], threading.Event()

        def read():
            while not done.is_set():
                try:
                    belief = service.belief("prices", points=5)
                    assert np.isfinite(belief.index).all()
                    assert service.experiment("prices").pending >= 0
                    service.explain("prices", 3)
                    service.decisions("prices", limit=5)
                    list(service.log("prices"))
                except Exception as error:
                    failures.append(error)
                    return

        readers = [threading.Thread(target=read) for _ in range(2)]
        for reader in readers:
            reader.start()
        for k in range(120):
            service.ask(Decide("prices", id=f"a{k}", time=float(k)))
            service.ask(Reward("prices", [f"a{k // 2}"], [0.5]))
        done.set()
        for reader in readers:
            reader.join()
        assert failures == []
        assert service.experiment("prices").rewards == 60
        assert len(service._worker.experiments["prices"].learner.policy.pending[0]) == 60
