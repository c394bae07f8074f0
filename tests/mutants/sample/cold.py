"""Process for mistakes that show when a module is imported: it has imported the libraries, none of our own modules."""

import contextlib
import importlib
import os
import sys
from typing import Any

import pytest

from tests.mutants.sample.channel import Channel, Listening


class Chosen:
    """Plugin of pytest that leaves the chosen tests, in their order."""

    def __init__(self, tests: list[str]) -> None:
        self._tests = tests

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave tests whose name or whole file was chosen. One that is not there may have another name: the mistake
        changed what stands in its brackets. All of its function are run then."""
        there = {item.nodeid for item in items}
        place: dict[str, int] = {}
        for n, one in enumerate(self._tests):
            place.setdefault(one if one in there else one.partition("[")[0], n)

        def of(item: pytest.Item) -> int | None:
            file, bare = item.nodeid.partition("::")[0], item.nodeid.partition("[")[0]
            return place.get(item.nodeid, place.get(bare, place.get(file)))

        items[:] = sorted((one for one in items if of(one) is not None), key=lambda one: of(one) or 0)


def main() -> None:
    """Serve requests until the hunter is gone."""
    channel = Channel()
    before = set(sys.modules)
    for request in channel.requests():
        if "libraries" in request:
            for name in request["libraries"]:
                with contextlib.suppress(
                    Exception
                ):  # one that cannot be imported alone is imported by whoever needs it
                    importlib.import_module(name)
            channel.say(ready=len(set(sys.modules) - before))
        else:
            channel.in_a_child(lambda request=request: _hunt(channel, request))  # type: ignore[misc]


def _hunt(channel: Channel, request: dict[str, Any]) -> None:
    sys.dont_write_bytecode = True
    sys.path.insert(0, os.getcwd())  # noqa: PTH109 - as pytest would be started
    files = list(dict.fromkeys(one.partition("::")[0] for one in request["tests"]))
    plugins = [Listening(channel), Chosen(request["tests"])]
    # Its libraries were imported before it could rewrite their asserts.
    early = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    code = pytest.main([*request["options"], *early, *files], plugins=plugins)
    if code not in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}:
        channel.say(failed="pytest", why=f"exit code {int(code)}")


if __name__ == "__main__":
    main()
