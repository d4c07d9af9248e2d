# Needs python3 (3.11 or newer) with venv and pip, and make. Everything else goes into $(VENV).
#   make bench   install, then compare all agents on all worlds (about ten minutes, 2 cores)
#   make test    install, then lint, type check, run every test, and audit the environments
#                (WORKERS=4 runs the tests in four processes instead of two)
# VENV=/path/of/your/own/env keeps what is in it, a torch for example.

PYTHON ?= python3
VENV ?= .venv
WORKERS ?= 2
RUN := $(VENV)/bin/python
# Small matrices and many processes: threads would only wait for each other.
QUIET_THREADS := OMP_NUM_THREADS=1 OMP_WAIT_POLICY=PASSIVE TOKENIZERS_PARALLELISM=false

.PHONY: bench test audit lint docs clean install install-dev

bench: install
	$(RUN) -m zerogym bench quick

test: install-dev lint
	$(QUIET_THREADS) $(RUN) -m pytest -q -n $(WORKERS) -m "not proof"
	$(QUIET_THREADS) $(RUN) -m pytest -q -n $(WORKERS) -m proof
	$(MAKE) --no-print-directory audit

# Every text environment: pays for right answers only, survives anything, same seed same episode.
audit: install-dev
	$(QUIET_THREADS) $(RUN) -m zerogym audit --quick --family reasoning --family tools --family games --family control

lint: install-dev
	$(RUN) -m ruff check
	$(RUN) -m ruff format --check
	$(RUN) -m mypy
	$(RUN) -m mypy tools
	PYTHONPATH=src $(VENV)/bin/lint-imports

# The README.md of every folder, from the docstrings, and the pictures of the control worlds.
docs: install-dev
	$(QUIET_THREADS) $(RUN) tools/pictures.py
	$(RUN) tools/catalog.py

install: $(RUN)
	@$(RUN) tools/install.py all

install-dev: $(RUN)
	@$(RUN) tools/install.py dev

$(RUN):
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON); set PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "zerogym needs Python 3.11 or newer; set PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "$(PYTHON) has no venv module: install your system's python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)

clean:
	rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .ruff_cache .mypy_cache .import_linter_cache
