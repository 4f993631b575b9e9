# `make demo` and `make test` work from a fresh clone with python3 (3.11+), make and a package index.
PYTHON ?= python3
BIN := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
DOCS := $(subst .venv,.venv-docs,$(BIN))
TOOLS := $(subst .venv,.venv-tools,$(BIN))
INSTALL := python -m pip install --quiet --disable-pip-version-check --no-deps

.PHONY: demo test torture lint serve docs reproduce locks licences outside dist release clean

demo: .venv/installed
	$(BIN)/cloze demo --out demo

test: lint
	$(BIN)/pytest -q -n 2 --dist worksteal

# Spoilt files, odd command lines, kills and full disks at every write, two writers at once: hours on
# a busy machine. It prints what it counted (docs/reliability.md) and fails if it finds anything.
# TORTURE="fuzz --kind CSV" runs a part of it.
torture: .venv/installed
	$(BIN)/python -W ignore -m tests.torture $(TORTURE)

lint: .venv/installed
	$(BIN)/ruff format --check -q .
	$(BIN)/ruff check -q .
	$(BIN)/mypy

# The paper's tables on its own documents: DATA holds stories/CORPUS.{train,valid}.jsonl.zst, for cnn,
# dailymail or both, and the same names under spans/. Run it again after an interruption: it goes on
# where it stood. The readers need a GPU; without one it says how long it would take, and which
# OVERRIDES="run.steps=20 ..." (passed to every training) make a rehearsal. VECTORS=glove.100d.txt.gz
# and ENCODER=folder add the readers that start from word vectors and from a pretrained encoder.
RUNS ?= runs/reproduce
SEEDS ?= 3
reproduce: .venv/installed
	test -n "$(DATA)" || { echo "give DATA=folder, with stories/ and spans/ in it"; exit 2; }
	$(BIN)/python experiments/reproduce.py $(DATA) $(OVERRIDES) --out $(RUNS) --seeds $(SEEDS) $(if $(READERS),--readers $(READERS)) \
	  $(if $(VECTORS),--vectors $(VECTORS)) $(if $(ENCODER),--encoder $(ENCODER))

serve: .venv/installed
	$(BIN)/cloze serve

# The locks pin every package; only a changed lock installs again.
.venv/installed: requirements.lock requirements-torch.lock requirements-cuda.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	test -d $(BIN) || $(PYTHON) -m venv .venv
	$(BIN)/$(INSTALL) --require-hashes -r requirements.lock
	$(BIN)/$(INSTALL) -r requirements-torch.lock
	$(BIN)/python -c 'import sys; from importlib.metadata import version; sys.exit("+cpu" not in version("torch"))' || $(BIN)/$(INSTALL) --require-hashes -r requirements-cuda.lock
	$(BIN)/$(INSTALL) --no-build-isolation --editable .
	touch $@

# Tools of others whose versions clash with ours, each in an environment of its own:
# `make outside OUTSIDE="lm_eval inspect"`. dask and ray build on clusters.
# OUTSIDE=llama fetches and asks two small language models.
OUTSIDE ?= lm_eval inspect datasets parlai hub jupyter marimo fundus dask ray s3
outside: .venv/installed
	sh outside/run_all.sh $(OUTSIDE)

# The documentation as a site, in build/site; mkdocs has an environment of its own.
docs: .venv-docs/installed
	$(DOCS)/mkdocs build --strict --quiet

.venv-docs/installed: requirements-docs.lock
	test -d $(DOCS) || $(PYTHON) -m venv .venv-docs
	$(DOCS)/$(INSTALL) --require-hashes -r requirements-docs.lock
	touch $@

# The locks made anew; UPGRADE=--upgrade takes newer versions. Licences: of what they name.
locks: .venv-tools/installed
	$(TOOLS)/python tools/locks.py $(UPGRADE)

licences: .venv-tools/installed
	mkdir -p build
	$(TOOLS)/python tools/licences.py > build/licences.md && mv build/licences.md docs/licences.md

.venv-tools/installed: requirements-tools.lock
	test -d $(TOOLS) || $(PYTHON) -m venv .venv-tools
	$(TOOLS)/$(INSTALL) --require-hashes -r requirements-tools.lock
	touch $@

# Everything before an upload: all tests, then the wheel and the sdist in dist/, checked.
release: test dist

# The description must be valid, and the wheel by itself, outside the checkout, must answer.
ASK := import cloze; reader = cloze.load("attentive"); \
  print(cloze.__file__, reader.ask(cloze.story("ferry"), "The X ran aground with 214 people on board"))
dist: .venv/installed .venv-tools/installed
	rm -rf dist build/wheel
	$(TOOLS)/python -m build --no-isolation > /dev/null
	$(TOOLS)/python -m twine check --strict dist/*
	$(BIN)/$(INSTALL) --target build/wheel dist/*.whl
	cd build && PYTHONPATH=wheel $(abspath $(BIN))/python -c '$(ASK)' | grep "build.wheel.*Solveig"
	cd build && PYTHONPATH=wheel $(abspath $(BIN))/python -m cloze train --list | grep -q newsroom/attentive

clean:
	rm -rf outside/*/.venv .venv .venv-docs .venv-tools build dist demo .pytest_cache .mypy_cache .ruff_cache
