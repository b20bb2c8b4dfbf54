# make demo: set up, judge clusterings of a real data set, leave demo/report.html
# make test: set up, lint, type-check and pass the tests
PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup demo test test-all lint docs bench clean

setup: .venv/.ready

.venv/.ready: pyproject.toml lab/pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test]' -e lab
	touch $@

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

test: lint
	$(BIN)/python -m pytest -n 2 --cov --cov-report=term:skip-covered

test-all: lint
	$(BIN)/python -m pytest -n 2 -m 'long or not long' --hypothesis-profile=fresh

demo: setup
	mkdir -p demo
	$(BIN)/karat run examples/wine-40-labels.csv --label-column cultivar --scale standard \
		--report demo/report.html --force

docs: setup
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

bench: setup
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv demo docs/_build docs/generated
