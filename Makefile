# Everything starts here: `make demo` to see it work, `make test` to check that it does.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest
WEB_LOWEST := .venv-web-lowest
AUDIT := .venv-audit
# One and a half workers per core: tests often wait for a command, a browser or a server.
WORKERS := $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 2) * 3 // 2)' 2>/dev/null)
BASE := .venv-base
RUST := rust/Cargo.toml rust/build.rs $(wildcard rust/src/*.rs rust/src/*/*.rs)

.PHONY: demo test test-base test-web-lowest test-lowest test-wheel test-sdist test-audit test-python test-rust \
  check-rust browser bench fuzz lint lint-rust lint-python lint-workflows format docs site test-site \
  screenshots wheel clean

demo: $(VENV)/.installed
	$(BIN)/cleverdon demo demo

# Two jobs at a time, so that no core waits: Rust is checked while packages are installed, and types
# while tests run. Bytecode is written even if the environment forbids it: otherwise each worker and
# each command that tests start would compile everything again.
test: export PYTHONDONTWRITEBYTECODE =
test:
	@$(MAKE) --no-print-directory -j2 $(VENV)/.oracles check-rust
	@$(MAKE) --no-print-directory browser
	@$(MAKE) --no-print-directory -j2 lint-python test-python
	$(BIN)/python -m docs.generate --check

# Run every command with a base install from a wheel: it works, or names the extra to install.
test-base: $(BASE)/.made
	MATURIN_PEP517_ARGS="--profile quick" $(BASE)/bin/pip install --quiet --disable-pip-version-check .
	$(BASE)/bin/python -I tools/check_base_install.py

test-python: $(VENV)/.oracles
	$(BIN)/python -m pytest -n $(WORKERS) --quiet

# The tests of the judging app, except those in a browser, with the lowest versions of its web stack
# that pyproject.toml allows.
test-web-lowest: $(WEB_LOWEST)/.made
	$(WEB_LOWEST)/bin/python -m pytest -n $(WORKERS) --quiet tests/judging

# Tests that need no other tool and no service, with the lowest versions of everything that the base
# install and these extras need.
test-lowest: $(LOWEST)/.made
	$(LOWEST)/bin/python -m pytest -n $(WORKERS) --quiet @tools/portable.txt

# An optimised wheel: its files, and the README and the demo in a fresh environment without Rust.
test-wheel: wheel
	$(BIN)/python tools/check_wheel.py dist --install

