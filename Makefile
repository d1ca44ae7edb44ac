# The first target that needs it sets up .venv; `make help` lists all targets.
PYTHON ?= python3
VENV := .venv/bin/python
# Sources come from this folder and programs are started as modules, so that a .venv that was made in another folder
# (a moved clone, a link in a second worktree) works as well.
export PYTHONPATH := $(CURDIR)/src
# Tests start a hundred processes, each of which would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE
# Both processes of the tests begin with half of the files each, so that what a file sets up is set up once: servers, the
# site, a wheel, compiled code. Who is done first takes over half of what is left.
PYTEST := $(VENV) -m pytest -n 2 --dist worksteal

CHECK_PYTHON = $(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed; choose one with make PYTHON=...") if sys.version_info < (3, 11) else None'

.DEFAULT_GOAL := help
.PHONY: help demo serve lint fast test pytest coverage docs bench golden lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

demo: .venv/lab ## half a minute: the adaptive policy against the paper's five; writes results/demo/demo.html
	$(VENV) -m quickdraw_cli demo --out results/demo

serve: .venv/ready ## start the decision service with an experiment that plays by itself; its page is at the address shown
	@mkdir -p results
	$(VENV) -m quickdraw_cli serve --store sqlite:///results/demo.db --demo

lint: .venv/ready ## check format, lint rules, types and import contracts
	$(VENV) -m ruff format --check .
	$(VENV) -m ruff check .
	$(VENV) -m mypy
	$(VENV) -c 'from importlinter.cli import lint_imports_command; lint_imports_command()'

fast: .venv/ready ## tests of about a minute: golden choices, and the library without tests marked slow
	$(PYTEST) -m "not slow" tests/golden tests/quickdraw_bandits

test: .venv/ready ## everything a change must pass: lint, all tests, doctests
	@$(MAKE) --no-print-directory -j 2 lint pytest

pytest: .venv/ready # beside lint, which keeps one core busy for a minute
	$(PYTEST)

coverage: .venv/ready ## branch coverage of the library outside compiled functions; fails below 95 %
	$(PYTEST) --cov --cov-report=term tests/golden tests/quickdraw_bandits src/quickdraw_bandits

docs: .venv/ready ## build the documentation site into site/, with every link checked and every tutorial run
	NO_MKDOCS_2_WARNING=1 $(VENV) -m mkdocs build --strict --quiet
	@echo "site/index.html is ready; for the search, serve it: $(VENV) -m http.server --directory site"

bench: .venv/ready ## run the benchmarks; BENCH=--write keeps the table in docs/benchmarks.md
	$(VENV) -m benchmarks $(BENCH)

golden: .venv/ready ## record the golden choices again, after a deliberate change
	$(VENV) tests/golden/record.py

# The result holds versions and hashes, and names no index. Versions already in the file are kept where they still fit;
# UV_ARGS=--upgrade takes the newest.
LOCK := $(VENV) -m uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
  --no-emit-index-url --no-emit-find-links --quiet
lock: .venv/ready ## write requirements.lock and requirements-demo.lock again
	$(LOCK) --all-extras --group dev --group docs $(UV_ARGS) -o requirements.lock
	$(LOCK) --extra lab --constraint requirements.lock -o requirements-demo.lock

clean: ## remove .venv, results and caches
	rm -rf .venv results dist site .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests benchmarks examples -name __pycache__ -prune -exec rm -rf {} +

# `$(call install,FILE)` installs what a lock file pins. The file is complete: --no-deps keeps the installer from looking for
# other versions, and so from failing on a release that is newer than the file. uv takes a fraction of pip's time. It comes
# from the lock file too, and asks the index that pip is set to ask. Where uv cannot be had, or does not reach that index
# (it does not know all of pip's settings), pip installs everything. Nothing is compiled to bytecode ahead: Python does it
# for those modules that are imported.
PIP_INSTALL := $(VENV) -m pip install --quiet --disable-pip-version-check --no-deps --no-compile
define install
	@test -x $(VENV) || $(PYTHON) -m venv --clear .venv
	@sed -n '/^uv==/,/[^\\]$$/p' requirements.lock > .venv/uv.lock
	@index=$$($(VENV) -m pip config list 2>/dev/null | sed -n "s/^.*\.index-url='\(.*\)'$$/\1/p" | head -n 1); \
	  if $(PIP_INSTALL) --require-hashes --requirement .venv/uv.lock && \
	    UV_DEFAULT_INDEX=$${UV_DEFAULT_INDEX-$$index} $(VENV) -m uv pip install --quiet --python $(VENV) --no-deps \
	    --require-hashes --requirement $(1); \
	  then :; else echo "setting up .venv: without uv, pip installs the libraries (a minute or two) ..."; \
	    $(PIP_INSTALL) --require-hashes --requirement $(1); fi
endef

# The demo needs a fifth of the libraries, so that a newcomer waits less; where all are installed, there is nothing to do.
ifeq ($(wildcard .venv/ready),)
.venv/lab: requirements-demo.lock
	@$(CHECK_PYTHON)
	@echo "setting up .venv: installing the libraries of requirements-demo.lock ..."
	$(call install,requirements-demo.lock)
	@touch .venv/lab
else
.venv/lab: ;
endif

# The package itself is installed in place.
.venv/ready: requirements.lock pyproject.toml
	@$(CHECK_PYTHON)
	@echo "setting up .venv: installing the libraries of requirements.lock (half a minute) ..."
	$(call install,requirements.lock)
	@echo "setting up .venv: installing quickdraw-bandits in place ..."
	@$(PIP_INSTALL) --no-build-isolation --editable .
	@touch .venv/ready
