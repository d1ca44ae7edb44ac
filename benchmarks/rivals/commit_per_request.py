"""A plain server for rewards, as one writes it in an hour: FastAPI, and a commit for every request.

The rival of ``python -m benchmarks.service_load --rival PYTHON``, where PYTHON is one with fastapi and uvicorn.
"""

import sqlite3
import sys
import threading

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()
lock = threading.Lock()


class Reward(BaseModel):
    """The body of a request."""

    reward: float


def open_store(path: str) -> sqlite3.Connection:
    """Make a table of rewards whose commits are durable."""
    store = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    store.execute("PRAGMA journal_mode = WAL")
    store.execute("PRAGMA synchronous = FULL")
    store.execute("CREATE TABLE rewards (id TEXT PRIMARY KEY, reward REAL NOT NULL)")
    return store


@app.put("/v1/experiments/{name}/decisions/{id}/reward")
def reward(name: str, id: str, body: Reward) -> dict[str, str]:
    """Write one reward, and say so when it is on the disk."""
    with lock:
        store.execute("INSERT OR REPLACE INTO rewards VALUES (?, ?)", (id, body.reward))
    return {"status": "recorded"}


if __name__ == "__main__":
    store = open_store(sys.argv[1])
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="warning", access_log=False)