# A wheel that is built from the source distribution alone.
test-sdist: $(VENV)/.made
	rm -rf dist/source dist/*.tar.gz && $(BIN)/pip install --quiet --disable-pip-version-check 'maturin>=1.9,<2'
	$(BIN)/maturin sdist --quiet --out dist
	$(BIN)/python tools/check_wheel.py dist --sdist
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist/source dist/*.tar.gz
	$(BIN)/python tools/check_wheel.py dist/source --install

# The profiles of libraries and the audits, against those that tests do without: an environment of its
# own, of 1.3 GB, since some need older versions than other tests have.
test-audit: $(AUDIT)/.made
	$(AUDIT)/bin/python -m pytest -n $(WORKERS) --quiet tests/auditing tests/test_library_profiles.py

# One after the other: both need the same cargo lock.
check-rust:
	@$(MAKE) --no-print-directory lint-rust
	@$(MAKE) --no-print-directory test-rust

# MAKEFLAGS is empty because cargo cannot use the tokens of make's job server here.
test-rust:
	MAKEFLAGS= cargo test --quiet --profile quick --manifest-path rust/Cargo.toml

# Both at once: neither of them uses two cores.
lint: $(VENV)/.dev
	@$(MAKE) --no-print-directory -j2 lint-rust lint-python

lint-rust:
	@cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 || { \
	  echo "make: rustfmt and clippy are needed: rustup component add rustfmt clippy"; exit 1; }
	cargo fmt --check --manifest-path rust/Cargo.toml
	cargo clippy --quiet --manifest-path rust/Cargo.toml --features python --all-targets -- -D warnings

lint-python: $(VENV)/.dev lint-workflows
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# What runs elsewhere cannot be tested here, so that its form and its rights are checked.
SCHEMA = @$(BIN)/check-jsonschema --quiet --builtin-schema
lint-workflows: $(VENV)/.dev
	$(SCHEMA) vendor.github-workflows .github/workflows/*.yml
	$(SCHEMA) custom.github-workflows-require-timeout .github/workflows/*.yml
	$(SCHEMA) vendor.dependabot .github/dependabot.yml
	$(SCHEMA) vendor.github-issue-forms .github/ISSUE_TEMPLATE/bug.yml .github/ISSUE_TEMPLATE/idea.yml
	$(SCHEMA) vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(SCHEMA) vendor.citation-file-format CITATION.cff
	$(BIN)/zizmor --offline --quiet .github
	$(BIN)/hadolint Dockerfile

# Find or install a Chromium for tests/browser, or print that those tests will be skipped.
browser:
	@sh tools/install_chromium.sh

format: $(VENV)/.dev
	cargo fmt --manifest-path rust/Cargo.toml
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks

fuzz: $(VENV)/.oracles
	HYPOTHESIS_PROFILE=fuzz CLEVERDON_FUZZ_SECONDS=600 $(BIN)/python -m pytest -n auto --quiet tests
	$(BIN)/python -m benchmarks --quick --rounds 3 --only growth

# Generate the reference pages from the registries; `make test` fails if they are out of date.
docs: $(VENV)/.dev
	$(BIN)/python -m docs.generate

# Build the documentation site in build/site/html: open its index.html. It needs no network.
site: $(VENV)/.site
	$(BIN)/python -m docs.website.build build/site

# Build it and open every page in a browser: no errors, no requests, no broken links.
test-site: site browser
	CLEVERDON_SITE=build/site/html $(BIN)/python -m pytest --quiet tests/browser/test_site.py

# Take the pictures of the judging app for its guide. Look at them before you commit them.
screenshots: $(VENV)/.dev browser
	CLEVERDON_SCREENSHOTS=1 $(BIN)/python -m pytest --quiet tests/browser/test_judge_pictures.py

wheel: $(VENV)/.made
	rm -f dist/*.whl
	$(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

clean:
	rm -rf $(VENV) $(BASE) $(LOWEST) $(WEB_LOWEST) $(AUDIT) rust/target demo dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis

# Name a missing tool in one line; pip and cargo would print fifty.
define check_tools
@command -v $(PYTHON) >/dev/null || { echo "make: Python 3.11 or newer is needed: install python3"; exit 1; }
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
  echo "make: Python 3.11 or newer is needed, found $$($(PYTHON) -V 2>&1 | cut -d' ' -f2); install it and say: make PYTHON=python3.11"; exit 1; }
@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
  echo "make: Python's venv module is needed: install python3-venv"; exit 1; }
@command -v cargo >/dev/null || { echo "make: a Rust toolchain is needed (cargo): install it with rustup"; exit 1; }
endef

# A virtual environment is complete when pip works in it; an incomplete one is made again.
$(VENV)/.made $(BASE)/.made:
	$(check_tools)
	rm -rf $(@D)
	$(PYTHON) -m venv $(@D)
	@$(@D)/bin/pip --version >/dev/null && touch $@

# Tests use a core that compiles faster and runs slower; `make bench` builds an optimised one.
# Installs are editable: Python changes take effect at once, Rust changes build the core again.
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
	@rm -f $(VENV)/.bench $(VENV)/.site
	@touch $@ $(VENV)/.installed

$(VENV)/.site: pyproject.toml | $(VENV)/.dev
	$(INSTALL) '.[site]'
	@touch $@

# Tools to compare with, without the old libraries that they pin.
$(VENV)/.oracles: tools/oracles.txt $(VENV)/.dev
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --requirement tools/oracles.txt
	@touch $@

# The core was already built for .dev, so these builds are fast.
$(LOWEST)/.made: pyproject.toml tools/lowest.txt | $(VENV)/.dev
	rm -rf $(LOWEST)
	$(PYTHON) -m venv $(LOWEST)
	MATURIN_PEP517_ARGS="--profile quick" $(LOWEST)/bin/pip install --quiet --disable-pip-version-check \
	  --constraint tools/lowest.txt --editable '.[portable]'
	@touch $@

$(WEB_LOWEST)/.made: pyproject.toml tools/web-lowest.txt | $(VENV)/.dev
	rm -rf $(WEB_LOWEST)
	$(PYTHON) -m venv $(WEB_LOWEST)
	MATURIN_PEP517_ARGS="--profile quick" $(WEB_LOWEST)/bin/pip install --quiet --disable-pip-version-check \
	  --constraint tools/web-lowest.txt --editable '.[logs,tables,web]' \
	  aiohttp httpx hypothesis polars 'psycopg[binary]' pytest pytest-xdist schemathesis
	@touch $@

$(AUDIT)/.made: pyproject.toml tools/audit.txt | $(VENV)/.dev
	rm -rf $(AUDIT)
	$(PYTHON) -m venv $(AUDIT)
	MATURIN_PEP517_ARGS="--profile quick" $(AUDIT)/bin/pip install --quiet --disable-pip-version-check \
	  --constraint tools/audit.txt --editable '.[audit]' hypothesis pytest pytest-xdist
	@touch $@

$(VENV)/.bench: $(VENV)/.installed
	$(INSTALL) '.[bench]'
	@touch $@
