"""Many payments at once: their sum has the daily limit of one."""

from inline_snapshot import snapshot

from tests.support.bulk import ask
from tests.support.rig import MARIA, Rig
from tests.support.shown import shown
from tests.workflows.looking import newest, requests


async def test_together_they_may_come_to_the_daily_limit(rig: Rig) -> None:
    await ask(rig, "ana@example.com, 12500.00\nben@example.com, 12500.00")
    assert (await newest(rig)).cents == 2_500_000


async def test_a_cent_more_is_refused_as_a_whole(rig: Rig) -> None:
    await ask(rig, "ana@example.com, 12500.00\nben@example.com, 12500.01")
    assert shown(rig.form(MARIA)) == snapshot("""\
Switchboard
:pencil2: *sum*: it must not be above the daily limit of 25000.00 USD. You gave: 25000.01 USD
Nothing was done.\
""")
    assert not await requests(rig)
