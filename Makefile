# Each target works alone on a fresh machine with Python 3.11+, make and PyPI.

PYTHON ?= python3
PY := .venv/bin/python
PYTEST := $(PY) -m pytest -n 2 --durations=10

# the versions that the tests last passed with; `make test CONSTRAINTS=/dev/null` takes the newest
CONSTRAINTS ?= constraints.txt
# `make test-all PART=corpus` runs a part (`python tools/parts.py` lists them, a folder of tests/ is
# one too), or tests/test_PART*.py; without PART all, with coverage
NAMED := $(if $(PART),$(shell $(PYTHON) tools/parts.py $(PART)))
PARTS := $(if $(PART),$(or $(NAMED),$(wildcard tests/test_$(PART)*.py)),tests)
COVERAGE ?= $(if $(PART),,--cov=dalembert --cov-report=)

.PHONY: run test fast test-all corpus soak mutate lint style types bench docs toolchains clean

run: .venv/.installed-run
	@$(PY) examples/first.py

# types are checked beside the tests: mypy alone would leave a core idle
test: style
	@$(MAKE) --no-print-directory --jobs=2 types fast

# tests of a file share what they make; those of processes, signals and time share two cores: what
# failed is tried once more, alone
fast: .venv/.installed-dev
	$(PYTEST) --dist loadfile -m "not slow" || { test $$? -eq 1 && echo "once more, alone, what failed:" && \
	$(PY) -m pytest -n 0 -m "not slow" --last-failed --last-failed-no-failures none; }

test-all: lint
	@test -n "$(PARTS)" || { echo "there is no part $(PART): see python tools/parts.py" >&2; exit 2; }
	HYPOTHESIS_PROFILE=all $(PYTEST) $(COVERAGE) $(PARTS)
	@if [ -n "$(COVERAGE)" ]; then echo "coverage of lines and branches: $$($(PY) -m coverage report --format=total) %"; fi

# every URDF, xacro, SDF, MJCF and .par file under DIR beside Pinocchio and MuJoCo
corpus: .venv/.installed-dev
	@test -n "$(DIR)" || { echo "make corpus DIR=folder" >&2; exit 2; }
	$(PY) tests/corpus.py $(DIR)

# hours of random machines and fuzzing; HOURS=2 by default, the log in build/soak goes on
soak: .venv/.installed-dev
	$(PY) tests/soak.py --hours $(or $(HOURS),2)

# faults put into the code one by one: the tests must notice (FILES=..., SAMPLE=..., SEED=...);
# the map of what each fast test reaches is made first, where there is none yet
mutate: .venv/.installed-dev
	@$(PY) tools/reach.py --show || $(PY) tools/reach.py
	$(PY) tools/mutate.py --sample $(or $(SAMPLE),60) --seed $(or $(SEED),0) $(FILES)

lint: style types

style: .venv/.installed-dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

types: .venv/.installed-dev
	$(PY) -m mypy src

bench: .venv/.installed-dev
	$(PY) -m benchmarks ratios

# the manual as a site; its notebooks run
docs: .venv/.installed-docs
	$(PY) -m sphinx -W --keep-going -q -b html docs build/site
	@echo "open build/site/index.html"

# compilers and interpreters of the languages that `make test-all` also runs
toolchains:
	apt-get update
	apt-get install --yes gcc g++ gfortran octave chromium ffmpeg pocl-opencl-icd ocl-icd-opencl-dev
	command -v rustc || apt-get install --yes rustc

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dalembert needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv

# the pages of views are bundled by the installation, again when their sources change
FRONTEND := $(shell find frontend hatch_build.py -type f -not -path "*/node_modules/*")

.venv/.installed-run: pyproject.toml $(FRONTEND) | .venv/bin/python
	$(PY) -m pip install --quiet --constraint $(CONSTRAINTS) --editable .
	@touch $@

.venv/.installed-dev: requirements-dev.txt $(CONSTRAINTS) .venv/.installed-run
	$(PY) -m pip install --quiet --constraint $(CONSTRAINTS) --requirement requirements-dev.txt
	@touch $@

.venv/.installed-docs: .venv/.installed-run
	$(PY) -m pip install --quiet --editable ".[docs,sim,ident,sweep]"
	@touch $@
