# Needs Python 3.11 or later with its venv module, nothing else. The first target that is run builds .venv.
PYTHON ?= python3
BIN := .venv/bin
RUN_STAMP := .venv/.run
BENCHMARKS := $(sort $(basename $(notdir $(wildcard tests/benchmarks/bench_*.py))))
DEV_STAMP := .venv/.dev
MEDIA_STAMP := .venv/.media
BROWSER_STAMP := .venv/.browser
# Where the environment says that no bytecode is kept, each of the workers and bots would compile every file again.
unexport PYTHONDONTWRITEBYTECODE
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Inner loop: no PostgreSQL, no browser, few random examples, one flow of each service.
QUICK := tests/domain tests/presentation tests/clients tests/storage tests/flow/test_pay.py tests/flow/test_deliver.py \
	tests/flow/test_localize_twice.py tests/flow/test_emails.py tests/handlers/grammar tests/handlers/test_help.py \
	tests/words tests/test_documents.py tests/test_root_files.py

.PHONY: help playground quick test affected screenshots check format lock chaos campaign mutants coverage bench words manifest diagrams clean

help:            ## list the targets
	@grep -hE '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 14

playground: $(RUN_STAMP) $(MEDIA_STAMP)  ## run everything on this machine, without any account
	$(BIN)/python -m bot playground $(ARGS)

quick: $(DEV_STAMP)       ## run the tests for editing, in less than a minute
	$(BIN)/python -m pytest -q -m "not campaign and not postgres and not browser" --hypothesis-profile quick \
		-n 2 --dist loadfile --no-loadscope-reorder $(QUICK) $(ARGS)

test: $(BROWSER_STAMP)    ## run all tests but the long campaigns
	$(BIN)/python -m pytest -m "not campaign and not twin" -n 4 --dist loadfile --no-loadscope-reorder $(ARGS)

affected: $(DEV_STAMP)    ## run the tests that execute what changed since the last commit. ARGS="main" since another one
	PYTHONPATH="$(CURDIR)" $(BIN)/python -m tests.mutants.affected $(ARGS)

screenshots: $(BROWSER_STAMP) ## run the browser tests and write what they see to screenshots/
	SCREENSHOTS="$(CURDIR)/screenshots" $(BIN)/python -m pytest -q tests/browser $(ARGS)

check: $(DEV_STAMP)       ## check lint, format, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: $(DEV_STAMP)      ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

chaos: $(DEV_STAMP)       ## run the fault campaigns (single faults, pairs, random plans, kills), for hours. ARGS="kills --kills 100"
	PYTHONPATH="$(CURDIR)" $(BIN)/python -m tests.campaigns $(ARGS)

campaign: $(DEV_STAMP)    ## run what make test leaves out: long tests, the other database, many random examples
	$(BIN)/python -m pytest -m "campaign or twin or hypothesis" --hypothesis-profile thorough --timeout 3600 -s $(ARGS)

mutants: $(DEV_STAMP)     ## plant random mistakes in copies of the sources and count those that the tests find
	PYTHONPATH="$(CURDIR)" $(BIN)/python -m tests.mutants $(ARGS)

coverage: $(DEV_STAMP)    ## break each point of the interface documents at the HTTP door; a test of it has to fail
	$(BIN)/python -m tests.coverage $(ARGS)

bench: $(DEV_STAMP)       ## run the benchmarks: ratios against a peer in the same run
	for one in $(BENCHMARKS); do $(BIN)/python -m tests.benchmarks.$$one $(ARGS) || exit 1; done

words: $(DEV_STAMP)       ## print every sentence that people see, with the state it is said in
	PYTHONPATH="$(CURDIR)" $(BIN)/python -m tests.words

manifest: $(RUN_STAMP)    ## write manifest.json from the code's own declarations
	$(BIN)/python -m bot manifest > manifest.json

diagrams: $(DEV_STAMP)    ## redraw the generated parts of docs/ from the code and from recorded runs
	PYTHONPATH="$(CURDIR)" $(BIN)/python -m tests.support.diagrams
	DRAW=1 $(BIN)/python -m pytest -q tests/flow/test_sequences.py

lock: $(DEV_STAMP)        ## resolve the dependencies and write the locks
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --no-annotate pyproject.toml -o requirements.txt
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --no-annotate pyproject.toml --extra dev -c requirements.txt -o requirements-dev.txt
	echo av | $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --no-annotate - -c requirements-dev.txt -o bot/playground/requirements.txt
	echo hatchling | $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --no-annotate - -c requirements-dev.txt -o docs/deploy/build-requirements.txt

clean:           ## remove what the targets created
	rm -rf .venv dist .mypy_cache .ruff_cache .pytest_cache .hypothesis screenshots

# A venv that could not be made whole is taken away again: the next run would take it for one that works.
.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "This is Python %d.%d; Switchboard needs 3.11 or later. Example: make $(MAKECMDGOALS) PYTHON=python3.12" % sys.version_info[:2])'
	$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }

# Dependencies to run. The tests' lock includes them.
$(RUN_STAMP): requirements.txt pyproject.toml | .venv/bin/python
	$(INSTALL) --require-hashes -r requirements.txt
	touch $@

$(DEV_STAMP): requirements-dev.txt pyproject.toml | .venv/bin/python
	$(INSTALL) --require-hashes -r requirements-dev.txt
	$(INSTALL) --no-deps --no-build-isolation --editable .
	touch $@ $(RUN_STAMP)

# PyAV: with it the playground converts real audio; without it, it answers with a tone.
$(MEDIA_STAMP): bot/playground/requirements.txt | $(RUN_STAMP)
	$(INSTALL) --no-deps --require-hashes -r $< || echo "No PyAV for this machine: the playground answers with a tone."
	touch $@

# Tried once in the life of a .venv; make test says at its end what it left out, and how to get it.
$(BROWSER_STAMP): $(DEV_STAMP)
	@$(BIN)/python -m tests.browser.chromium
	@touch $@
