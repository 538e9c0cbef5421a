# `make reproduce` and `make test` are all it takes: both build .venv from the lock first.
.PHONY: reproduce smoke html readme test test-runs quick lint types kernels kernels-confidence kernels-tapes kernels-chains test-cluster verify docs site benchmark lock clean
.DELETE_ON_ERROR:

PYTHON ?= python3
CORES ?= all
BIN := .venv/bin
export UV_PYTHON_DOWNLOADS := never
export PYTHONHASHSEED := 0
# Libraries are compiled when they are first imported, and kept: without that every job would compile
# them again, for 1.5 of its 2.5 seconds.
export PYTHONDONTWRITEBYTECODE :=

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
		-m "not workflow and not runs and not browser and not cluster and not wheel"

lint: .venv/ready types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow tests/small_project/Snakefile
	$(BIN)/lint-imports --no-cache
	.ci/lint-workflow

types: .venv/ready
	$(BIN)/mypy

kernels: .venv/ready
	$(BIN)/python -c 'from scripts.compile_kernels import compile_kernels; compile_kernels("/dev/null")'

kernels-confidence: .venv/ready
	$(BIN)/ldpt simulate --means 0 1 --epsilon 4 --delta 0.5 --radius hoeffding --replicates 1 > /dev/null

# What tests need beside: engines that read tapes; chains and sampling, which call the kernels above.
kernels-tapes: .venv/ready
	$(BIN)/python -m tests.compile tapes

kernels-chains: kernels kernels-confidence
	$(BIN)/python -m tests.compile chains

test-cluster: .venv/ready
	tests/cluster/install
	$(BIN)/pytest -m cluster tests/cluster

# Laws of the engines on random settings, other ones every day; about ten minutes.
verify: .venv/ready
	$(BIN)/python benchmarks/verify.py

docs: .venv/ready
	$(BIN)/sphinx-build --quiet --fail-on-warning docs docs/_build/html

site: docs
	$(BIN)/python docs/site.py

benchmark: .venv/ready
	$(BIN)/python benchmarks/engines.py

# Exact versions with hashes, by uv where it can be had, else by pip. uv and setuptools, which builds
# this package, are in the lock as well. Snakemake passes the path of Python to a shell unquoted: in a
# folder whose path has spaces or other special characters, .venv is a link to a folder in the cache.
PIP = "$$(readlink -f $(BIN)/pip)" --quiet --disable-pip-version-check
.venv/ready: requirements.lock pyproject.toml
	@[ -w . ] || { echo "cannot write to $$PWD: copy the project to a writable folder" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ldpt needs Python 3.11 or newer, this is " + sys.version.split()[0])'
	@echo "building .venv from requirements.lock"
	@case "$$PWD" in *[!A-Za-z0-9_./+@-]*) \
		place="$${XDG_CACHE_HOME:-$$HOME/.cache}/ldpt/venv-$$(pwd | cksum | cut -d ' ' -f 1)"; \
		rm -rf .venv && mkdir -p "$$place" && ln -s "$$place" .venv;; esac
	@$(PYTHON) -m venv --clear "$$(readlink -m .venv)"
	@awk '/^uv==/ {on = 1} /^[^ ]/ && !/^uv==/ {on = 0} on' requirements.lock > .venv/uv.txt
	@command -v uv > /dev/null || $(PIP) config list | grep -qE '\.(index-url|no-index)=' || \
		$(PIP) install --require-hashes --target .venv/uv -r .venv/uv.txt || true
	@PATH="$$PATH:.venv/uv/bin"; python="$$(readlink -m .venv)/bin/python"; if command -v uv > /dev/null && \
		uv pip install --quiet --python "$$python" -r requirements.lock && \
		uv pip install --quiet --python "$$python" --no-deps --no-build-isolation --editable . ; then : ; else \
		$(PIP) install --no-compile -r requirements.lock && \
		$(PIP) install --no-compile --no-deps --no-build-isolation --editable . ; \
	fi
	@touch $@

# Resolve again: the lock holds versions and hashes and no address; a test keeps environment.yml equal to it.
lock:
	rm -f uv.lock && uv lock --quiet
	uv export --quiet --all-extras --no-emit-project --format requirements-txt --no-header --no-annotate > requirements.lock

clean:
	[ ! -L .venv ] || rm -rf "$$(readlink .venv)"
	rm -rf results .venv docs/_build
	find src -name '*.nb[ci]' -delete
