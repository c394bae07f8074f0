PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: playground test check lock clean

$(STAMP): requirements-dev.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@
