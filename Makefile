# Everything starts here: `make demo` to see it work, `make test` to check that it does.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-web-lowest
# Half as many again as there are cores: tests often wait, for a command, a browser or a server.
WORKERS := $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 2) * 3 // 2)' 2>/dev/null)
BASE := .venv-base
RUST := rust/Cargo.toml $(wildcard rust/src/*.rs rust/src/*/*.rs)

.PHONY: demo test test-base test-web-lowest test-python test-rust check-rust browser bench fuzz lint lint-rust lint-python format docs screenshots wheel clean

demo: $(VENV)/.installed
	$(BIN)/cleverdon demo demo

# Two at a time, so that no core waits: Rust is checked while packages are installed, and types while
# tests run. Bytecode is kept even where the environment says otherwise: each worker and each command
# that tests start would compile anew.
test: export PYTHONDONTWRITEBYTECODE =
test:
	@$(MAKE) --no-print-directory -j2 $(VENV)/.dev check-rust
	@$(MAKE) --no-print-directory browser
	@$(MAKE) --no-print-directory -j2 lint-python test-python
	$(BIN)/python -m docs.generate --check

# Every command where only the base install is there, from a wheel: it works, or names the extra.
test-base: $(BASE)/.made
	MATURIN_PEP517_ARGS="--profile quick" $(BASE)/bin/pip install --quiet --disable-pip-version-check .
	$(BASE)/bin/python -I tools/check_base_install.py

test-python: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(WORKERS) --quiet

# The tests of the judging app, except those in a browser, with the lowest versions of its web stack
# that pyproject.toml allows.
test-web-lowest: $(LOWEST)/.made
	$(LOWEST)/bin/python -m pytest -n $(WORKERS) --quiet tests/judging

# One after the other: both would wait for the same lock of cargo's.
check-rust:
	@$(MAKE) --no-print-directory lint-rust
	@$(MAKE) --no-print-directory test-rust

# Cargo is not told of make's jobs, whose tokens a recipe does not get.
test-rust:
	MAKEFLAGS= cargo test --quiet --profile quick --manifest-path rust/Cargo.toml

# Both at once: neither keeps two cores busy.
lint: $(VENV)/.dev
	@$(MAKE) --no-print-directory -j2 lint-rust lint-python

lint-rust:
	@cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 || { \
	  echo "make: rustfmt and clippy are needed: rustup component add rustfmt clippy"; exit 1; }
	cargo fmt --check --manifest-path rust/Cargo.toml
	cargo clippy --quiet --manifest-path rust/Cargo.toml --features python --all-targets -- -D warnings

lint-python: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# A Chromium for tests/browser, where one can be had; says so where those tests will be skipped.
browser:
	@sh tools/install_chromium.sh

format: $(VENV)/.dev
	cargo fmt --manifest-path rust/Cargo.toml
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks

fuzz: $(VENV)/.dev
	HYPOTHESIS_PROFILE=fuzz CLEVERDON_FUZZ_SECONDS=600 $(BIN)/python -m pytest -n auto --quiet tests

# Reference pages are generated from the registries; `make test` fails where they are out of date.
docs: $(VENV)/.dev
	$(BIN)/python -m docs.generate

# The pictures of the judging app in its guide; to be looked at before they are kept.
screenshots: $(VENV)/.dev browser
	CLEVERDON_SCREENSHOTS=1 $(BIN)/python -m pytest --quiet tests/browser/test_judge_pictures.py

wheel: $(VENV)/.dev
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .

clean:
	rm -rf $(VENV) $(BASE) $(LOWEST) rust/target demo dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis

# Says in one line what is missing, before pip or cargo say it in fifty.
define check_tools
@command -v $(PYTHON) >/dev/null || { echo "make: Python 3.11 or newer is needed: install python3"; exit 1; }
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
  echo "make: Python 3.11 or newer is needed, found $$($(PYTHON) -V 2>&1 | cut -d' ' -f2); install it and say: make PYTHON=python3.11"; exit 1; }
@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
  echo "make: Python's venv module is needed: install python3-venv"; exit 1; }
@command -v cargo >/dev/null || { echo "make: a Rust toolchain is needed (cargo): install it with rustup"; exit 1; }
endef

# Only once pip works in it is a virtual environment there: one that was left half made is made anew.
$(VENV)/.made $(BASE)/.made:
	$(check_tools)
	rm -rf $(@D)
	$(PYTHON) -m venv $(@D)
	@$(@D)/bin/pip --version >/dev/null && touch $@

# Tests take a core that is built fast and runs slower; `make bench` builds the real one again.
# Installs are editable: Python changes are seen at once, Rust changes build the core again.
INSTALL = $(BIN)/pip install --quiet --disable-pip-version-check --editable

$(VENV)/.installed: pyproject.toml $(RUST) | $(VENV)/.made
	@command -v cargo >/dev/null || { echo "make: a Rust toolchain is needed (cargo): install it with rustup"; exit 1; }
	@echo "make: building and installing; the first time, the core takes a few minutes"
	$(INSTALL) '.[engine,plots]'
	@touch $@

$(VENV)/.dev: pyproject.toml $(RUST) | $(VENV)/.made
	@command -v cargo >/dev/null || { echo "make: a Rust toolchain is needed (cargo): install it with rustup"; exit 1; }
	@echo "make: building and installing with all that tests need; the first time, it takes a few minutes"
	MATURIN_PEP517_ARGS="--profile quick" $(INSTALL) '.[dev]'
	@rm -f $(VENV)/.bench
	@touch $@ $(VENV)/.installed

# The core was built for .dev, so that it is quickly there.
$(LOWEST)/.made: pyproject.toml tools/web-lowest.txt | $(VENV)/.dev
	rm -rf $(LOWEST)
	$(PYTHON) -m venv $(LOWEST)
	MATURIN_PEP517_ARGS="--profile quick" $(LOWEST)/bin/pip install --quiet --disable-pip-version-check \
	  --constraint tools/web-lowest.txt --editable '.[logs,tables,web]' \
	  aiohttp httpx hypothesis polars 'psycopg[binary]' pytest pytest-xdist schemathesis
	@touch $@

$(VENV)/.bench: $(VENV)/.installed
	$(INSTALL) '.[bench]'
	@touch $@
