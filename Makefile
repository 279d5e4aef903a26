# `make report` and `make test` set up all they need; `make help` lists the targets.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready

.PHONY: help setup report test lint notebooks lab bench clean

help:
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/'

$(READY): pyproject.toml Makefile
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[notebooks,test,relax]'
	touch $@

setup: $(READY) ## make the virtual environment

report: $(READY) ## the main job on bundled real data: report/report.html
	$(BIN)/dendrolab report wine --scale standard --out report

# Many small k-means runs: threads would wait for each other.
test notebooks: export OMP_NUM_THREADS = 1
test: lint $(READY) ## all tests, the notebooks included
	$(BIN)/python -m pytest
	cd notebooks && ../$(BIN)/python -m pytest --nbval --nbval-current-env --nbval-cell-timeout=120 \
		--nbval-sanitize-with nbval.cfg -p no:cacheprovider .

lint: $(READY) ## style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

notebooks: $(READY) ## run the notebooks anew and store their outputs in place
	$(BIN)/python notebooks/execute.py

lab: $(READY) ## JupyterLab on the notebooks
	$(BIN)/jupyter lab notebooks

bench: $(READY) ## time and memory against the dense route and the peers
	for script in tests/benchmarks/bench_*.py; do $(BIN)/python $$script || exit 1; done

clean: ## remove the virtual environment and what the runs wrote
	rm -rf $(VENV) report out
