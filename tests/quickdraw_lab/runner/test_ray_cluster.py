"""What can be said without a cluster; tests/cluster has one."""

import socket

import pytest

from quickdraw_lab.runner.ray_cluster import require_cluster


def test_an_address_where_nothing_answers_is_refused():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens here, and nobody else can
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        for given in (address, f"ray://{address}"):
            with pytest.raises(ValueError, match=f"--ray-address {given}: no cluster answers there"):
                require_cluster(given)
    with pytest.raises(ValueError, match="no cluster answers there"):
        require_cluster("127.0.0.1:99999")


def test_an_address_that_answers_and_forms_left_to_ray_pass():
    with socket.create_server(("127.0.0.1", 0)) as server:
        require_cluster(f"127.0.0.1:{server.getsockname()[1]}")
    require_cluster("auto")
