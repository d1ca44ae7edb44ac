import importlib.util
import threading
from pathlib import Path

import pytest

from quickdraw_service.api import create_app
from quickdraw_service.server import Server, bind, url_of
from quickdraw_service.service import Service


@pytest.mark.slow
def test_the_shop_finds_the_price_that_drifts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = Path(__file__).parents[2] / "examples" / "service_loop.py"
    spec = importlib.util.spec_from_file_location("service_loop", path)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    ready = threading.Event()
    app = create_app(lambda deliver: Service("sqlite:///shop.db", deliver=deliver))
    server, listener = Server(app, ready.set), bind("127.0.0.1", 0)
    thread = threading.Thread(target=server.serve_on, args=(listener,))
    thread.start()
    try:
        assert ready.wait(120)
        reward, by_chance = example.run(url_of(listener))
    finally:
        server.should_exit = True
        thread.join()
    assert reward > 2 * by_chance
    assert len((tmp_path / "prices.csv").read_text().splitlines()) > 300
