# Needs Python 3.11 or later with its venv module, nothing else. The first target that is run builds .venv.
PYTHON ?= python3
BIN := .venv/bin
RUN_STAMP := .venv/.run
BENCHMARKS := $(sort $(basename $(notdir $(wildcard tests/benchmarks/bench_*.py))))
DEV_STAMP := .venv/.dev
MEDIA_STAMP := .venv/.media
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# A short loop for whoever edits: no PostgreSQL, no browser, few random examples, one flow of each service.
QUICK := tests/domain tests/presentation tests/clients tests/storage tests/flow/test_pay.py tests/flow/test_deliver.py \
	tests/flow/test_localize_twice.py tests/flow/test_emails.py

.PHONY: help playground quick test check format lock chaos campaign mutants bench manifest clean

help:            ## what there is
	@grep -hE '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 14

playground: $(RUN_STAMP) $(MEDIA_STAMP)  ## everything on this machine, without any account
	$(BIN)/python -m bot playground $(ARGS)

quick: $(DEV_STAMP)       ## the tests to run while editing, in less than a minute
	$(BIN)/python -m pytest -q -m "not campaign and not postgres and not browser" --hypothesis-profile quick \
		-n 2 --dist loadfile --no-loadscope-reorder $(QUICK) $(ARGS)

test: $(DEV_STAMP)        ## all tests but the long campaigns
	$(BIN)/python -m pytest -m "not campaign and not twin" -n 2 --dist loadfile --no-loadscope-reorder $(ARGS)

check: $(DEV_STAMP)       ## lint, format, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: $(DEV_STAMP)      ## put the code in its one form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

chaos: $(DEV_STAMP)       ## the long campaigns: every fault, pairs, random plans, kills; hours. ARGS="kills --kills 100"
	PYTHONPATH=$(CURDIR) $(BIN)/python -m tests.campaigns $(ARGS)

campaign: $(DEV_STAMP)    ## what make test leaves out: long tests, and the same tests on the other database
	$(BIN)/python -m pytest -m "campaign or twin" --timeout 3600 -s $(ARGS)

mutants: $(DEV_STAMP)     ## deliberate mistakes in copies of the sources: the tests have to find each
	PYTHONPATH=$(CURDIR) $(BIN)/python -m tests.mutants $(ARGS)

bench: $(DEV_STAMP)       ## benchmarks, as ratios against a peer in the same run
	for one in $(BENCHMARKS); do $(BIN)/python -m tests.benchmarks.$$one $(ARGS) || exit 1; done

manifest: $(RUN_STAMP)    ## write manifest.json from the code's own declarations
	$(BIN)/python -m bot manifest > manifest.json

lock: $(DEV_STAMP)        ## resolve the dependencies again
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --no-annotate pyproject.toml -o requirements.txt
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --no-annotate pyproject.toml --extra dev -c requirements.txt -o requirements-dev.txt

clean:           ## remove what the targets made
	rm -rf .venv dist .mypy_cache .ruff_cache .pytest_cache .hypothesis screenshots

.venv/bin/python:
	$(PYTHON) -m venv .venv

# The run locks and the package itself; where the tests' lock is installed, it holds these too.
$(RUN_STAMP): requirements.txt pyproject.toml | .venv/bin/python
	$(INSTALL) --require-hashes -r requirements.txt
	touch $@

$(DEV_STAMP): requirements-dev.txt pyproject.toml | .venv/bin/python
	$(INSTALL) --require-hashes -r requirements-dev.txt
	$(INSTALL) --no-deps --no-build-isolation --editable .
	touch $@ $(RUN_STAMP)

# What lets the playground convert audio for real, out of the tests' lock; without it a tone stands in for the result.
$(MEDIA_STAMP): requirements-dev.txt | $(RUN_STAMP)
	awk '/^av==/ { on = 1 } on { print } on && !/\\$$/ { exit }' requirements-dev.txt > .venv/media.txt
	$(INSTALL) --no-deps --require-hashes -r .venv/media.txt || echo "No PyAV for this machine: a tone stands in."
	touch $@
