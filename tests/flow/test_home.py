"""The App Home shows each person their own view, as it is when they open it."""

import pytest
from inline_snapshot import snapshot

from bot.playground.faults import Fault, FaultKind
from bot.presentation.overview import REFRESH
from tests.presentation.checks import check_with_sdk, text_objects
from tests.support.rig import ADA, EVE, FINANCE, GUS, LIN, MARIA, TOM, ZOE, Rig
from tests.support.shown import shown


def seen(rig: Rig, user: str) -> str:
    view = rig.workspace.home(user)
    assert view is not None
    check_with_sdk(view.blocks)
    return "\n".join(text["text"] for text in text_objects(view.blocks))


async def opened(rig: Rig, user: str) -> str:
    await rig.workspace.open_home(user)
    return seen(rig, user)


def part(text: str, title: str) -> str:
    titles = ["Waiting for your approval", "What you asked for", "Under way", "Services", "As of"]
    begin = text.index(title) + len(title)
    ends = [text.index(other) for other in titles if text.index(other) > begin]
    return text[begin : min(ends, default=len(text))].strip()


async def test_on_the_first_day_there_is_nothing(rig: Rig) -> None:
    text = await opened(rig, MARIA)
    assert part(text, "Waiting for your approval") == ":zzz: Nothing."
    assert part(text, "What you asked for") == ":zzz: Nothing."
    assert shown(part(text, "Services")) == snapshot("""\
:large_green_circle: Payments: configured
:large_green_circle: Content localization: configured
:white_circle: Delivery booking: not configured, the operator has to set `DELIVERY_BASE_URL`, `DELIVERY_MASTER_KEY`
:large_green_circle: E-mail processing: configured""")


async def test_who_asked_and_who_decides_see_their_own_side(rig: Rig) -> None:
    await rig.pay("send ana@example.com 25.00 Rent", user=TOM)
    for approver in (ADA, LIN):
        assert shown(part(await opened(rig, approver), "Waiting for your approval")) == snapshot("""\
:point_right: *$25.00 to ana@example.com* · P-······ · asked by <@U0TOM> · waiting for approval: 0 of 1 · until \
<!date^1795251600^{date_short_pretty} {time}|2026-11-21 09:00 UTC>
Decide in <#C0APPROVE>.""")
    toms = await opened(rig, TOM)  # an approver too, but not of his own request
    assert part(toms, "Waiting for your approval") == ":zzz: Nothing."
    assert shown(part(toms, "What you asked for")) == snapshot("""\
• *$25.00 to ana@example.com* · P-······
:hourglass_flowing_sand: *waiting for approval*: 0 of 1, until <!date^1795251600^{date_short_pretty} \
{time}|2026-11-21 09:00 UTC>.""")
    await rig.press("approve")
    assert part(await opened(rig, ADA), "Waiting for your approval") == ":zzz: Nothing."
    assert shown(part(await opened(rig, LIN), "Under way")) == snapshot("""• *Payout* P-······: sent, asked by \
<@U0TOM> in <#C0FINANCE>, <!date^1795165200^{date_short_pretty} {time}|2026-11-20 09:00 UTC>""")


async def test_what_is_under_way_of_others_is_for_those_in_charge(rig: Rig) -> None:
    await rig.workspace.slash(MARIA, FINANCE, "/localize", "translate from=en to=fr Good morning")
    for user in (MARIA, ADA):
        assert shown(part(await opened(rig, user), "Under way")) == snapshot("""• *Localization call* Translate: \
waiting, asked by <@U0MARIA> in <#C0FINANCE>, <!date^1795165200^{date_short_pretty} {time}|2026-11-20 09:00 UTC>""")
    assert part(await opened(rig, ZOE), "Under way") == snapshot(":zzz: Nothing.")


@pytest.mark.parametrize(
    ("user", "said"),
    [
        (GUS, "Guests cannot do this. Ask a full member of the workspace."),
        (EVE, "Only members of this workspace can do this; you belong to another one."),
    ],
)
async def test_strangers_and_guests_see_nothing(rig: Rig, user: str, said: str) -> None:
    await rig.pay()
    assert await opened(rig, user) == f":no_entry_sign: {said}"


async def test_refresh_draws_it_anew(rig: Rig) -> None:
    before = await opened(rig, MARIA)
    await rig.pay()
    assert seen(rig, MARIA) == before
    await rig.workspace.click_in_view(MARIA, REFRESH, home=True)
    assert seen(rig, MARIA) != before


async def test_the_messages_tab_needs_nothing(rig: Rig) -> None:
    await rig.workspace.open_home(MARIA, tab="messages")
    assert rig.workspace.home(MARIA) is None


async def test_slack_does_not_take_it(rig: Rig) -> None:
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "views.publish", times=1))
    assert (await rig.workspace.open_home(MARIA)).ok
    assert rig.workspace.home(MARIA) is None
    assert await opened(rig, MARIA)


async def test_more_than_fits_is_counted(rig: Rig) -> None:
    for cents in range(10, 23):
        await rig.pay(f"send ana@example.com 1.{cents} Rent")
    for user, title in ((ADA, "Waiting for your approval"), (MARIA, "What you asked for")):
        [more] = [one for one in part(await opened(rig, user), title).splitlines() if " more" in one]
        assert more == snapshot("and 3 more")
