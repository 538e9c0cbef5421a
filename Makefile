# `make reproduce` and `make test` are all it takes; both build .venv from the lock by themselves.
.PHONY: reproduce smoke html readme test lint kernels kernels-confidence test-cluster benchmark verify lock clean
.DELETE_ON_ERROR:

PYTHON ?= python3
CORES ?= all
BIN := .venv/bin
UV := uv==0.13.7
export UV_PYTHON_DOWNLOADS := never
export PYTHONHASHSEED := 0
# A library is compiled when it is first imported, and kept: all of them beforehand take a minute, and
# where Python may not keep them every job compiles its own again, for 1.5 of its 2.5 seconds.
export PYTHONDONTWRITEBYTECODE :=

reproduce: .venv/ready
	$(BIN)/snakemake --cores $(CORES)
	$(BIN)/ldpt audit

smoke: .venv/ready
	$(BIN)/snakemake --cores $(CORES) --configfile config/smoke.yaml
	$(BIN)/ldpt audit --root results/smoke

# Snakemake's own report of a finished run: one page, with every figure and its caption.
html: .venv/ready
	$(BIN)/snakemake --cores $(CORES) --report results/report.html

# The parts of the README that come from a finished run: findings, figures, cost.
readme: .venv/ready
	$(BIN)/python docs/readme.py

# The engines are compiled beforehand, and not by every process of the tests: those of Algorithm 2 on
# a second core, which then has the time for lint.
test: .venv/ready
	$(MAKE) --no-print-directory -j2 kernels kernels-confidence lint
	$(BIN)/pytest -n auto --durations 10

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy

kernels: .venv/ready
	$(BIN)/python -c 'from scripts.compile_kernels import compile_kernels; compile_kernels("/dev/null")'

kernels-confidence: .venv/ready
	$(BIN)/ldpt simulate --means 0 1 --epsilon 4 --delta 0.5 --radius hoeffding --replicates 1 > /dev/null

test-cluster: .venv/ready
	tests/cluster/install
	$(BIN)/pytest -m cluster tests/cluster

benchmark: .venv/ready
	$(BIN)/python benchmarks/engines.py

# Laws of the engines on random settings, other ones every day; about ten minutes.
verify: .venv/ready
	$(BIN)/python benchmarks/verify.py

# Exact versions, by uv, which is the quicker, and by pip where uv cannot. Without a uv of the user pip
# brings one, beside the libraries, unless it is told to ask another index than uv would.
PIP := $(BIN)/pip --quiet --disable-pip-version-check
.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ldpt needs Python 3.11 or newer, this is " + sys.version.split()[0])'
	$(PYTHON) -m venv --clear .venv
	command -v uv > /dev/null || $(PIP) config list | grep -qE '\.(index-url|no-index)=' || \
		$(PIP) install --target .venv/uv $(UV) || true
	PATH="$$PATH:.venv/uv/bin"; if command -v uv > /dev/null && \
		uv pip install --quiet --python $(BIN)/python -r requirements.lock && \
		uv pip install --quiet --python $(BIN)/python --no-deps --editable . ; then : ; else \
		$(PIP) install --no-compile -r requirements.lock && \
		$(PIP) install --no-compile --no-deps --editable . ; \
	fi
	touch $@

# Resolve again: the lock holds versions and hashes and no address; a test keeps environment.yml equal to it.
lock:
	rm -f uv.lock && uv lock --quiet
	uv export --quiet --extra test --no-emit-project --format requirements-txt --no-header --no-annotate > requirements.lock

clean:
	rm -rf results .venv
