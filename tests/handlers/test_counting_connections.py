"""Which connections are kept: so many strangers, so long in silence, and who is cut off first."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest

from handlers.connections import Connections, _Phase


class Wire:
    """A connection that only says where it comes from."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.aborted = False

    def get_extra_info(self, name: str) -> tuple[str, int] | None:
        assert name == "peername"
        return (self.source, 1) if self.source else None

    def abort(self) -> None:
        self.aborted = True


class Door:
    """Connections on a clock that a test moves."""

    def __init__(self, most: int) -> None:
        self.seconds = 0.0
        self.connections = Connections(now=lambda: self.seconds, most=most, pause=3_600)
        self.wires: list[Wire] = []

    def come(self, count: int = 1, *, source: str = "10.0.0.1") -> list[Wire]:
        came = [Wire(source) for _ in range(count)]
        for wire in came:
            self.connections.came(cast("asyncio.Transport", wire))
        self.wires += came
        return came

    def cut(self, wires: list[Wire] | None = None) -> int:
        return sum(wire.aborted for wire in (self.wires if wires is None else wires))

    def phase(self, wire: Wire, phase: _Phase) -> None:
        self.connections._turn(self.connections._guests[cast("Any", wire)], phase)


@pytest.fixture
async def door() -> AsyncIterator[Door]:
    made = Door(300)
    yield made
    if made.connections._look is not None:
        made.connections._look.cancel()


async def test_connections_over_the_limit_close_a_hundred_idle_ones(door: Door) -> None:
    door.come(300)
    assert (door.cut(), door.connections.strangers) == (0, 300)
    door.come()
    assert (door.cut(), door.connections.strangers) == (101, 200)
    assert door.cut(door.wires[:101]) == 101, "those who came first"


async def test_connection_being_answered_is_not_closed(door: Door) -> None:
    for wire in door.come(295):
        door.phase(wire, _Phase.ANSWER)
    door.come(6)
    assert (door.cut(door.wires[:295]), door.cut(door.wires[295:])) == (0, 6)


async def test_source_with_most_connections_loses_first(door: Door) -> None:
    few = door.come(100, source="10.0.0.2")
    many = door.come(201)
    assert (door.cut(few), door.cut(many)) == (0, 101)


async def test_two_hundred_may_be_silent_for_two_seconds(door: Door) -> None:
    silent = door.come(201)
    door.seconds = 1.9
    door.connections.sweep()
    assert door.cut() == 0
    door.seconds = 2.0
    door.connections.sweep()
    assert [wire.aborted for wire in silent] == [True] + [False] * 200


async def test_busy_loop_does_not_count_as_silence(door: Door) -> None:
    door.come()  # the next look is an hour after it came
    door.seconds = 3_600.0
    crowd = door.come(299)
    door.seconds = 3_603.0
    door.connections._look_around()
    for seconds, cut in ((3_603.0, 0), (3_604.9, 0), (3_605.0, 99)):
        door.seconds = seconds
        door.connections.sweep()
        assert door.cut(crowd) == cut, seconds


async def test_closed_connection_is_not_counted(door: Door) -> None:
    (wire,) = door.come(source="")
    door.connections.left(cast("Any", wire))
    door.connections.left(cast("Any", wire))
    assert door.connections.strangers == 0
