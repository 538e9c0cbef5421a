# `make reproduce` and `make test` are all it takes: both build .venv from the lock first.
.PHONY: reproduce smoke summaries html readme test test-runs quick lint types kernels kernels-confidence kernels-tapes kernels-chains test-cluster test-machine test-fresh verify docs site benchmark lock clean
.DELETE_ON_ERROR:

# The Python that .venv is built with; empty: one that is found, see tools/environment.
PYTHON ?=
CORES ?= all
BIN := .venv/bin
export UV_PYTHON_DOWNLOADS := never
export PYTHONHASHSEED := 0
export SNAKEMAKE_PROFILE ?= $(CURDIR)/profiles/terminal
# Libraries are compiled when they are first imported, and kept: without that every job would compile
# them again, for 1.5 of its 2.5 seconds.
export PYTHONDONTWRITEBYTECODE :=

# Programs keep caches below HOME; where that cannot be written, here.
ifneq ($(shell test -w "$$HOME" && echo yes),yes)
export XDG_CACHE_HOME ?= $(CURDIR)/.snakemake/cache
endif

# Snakemake reads braces in a path as wildcards.
ifneq ($(findstring {,$(CURDIR))$(findstring },$(CURDIR)),)
$(error the path of this folder has a brace ($(CURDIR)): move the project to a path without)
endif

reproduce: .venv/ready
	$(BIN)/snakemake --cores $(CORES)
	$(BIN)/ldpt audit

smoke: .venv/ready
	$(BIN)/snakemake --cores $(CORES) --configfile config/smoke.yaml
	$(BIN)/ldpt audit --root results/smoke

# What figures and notebook read, for those who do not simulate; `make summaries ROOT=results/smoke`.
ROOT ?= .
summaries: .venv/ready
	$(BIN)/python tools/summaries.py $(ROOT)

# Snakemake's own report of a finished run: one page, with every figure and its caption.
html: .venv/ready
	$(BIN)/snakemake --cores $(CORES) --report results/report.html

# The parts of the README that come from a finished run.
readme: .venv/ready
	$(BIN)/python docs/readme.py

# What is compiled is compiled first, and not by every process of the tests and every copy of the
# project that they make. The second core has the time for lint.
test: .venv/ready
	$(MAKE) --no-print-directory -j2 kernels kernels-confidence kernels-tapes kernels-chains lint
	$(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder --durations 10

# Tests that make whole runs of their own: determinism, kills, recipes of the manual.
test-runs: .venv/ready
	$(BIN)/pytest -n auto --dist loadfile -m runs tests

# What to run before every commit: lint, and the fast tests that the change since SINCE can break.
SINCE ?= HEAD
quick: lint
	$(BIN)/python -m tests.affected $(SINCE) | xargs $(BIN)/pytest -n auto \
		-m "not workflow and not runs and not browser and not cluster and not wheel and not machine"

lint: .venv/ready types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow tests/small_project/Snakefile
	$(BIN)/lint-imports --no-cache
	$(BIN)/pytest --noconftest tests/test_arithmetic.py
	.ci/lint-workflow

types: .venv/ready
	$(BIN)/mypy

COMPILE := $(BIN)/python -c 'import sys; from scripts.compile_kernels import compile_kernels; compile_kernels(sys.argv[1])'

kernels: .venv/ready
	$(COMPILE) fixed_budget

kernels-confidence: .venv/ready
	$(COMPILE) fixed_confidence

# What tests need beside: engines that read tapes; chains and sampling, which call the kernels above.
kernels-tapes: .venv/ready
	$(BIN)/python -m tests.compile tapes

kernels-chains: kernels kernels-confidence
	$(BIN)/python -m tests.compile chains

test-cluster: .venv/ready
	tests/cluster/install
	$(BIN)/pytest -m cluster tests/cluster

# Faults of the machine for which root and mounts are needed: full disks, a second user.
test-machine: .venv/ready
	$(BIN)/pytest -m machine tests/machine

# The README on minimal Debian systems, as another user; root, and debootstrap.
test-fresh: .venv/ready
	$(BIN)/python -m tests.fresh.systems

# Laws of the engines on random settings, other ones every day; about ten minutes. Then the laws of
# the interface, in shards of at most an hour; `make verify SHARDS=3` runs one.
SHARDS ?= 0 1 2 3 4 5 6 7 8 9
verify: .venv/ready
	$(BIN)/python benchmarks/verify.py
	$(BIN)/python -m tests.interface.shard $(SHARDS)

docs: .venv/ready
	$(BIN)/sphinx-build --quiet --fail-on-warning docs docs/_build/html

site: docs
	$(BIN)/python docs/site.py

benchmark: .venv/ready
	$(BIN)/python benchmarks/engines.py
	$(BIN)/python benchmarks/peers.py

.venv/ready: requirements.lock pyproject.toml
	@tools/environment $(PYTHON)
	@touch $@

# Resolve again. The lock holds versions and hashes and no address; environment.yml pins the same.
lock:
	rm -f uv.lock && uv lock --quiet
	uv export --quiet --all-extras --all-groups --no-emit-project --format requirements-txt --no-header --no-annotate > requirements.lock
	{ sed '/--editable/q' environment.yml && \
		uv pip compile --quiet --universal --extra workflow --extra device --constraint requirements.lock \
			--no-header --no-annotate pyproject.toml | sed "s/ ; .*darwin.*linux.*//; s/^/      - /"; } > environment.new
	mv environment.new environment.yml

clean:
	[ ! -L .venv ] || rm -rf "$$(readlink .venv)"
	rm -rf results .venv docs/_build
	find src -name '*.nb[ci]' -delete
