"""One person who asks for very much is told to wait, and nobody else notices."""

from hypothesis import given
from hypothesis import strategies as st

from handlers.router import Allowance
from tests.support.rig import FINANCE, MARIA, TOM, Rig

MANY = 1_000


@given(pauses=st.lists(st.floats(min_value=0, max_value=30), max_size=200))
def test_rate_limit_holds_bucket_and_refill(pauses: list[float]) -> None:
    now = 0.0
    allowance = Allowance(monotonic=lambda: now, at_once=5, a_second=0.5)
    taken = 0
    for pause in pauses:
        now += pause
        taken += not allowance.take("U1")
        assert taken <= 5 + now * 0.5 + 1e-6


def test_announced_wait_is_sufficient_and_affects_nobody_else() -> None:
    now = 0.0
    allowance = Allowance(monotonic=lambda: now, at_once=3, a_second=0.5)
    assert [allowance.take("U1") for _ in range(3)] == [0.0, 0.0, 0.0]
    wait = allowance.take("U1")
    assert wait == 2.0
    assert not allowance.take("U2")
    now += wait
    assert not allowance.take("U1")
    assert allowance.take("U1")


def test_rate_limit_forgets_the_longest_idle_person() -> None:
    allowance = Allowance(monotonic=lambda: 0.0, at_once=1, a_second=1.0, people=2)
    assert [allowance.take(person) for person in ("U1", "U2")] == [0.0, 0.0]
    assert allowance.take("U1")
    assert not allowance.take("U3")
    assert allowance.take("U1")
    assert not allowance.take("U2")


async def test_command_flood_of_one_person_does_not_delay_others(rig: Rig) -> None:
    told = [await rig.workspace.slash(MARIA, FINANCE, "/pay", "help") for _ in range(MANY)]
    assert {ack.status for ack in told} == {200}
    waiting = [ack for ack in told if "Try again in" in str(ack.body)]
    assert 0 < MANY - len(waiting) <= MANY // 5
    other = await rig.workspace.slash(TOM, FINANCE, "/pay", "help")
    assert other.body == told[0].body
    rig.clock.advance(60)
    again = await rig.workspace.slash(MARIA, FINANCE, "/pay", "help")
    assert again.body == told[0].body
