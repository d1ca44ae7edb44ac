"""Requests made from the OpenAPI description, valid and invalid ones, and a check of every answer against it.

``python tests/quickdraw_service/api/conformance.py --cases 100000`` starts ``quickdraw serve`` on a new store and asks
it. No answer may be 500 or above, 503 with Retry-After aside, and none may differ from the description.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from functools import partial

import httpx
import hypothesis
import schemathesis
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

NAMES = ("line", "plane", "labelled")
IDS = ("a", "b", "c-1")
EXPERIMENTS = {
    "line": {"arms": {"grid": {"low": 0, "high": 1, "n": 5}}, "policy": {"name": "QuickDraw"}},
    "plane": {"arms": {"points": [[0, 0], [0, 1], [1, 0], [1, 1]]}},
    "labelled": {"arms": {"points": [[0.0], [1.0], [2.0]], "labels": ["a", "b", "c"]}, "reward_within": 5},
}


def no_failure_of_the_server(ctx, response, case):
    assert response.status_code < 500 or (response.status_code == 503 and "retry-after" in response.headers), (
        f"{case.method} {case.path}: {response.status_code}"
    )


CHECKS = [
    no_failure_of_the_server,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
]


def fill(url):
    """Create the experiments that most of the requests are about."""
    for name, definition in EXPERIMENTS.items():
        answer = httpx.put(f"{url}/v1/experiments/{name}", json=definition, timeout=60)
        assert answer.status_code in (200, 201), answer.text
        for body in ({"id": "a"}, {"id": "b"}, {"id": "c", "count": 2}):
            answer = httpx.post(f"{url}/v1/experiments/{name}/decisions", json=body, timeout=60)
            assert answer.status_code in (200, 201), answer.text


def ask(url, cases, seed=0, tell=lambda line: None):
    """Send about ``cases`` requests, raise at the first wrong answer, and return how often each status came."""
    schema = schemathesis.openapi.from_url(f"{url}/openapi.json")
    operations = [found.ok() for found in schema.get_all_operations()]
    each = max(2, cases // (2 * len(operations)))
    statuses = Counter()
    for number, operation in enumerate(operations):
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            negative = mode is GenerationMode.NEGATIVE
            if negative and not (operation.query or operation.body or operation.path_parameters):
                continue
            checks = [*CHECKS, negative_data_rejection] if negative else CHECKS
            _ask_one(operation, mode, checks, each, 1000 * seed + number, statuses, url)
        tell(f"{operation.label}: {statuses.total()} requests so far")
    return statuses


def _ask_one(operation, mode, checks, examples, seed, statuses, url):
    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=False,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.generate],
    )
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode), data=st.data())
    def send(case, data):
        if mode is GenerationMode.POSITIVE:
            aim(case, data)
        response = case.call(base_url=url, timeout=60)
        statuses[response.status_code] += 1
        case.validate_response(response, checks=checks)

    send()


def aim(case, data):
    """Let most valid requests go to experiments and decisions that are there; created ones keep their names."""
    if ("name" in case.path_parameters and case.method != "PUT") or case.path.endswith("reward"):
        case.path_parameters["name"] = data.draw(st.sampled_from((*NAMES, *NAMES, case.path_parameters["name"])))
    if "id" in case.path_parameters:
        case.path_parameters["id"] = data.draw(st.sampled_from((*IDS, case.path_parameters["id"])))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--url", help="a server to ask instead of a new one; it must need no key")
    arguments = parser.parse_args()
    started, tell = time.monotonic(), partial(print, flush=True)
    if arguments.url:
        fill(arguments.url)
        statuses = ask(arguments.url, arguments.cases, arguments.seed, tell)
    else:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "quickdraw_cli", "serve", "--store", f"sqlite:///{folder}/log.db"]
            server = subprocess.Popen([*command, "--port", "0"], stdout=subprocess.PIPE, text=True)
            try:
                url = None
                while url is None:
                    line = server.stdout.readline()
                    assert line, "the server ended"
                    found = re.search(r"ready .*(http://\S+)", line)
                    url = found and found[1]
                fill(url)
                statuses = ask(url, arguments.cases, arguments.seed, tell)
            finally:
                if server.poll() is not None:
                    print(f"the server has ended with status {server.returncode}")
                server.terminate()
                server.wait(60)
    print(f"{statuses.total()} requests in {time.monotonic() - started:.0f} s, all answers as described")
    print(", ".join(f"{status}: {count}" for status, count in sorted(statuses.items())))


if __name__ == "__main__":
    main()
