# Needs python3 (3.11 or newer) with venv and pip, and make. Everything else goes into $(VENV).
#   make bench    install, then compare all agents on all worlds (about five minutes, 2 cores)
#   make test     install, then lint, type check and test: contracts and exact values (8 minutes)
#   make proofs   install, then learning curves, full sweeps and the audit (SINCE=REV: what changed
#                 since then comes first; MINUTES=25: nothing starts that would end later;
#                 PASSED=FILE: in parts, without what passed before, which the file lists)
# WORKERS=4 runs four processes instead of two; VENV=/path/of/your/own/env keeps what is in it.

PYTHON ?= python3
VENV ?= .venv
WORKERS ?= 2
RUN := $(VENV)/bin/python
# Small matrices and several processes: more threads would only wait for each other.
ONE_THREAD := OMP_NUM_THREADS=1 OMP_WAIT_POLICY=PASSIVE TOKENIZERS_PARALLELISM=false
# Containers often set it; the hundreds of processes of the tests would each compile torch anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: bench test contracts proofs audit examples lint docs site gpu-bundle clean install install-dev

bench: install
	$(RUN) -m zerogym bench quick

# Side by side: the type check has one process, and tests of the sandbox often wait.
test: install-dev
	@$(MAKE) --no-print-directory -j 2 lint contracts

# Neighbours run in one process (worksteal): what a file prepares, or a game solved, is there once.
contracts: install-dev
	$(ONE_THREAD) $(RUN) -m pytest -q -n $(WORKERS) --dist worksteal -m "not proof"

proofs: install-dev
	$(ONE_THREAD) $(RUN) tools/proofs.py --workers $(WORKERS) $(if $(SINCE),--since $(SINCE)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(PASSED),--passed $(PASSED))

# Every text environment: rewards right answers only, survives anything, same seed same episode.
audit: install-dev
	$(ONE_THREAD) $(RUN) -m zerogym audit --quick --known docs/audits/known.json --family reasoning --family tools --family games --family control

# One file for each library beside us, in a virtual environment where it is not installed: writes
# docs/compatibility.md. Half an hour, and about 3 GB in build/compatibility.
examples: install-dev
	$(ONE_THREAD) $(RUN) tools/compatibility.py

lint: install-dev
	$(RUN) -m ruff check
	$(RUN) -m ruff format --check
	$(RUN) -m mypy
	$(RUN) -m mypy tools
	PYTHONPATH=src $(VENV)/bin/lint-imports

# The README.md of every folder, from the docstrings, and the pictures of tasks.
docs: install-dev
	$(ONE_THREAD) $(RUN) tools/pictures.py
	$(ONE_THREAD) $(RUN) tools/animations.py
	$(ONE_THREAD) $(RUN) tools/gallery.py
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

# The site, in build/site: fails on a broken link or a warning. Its search needs a server, such as
# `python -m http.server -d build/site`.
site: install-dev
	$(ONE_THREAD) NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build

# A folder for a machine with a GPU, torch, transformers and NumPy, and without network: see its
# run.py. Speeds of SmolLM2 need no weights; run.py --smollm2 DIR takes real ones.
gpu-bundle: install
	$(RUN) tools/gpu_bundle.py build/gpu-bundle

clean:
	rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .ruff_cache .mypy_cache .import_linter_cache
