"""Plugin of pytest for mistakes in the bodies of functions: everything is imported, collected and warm; a fork gets the
mistake by another code object in each function made of the old one, and runs the tests that it is told."""

import gc
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

from tests.mutants.sample.channel import PIPES, Channel, Listening


class Warm:
    """Serves requests instead of running the collected tests."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._channel = Channel()
        self._functions: dict[tuple[str, str, int], list[FunctionType]] = defaultdict(list)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        gc.unfreeze()
        for one in gc.get_objects():
            if isinstance(one, FunctionType) and one.__code__.co_filename.startswith(str(self._root)):
                self._functions[_key(one.__code__)].append(one)
        gc.collect()
        gc.freeze()
        libraries = [name for name, one in list(sys.modules.items()) if self._is_a_library(one)]
        self._channel.say(ready=len(items), libraries=libraries)
        for request in self._channel.requests():
            if request.get("stay"):
                self._run(session, [items[one] for one in request["tests"] if one in items])
                self._channel.say(ended=0)
            else:
                self._channel.in_a_child(lambda request=request: self._hunt(session, items, request))  # type: ignore[misc]
        return True

    def _is_a_library(self, module: Any) -> bool:
        return "site-packages" in (getattr(module, "__file__", None) or "")

    def _hunt(self, session: pytest.Session, items: dict[str, pytest.Item], request: dict[str, Any]) -> None:
        sys.dont_write_bytecode = True
        if request.get("file"):
            swapped = self._swap(request["file"], request["scope"])
            self._channel.say(swapped=swapped)
            if not swapped:
                return
        session.config.pluginmanager.register(Listening(self._channel))
        self._run(session, [items[one] for one in request["tests"] if one in items])

    @staticmethod
    def _run(session: pytest.Session, items: list[pytest.Item]) -> None:
        """Run them. After the last one comes another one still, so what a session shares is not torn down."""
        last = next((one for one in session.items if one not in items[-1:]), None)
        for item, following in zip(items, [*items[1:], last], strict=False):
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)

    def _swap(self, file: str, scope: str) -> int:
        """Give the functions the code of the file as it is now; how many; 0 when it does not fit."""
        path = self._root / file
        new = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
        swapped = 0
        for code in _codes(new):
            if not f"{scope}.".startswith(f"{_dotted(code)}."):
                continue
            for function in self._functions.get(_key(code), ()):
                if function.__code__.co_freevars != code.co_freevars:
                    return 0
                function.__code__ = code
                swapped += 1
        return swapped


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Code objects of the functions in a module and its classes, and in those."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _dotted(code: CodeType) -> str:
    return code.co_qualname.replace("<locals>.", "")


def _key(code: CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def pytest_configure(config: pytest.Config) -> None:
    if PIPES in os.environ:
        config.pluginmanager.register(Warm(config.rootpath))
