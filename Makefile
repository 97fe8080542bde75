# Two commands: make benchmark, make test. Each does all set-up itself; both need only Python 3.11+, make and git.
PYTHON ?= python3
BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
export DVC_NO_ANALYTICS := 1
export PREFECT_SERVER_ANALYTICS_ENABLED := false
export DO_NOT_TRACK := 1
export SHELL := /bin/sh
POOL ?= gpu-box

.PHONY: benchmark compare plots server deploy worker test test-slow lint docs speed chaos audit-dependencies clean

benchmark: .venv/benchmark.done  ## the whole benchmark of params.yaml, only what changed, as many stages at once as there are cores
	crossbias run
	@echo "Report: data/report/index.html"

compare: .venv/benchmark.done  ## what changed since A (default: the last commit), and is it real? make compare A=main B=workspace
	crossbias compare $(or $(A),HEAD) $(or $(B),workspace)

plots: .venv/benchmark.done  ## ADI, FV, calibration and ROC of revisions as a page that opens offline: make plots A=HEAD~1 B=HEAD
	crossbias plots $(A) $(B)

deploy worker: export PREFECT_API_URL ?= http://127.0.0.1:4200/api

ANSWERS = python -c "import os, urllib.request as u; u.urlopen(os.environ['PREFECT_API_URL'] + '/health')" 2> /dev/null \
	|| { echo "No Prefect server answers at $$PREFECT_API_URL: start one in another terminal (make server)."; exit 1; }

server: .venv/benchmark.done  ## Prefect's server and its pages, for this machine alone
	prefect server start --host 127.0.0.1

deploy: .venv/benchmark.done  ## the work pool and the deployment POOL of prefect.yaml
	@$(ANSWERS)
	prefect work-pool inspect $(POOL) > /dev/null 2>&1 || prefect work-pool create $(POOL) --type $(if $(filter gpu-box,$(POOL)),process,$(POOL))
	prefect --no-prompt deploy --name $(POOL)
	@echo "Next, in two terminals: make worker"
	@echo "and: .venv/bin/prefect deployment run benchmark-of-revision/$(POOL) -p design=quickstart --watch"

worker: .venv/benchmark.done  ## runs what is asked of the pool, one benchmark after another
	@$(ANSWERS)
	prefect worker start --pool $(POOL) --limit 1

test: .venv/test.done lint docs  ## everything CI checks
	pytest -n 2 --dist loadfile --no-loadscope-reorder

test-slow: .venv/test.done
	pytest -m ''

lint: .venv/test.done
	ruff check .
	ruff format --check .
	mypy
	lint-imports

docs: .venv/test.done  ## docs/ as pages, a broken link is an error
	sphinx-build --quiet --fail-on-warning --keep-going --nitpicky docs docs/_build

speed: .venv/test.done  ## ratios beside other tools, in one run
	python -m benchmarks

chaos: .venv/test.done  ## kill -9 at 20 random moments; does the next run end with the same bytes
	python -m benchmarks.chaos

audit-dependencies: .cache/audit/bin/pip-audit  ## known vulnerabilities of the versions in constraints.txt; needs the network, AUDIT: options of pip-audit
	$< --strict --disable-pip --no-deps $(AUDIT) -r constraints.txt

.cache/audit/bin/pip-audit:
	$(PYTHON) -m venv .cache/audit
	.cache/audit/bin/pip install --quiet --disable-pip-version-check pip-audit

.venv/benchmark.done: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Python 3.11 or later is needed: make benchmark PYTHON=python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[offline]'
	touch $@

.venv/test.done: .venv/benchmark.done
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[offline,dask,docs,s3,dev]'
	touch $@

clean:  ## remove what can be made again (not data/raw, not the cache)
	rm -rf .venv .cache logs dvc_plots docs/_build .mypy_cache .ruff_cache .pytest_cache
