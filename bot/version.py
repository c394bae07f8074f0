"""The version of this program."""

import tomllib
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path


def version() -> str:
    """Version of the installed package, or of the checkout."""
    try:
        return installed("switchboard")
    except PackageNotFoundError:  # a checkout that was not installed
        project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
        return str(project["project"]["version"])
