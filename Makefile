# make demo: set up, judge clusterings of a real data set, leave demo/report.html
# make check: lint, types, laws, oracles and a smoke run: what a contributor repeats
# make test: set up, lint, type-check and pass the tests
PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup check demo test test-all coverage mutants lint docs bench clean

# what the laws and oracles of every measure and clusterer, and the smoke run, are in
QUICK := tests/test_smoke.py tests/test_laws.py tests/measures/test_oracles.py
# each worker begins with a half of its own: a module's fixtures are made, and a kernel is compiled, once
WORKERS := -n 2 --dist worksteal

# what Numba compiles is compiled once, before the tests' workers start
KERNELS := $(wildcard src/sortal/_kernels/*.py) lab/src/sortal_lab/agglomeration.py

setup: .venv/.ready .venv/.kernels

.venv/.ready: pyproject.toml lab/pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test]' -e lab
	touch $@

.venv/.kernels: .venv/.ready .ci/kernels.py .ci/kernels.json $(KERNELS)
	$(BIN)/python .ci/kernels.py
	touch $@

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

check: lint
	$(BIN)/python -m pytest $(WORKERS) $(QUICK)

test: lint
	$(BIN)/python -m pytest $(WORKERS) $(OPTIONS)

coverage: lint
	$(BIN)/python -m pytest $(WORKERS) --cov --cov-report=term:skip-covered

# faults that no test notices; make mutants OPTIONS="--rooms bench,bounds --each 20"
mutants: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[mutants]'
	$(BIN)/python .ci/mutants.py $(OPTIONS)

# file by file: started again, it continues; .ci/test_all.json has what came of it
test-all: lint
	$(BIN)/python .ci/test_all.py --options "$(WORKERS)"

demo: setup
	mkdir -p demo
	rm -f demo/report.html
	$(BIN)/sortal run examples/data/wine-40-labels.csv --label-column cultivar --scale standard \
		--report demo/report.html

docs: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

bench: setup
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv demo docs/_build docs/generated
