# make demo   set up, then play the paper's five policies on one drifting field
# make test   set up, then format, lint, types, import contracts, tests and doctests
# make bench  set up, then the benchmarks
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test bench lock clean

demo: .venv/ready
	$(BIN)/quickdraw play --out results/demo

test: .venv/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n 2

bench: .venv/ready
	$(BIN)/python -m benchmarks $(BENCH)

# Everything comes from the lock file; the package itself is installed in place.
.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; choose one with make PYTHON=...") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch .venv/ready

# Made with uv; the result names versions and hashes, and no index.
lock:
	uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 \
	  --generate-hashes --no-annotate --no-header --no-emit-index-url --no-emit-find-links --quiet -o requirements.lock

clean:
	rm -rf .venv results
