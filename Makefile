# What people and CI run in the checkout. Two commands are enough to begin: make demo, make test.
.DEFAULT_GOAL := help
.PHONY: bench bench-check files fuzz help setup setup-bench setup-run demo check types style test test-odp matrix golden

BIN := .venv/bin
JOBS ?= 2
C_FILES = $(shell find aux-backend bench tests/c tests/fuzz/doors -name '*.[ch]')
SCRIPTS := scripts/setup scripts/huge_pages scripts/check_includes .ci/run

help: ## print this list
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' $(MAKEFILE_LIST) | expand -t 13

files: ## print what each source file is for; UNDER=aux-backend/runtime for those of a folder
	@python3 scripts/files.py $(or $(UNDER),.)

setup: ## install what checks and tests need: Debian packages, and Python packages in .venv
	@scripts/setup test

setup-run:
	@scripts/setup run

setup-bench:
	@scripts/setup bench
	@scripts/huge_pages 2500

demo: setup-run ## compile apps/l3fwd, forward packets and print them: half a minute
	@$(BIN)/python scripts/demo.py

check: setup ## check formatting, lint, types, allowed imports and includes
	@$(MAKE) --no-print-directory --jobs=2 --output-sync types style

types:
	$(BIN)/mypy --no-error-summary

style:
	$(BIN)/ruff format --check --quiet --output-format concise .
	$(BIN)/ruff check --quiet --output-format concise .
	$(BIN)/lint-imports --no-logo
	scripts/check_includes
	@echo clang-format --dry-run -Werror
	@$(BIN)/clang-format --dry-run -Werror $(C_FILES)
	@echo shellcheck $(SCRIPTS)
	@if command -v shellcheck >/dev/null; then shellcheck $(SCRIPTS); else echo "shellcheck is not installed: left out"; fi

test: check ## run all checks and all tests
	$(BIN)/pytest -n $(JOBS) --dist worksteal

test-odp: setup ## the packet tests over an installed ODP, which pkg-config finds
	MACSAD_TEST_PLATFORM=odp $(BIN)/pytest tests/packets

matrix: setup ## the same frames through five apps on every platform, kind of port and architecture that this machine has; ONLY='router dpdk'
	$(BIN)/python tests/matrix/matrix.py --only '$(ONLY)'

golden: setup ## write the golden files anew; read the difference before you commit it
	$(BIN)/pytest -n $(JOBS) --update-golden tests/golden tests/errors

fuzz: setup ## random programs through the whole compiler for MINUTES minutes (10), or PROGRAMS (files, folders); failures go to build/
	PYTHONPATH=tests/property:tests $(BIN)/python tests/fuzz/$(if $(PROGRAMS),corpus.py $(PROGRAMS),fuzz.py $(FUZZ))
FUZZ = $(if $(SEED),--seed $(SEED) --count $(or $(COUNT),1),--minutes $(or $(MINUTES),10)) $(if $(KIND),--kind $(KIND)) $(if $(SIZE),--size $(SIZE))

bench: setup-bench ## measure all series, draw the plots of docs/performance.md again; SERIES chooses: apps tables frames cores optimisations kernels buffers io changes
	$(BIN)/python bench/series.py $(SERIES)

bench-check: setup-bench ## measure what the speed must be, each beside what it must reach; fails unless all hold
	$(BIN)/python bench/check.py
