# make run    serve the app          make test    the whole test suite, a real browser included
# make lint   ruff and mypy          make docs    the API reference, docs/api/index.html, from the docstrings
# make wheel  dist/spatialldp-*.whl  make clean   remove .venv, caches and all that was built
# make mutants  deliberate mistakes, and the test that notices each (a few minutes)
PYTHON ?= python3
PORT   ?= 8501
BIN    := .venv/bin
# numba keeps the compiled solver on disk, so that the first visitor does not wait for it.
COMPILE := $(BIN)/python -c 'from spatialldp.wasserstein import warm_up; warm_up()'

.PHONY: run test mutants lint docs wheel screenshots clean

run: .venv/app
	@$(BIN)/python -m spatialldp app --port $(PORT)

test: .venv/dev
	@$(BIN)/python -m tests.browser.chromium
	$(BIN)/python -m pytest -n 2 --ignore=tests/browser
	$(BIN)/python -m pytest tests/browser

mutants: .venv/dev
	$(BIN)/python -m tests.mutants

lint: .venv/dev
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy

docs: .venv/dev
	$(BIN)/python -m docs.build_reference

wheel: .venv/dev
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

screenshots: .venv/dev
	@$(BIN)/python -m tests.browser.chromium
	$(BIN)/python -m tests.browser.screenshots

# The stamps are files inside .venv: an existing checkout starts in seconds, and a changed
# requirements file is installed the next time.
.venv/app: requirements.txt | .venv/made
	$(BIN)/python -m pip install --quiet -r requirements.txt
	@$(COMPILE)
	@touch $@

.venv/dev: requirements.txt requirements-dev.txt | .venv/made
	$(BIN)/python -m pip install --quiet -r requirements-dev.txt
	@$(COMPILE)
	@touch $@ .venv/app

.venv/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "spatialldp needs Python 3.11 or newer; '$(PYTHON)' is older or missing. Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv .venv || \
	  { echo "Python cannot make a virtual environment; on Debian or Ubuntu: apt-get install python3-venv"; exit 1; }
	@touch $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .hypothesis build dist *.egg-info docs/api
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
