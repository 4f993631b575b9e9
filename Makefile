# `make demo` and `make test` work from a fresh clone with python3 (3.11+), make and a package index.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint serve clean

demo: .venv/installed
	$(BIN)/cloze demo --out demo

test: lint
	$(BIN)/pytest -q -n 2 --dist worksteal

lint: .venv/installed
	$(BIN)/ruff format --check -q .
	$(BIN)/ruff check -q .
	$(BIN)/mypy

serve: .venv/installed
	$(BIN)/cloze serve

# The locks pin every package; a changed lock installs again, an unchanged one does not.
.venv/installed: requirements.lock requirements-pipeline.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-pipeline.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

clean:
	rm -rf .venv demo .pytest_cache .mypy_cache .ruff_cache
