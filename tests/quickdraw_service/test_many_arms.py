"""How many arms an experiment and a server may have, and what is said of those that do not exist."""

import numpy as np
import pytest

from benchmarks.reliability.examples import definition
from quickdraw_service.errors import BadRequestError
from quickdraw_service.requests import AddArms, Create, Decide, RetireArms
from quickdraw_service.service import Service


def test_added_arms_count_for_both_limits(url):
    with Service(url, warm_up=False, most_arms=50) as service:
        service.ask(Create("prices", definition()))
        service.ask(Create("other", definition()))
        four = AddArms("prices", np.arange(2.0, 6.0)[:, None], id="four", most=24)
        assert service.ask(four).new
        assert not service.ask(four).new
        with pytest.raises(BadRequestError, match="at most 24, got 1 beside 24"):
            service.ask(AddArms("prices", np.array([[9.0]]), most=24))
        with pytest.raises(BadRequestError, match="50 arms together, and have 44 already"):
            service.ask(AddArms("prices", np.arange(10.0, 17.0)[:, None], most=100))
        assert service.experiment("prices").n_arms == 24


@pytest.mark.parametrize("arms", [[0, 20], ["red"]])
def test_errors_name_the_field_that_was_sent(tmp_path, arms):
    with Service(f"sqlite:///{tmp_path}/log.db", warm_up=False) as service:
        service.ask(Create("prices", definition()))
        with pytest.raises(BadRequestError, match=r"^among must be"):
            service.ask(Decide("prices", among=arms))
        with pytest.raises(BadRequestError, match=r"^arm must be"):
            service.explain("prices", arms[-1])
        with pytest.raises(BadRequestError, match=r"^arms must be"):
            service.ask(RetireArms("prices", arms))
