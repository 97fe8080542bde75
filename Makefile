# Two commands: make benchmark, make test. Each does all set-up itself; both need only Python 3.11+, make and git.
PYTHON ?= python3
BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
export DVC_NO_ANALYTICS := 1
export PREFECT_SERVER_ANALYTICS_ENABLED := false
export DO_NOT_TRACK := 1

.PHONY: benchmark test test-slow lint flow speed clean

benchmark: .venv/benchmark.done  ## the whole benchmark of params.yaml, only what changed
	dvc repro
	@echo "Report: data/report/index.html"

flow: .venv/benchmark.done  ## the same through Prefect
	crossbias run

test: .venv/test.done lint  ## everything CI checks
	pytest -n 2 --dist loadfile --no-loadscope-reorder

test-slow: .venv/test.done
	pytest -m ''

lint: .venv/test.done
	ruff check .
	ruff format --check .
	mypy
	lint-imports

speed: .venv/test.done  ## ratios beside other tools, in one run
	python -m benchmarks

.venv/benchmark.done: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Python 3.11 or later is needed: make benchmark PYTHON=python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[offline]'
	touch $@

.venv/test.done: .venv/benchmark.done
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[offline,dev]'
	touch $@

clean:  ## remove what can be made again (not data/raw, not the cache)
	rm -rf .venv .cache logs .mypy_cache .ruff_cache .pytest_cache
