"""The App Home shows each person their own view, as it is when they open it."""

import pytest
from inline_snapshot import snapshot

from bot.playground.faults import Fault, FaultKind
from bot.presentation.home import REFRESH
from tests.presentation.checks import check_with_sdk, text_objects
from tests.support.rig import ADA, EVE, FINANCE, GUS, LIN, MARIA, TOM, ZOE, Rig
from tests.support.shown import shown


def seen(rig: Rig, user: str) -> str:
    """Every word of the tab."""
    view = rig.workspace.home(user)
    assert view is not None
    check_with_sdk(view.blocks)
    return "\n".join(text["text"] for text in text_objects(view.blocks))


async def opened(rig: Rig, user: str) -> str:
    await rig.workspace.open_home(user)
    return seen(rig, user)


def part(text: str, title: str) -> str:
    """What stands below one headline."""
    titles = ["Waiting for your approval", "What you asked for", "Under way", "Services", "As of"]
    begin = text.index(title) + len(title)
    ends = [text.index(other) for other in titles if text.index(other) > begin]
    return text[begin : min(ends, default=len(text))].strip()


async def test_on_the_first_day_there_is_nothing(rig: Rig) -> None:
    text = await opened(rig, MARIA)
    assert part(text, "Waiting for your approval") == ":zzz: Nothing."
    assert part(text, "What you asked for") == ":zzz: Nothing."
    assert "Payments: configured" in part(text, "Services")


async def test_who_asked_and_who_decides_see_their_own_side(rig: Rig) -> None:
    await rig.pay("send ana@example.com 25.00 Rent", user=TOM)
    for approver in (ADA, LIN):
        assert shown(part(await opened(rig, approver), "Waiting for your approval")) == snapshot("""\
:point_right: *25.00 USD to ana@example.com* · P-······ · asked by <@U0TOM> · waiting for approval 0 of 1 · until \
<!date^1795251600^{date_short_pretty} {time}|2026-11-21 09:00 UTC>
Decide in <#C0APPROVE>.""")
    toms = await opened(rig, TOM)  # an approver too, but not of his own request
    assert part(toms, "Waiting for your approval") == ":zzz: Nothing."
    assert shown(part(toms, "What you asked for")) == snapshot("""\
• *25.00 USD to ana@example.com* · P-······
:hourglass_flowing_sand: *waiting for approval*: 0 of 1, until <!date^1795251600^{date_short_pretty} \
{time}|2026-11-21 09:00 UTC>.""")
    await rig.press("approve")
    assert part(await opened(rig, ADA), "Waiting for your approval") == ":zzz: Nothing."
    assert "sent" in part(await opened(rig, LIN), "Under way")


async def test_what_is_under_way_of_others_is_for_those_in_charge(rig: Rig) -> None:
    await rig.workspace.slash(MARIA, FINANCE, "/localize", "translate from=en to=fr Good morning")
    assert "Translate" in part(await opened(rig, MARIA), "Under way")
    assert "Translate" in part(await opened(rig, ADA), "Under way")
    assert "Translate" not in await opened(rig, ZOE)


@pytest.mark.parametrize("user", [GUS, EVE])
async def test_strangers_and_guests_see_nothing(rig: Rig, user: str) -> None:
    await rig.pay()
    text = await opened(rig, user)
    assert "ana@example.com" not in text
    assert "Services" not in text


async def test_refresh_draws_it_anew(rig: Rig) -> None:
    before = await opened(rig, MARIA)
    await rig.pay()
    assert seen(rig, MARIA) == before
    await rig.workspace.click_in_view(MARIA, REFRESH, home=True)
    assert "ana@example.com" in seen(rig, MARIA)


async def test_the_messages_tab_needs_nothing(rig: Rig) -> None:
    await rig.workspace.open_home(MARIA, tab="messages")
    assert rig.workspace.home(MARIA) is None


async def test_slack_does_not_take_it(rig: Rig) -> None:
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "views.publish", times=1))
    assert (await rig.workspace.open_home(MARIA)).ok
    assert rig.workspace.home(MARIA) is None
    assert "Services" in await opened(rig, MARIA)


async def test_more_than_fits_is_counted(rig: Rig) -> None:
    for cents in range(10, 23):
        await rig.pay(f"send ana@example.com 1.{cents} Rent")
    text = await opened(rig, ADA)
    assert "and 3 more" in part(text, "Waiting for your approval")
    assert "and 3 more" in part(await opened(rig, MARIA), "What you asked for")
