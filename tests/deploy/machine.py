"""Programs of the machine that these tests need: one that is missing leaves its tests out, for one reason."""

import os
import shutil

import pytest

from tests.support.complete import left_out

_FOR_ROOT = "/usr/local/sbin:/usr/sbin:/sbin"
"""Folders that a user's PATH lacks on Debian."""


def found(program: str) -> str | None:
    """Path of a program; None: it is not installed."""
    return shutil.which(program, path=os.pathsep.join((os.environ["PATH"], _FOR_ROOT)))


def needs(program: str, *, package: str) -> pytest.MarkDecorator:
    why, mend = f"there is no {program} on this machine", f"apt-get install {package}"
    reason = left_out(f"tests of docs/deploy with {program}", why=why, mend=mend)
    return pytest.mark.skipif(found(program) is None, reason=reason)
