"""Who may look at what, what mistakes are answered with, and how trouble of a service is told."""

from itertools import product

import pytest
from inline_snapshot import snapshot

from bot.domain.errors import ServiceNever
from bot.domain.reasons import Exchange, Reason
from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.payments.records import PayoutOrder
from handlers.grammar.admission import service_call
from handlers.grammar.arguments import read_arguments
from handlers.pay_reading import LIST
from handlers.replies import Answer, MistakesError, Private
from tests.support.answers import ask
from tests.support.rig import ADA, EVE, FINANCE, GUS, MARIA, TOM, ZOE, Rig
from tests.support.shown import shown
from tests.workflows.looking import newest


def foreign(rig: Rig) -> str:
    """A payout that the service knows and we do not."""
    order = PayoutOrder(
        email="rita@example.com", description="theirs", cents=700, confirmation_uri="http://x", failure_uri="http://x"
    )
    return rig.payments.add_payout(order).id


REFUSED = Reason(Exchange.REFUSED, status=409, fields=())
LOOKS = ("list", "account ana@example.com", "events {id}", "show {id}", "partner")
UNKNOWN = ":pencil2: I can't find "
NO_ROLE = ":no_entry_sign: You don't have permission to see payments. Ask an admin to add you."


async def test_nobody_without_a_role_makes_us_ask_the_service(rig: Rig) -> None:
    known = foreign(rig)
    for user, text in product((ZOE, GUS), LOOKS):
        await ask(rig, text.format(id=known), user=user)
    for text in LOOKS:
        assert (await rig.workspace.slash(EVE, FINANCE, "/pay", text.format(id=known), force=True)).body == ""
    assert not rig.workspace.ephemerals(EVE)
    assert not rig.payments.calls


async def test_who_asked_sees_the_own_request_without_any_role_left(rig: Rig) -> None:
    await rig.pay()
    asked = await newest(rig)
    rig.workspace.set_group("S0FINANCE", [TOM])
    rig.clock.advance(60)
    told = (await ask(rig, f"show {asked.reference}")).text
    assert told.splitlines().count("*History*") == 1
    assert (await ask(rig, f"show {asked.reference}", user=ZOE)).text.startswith(UNKNOWN)


async def test_who_lost_the_role_meanwhile_gets_no_next_page_and_no_answer_in_the_form(rig: Rig) -> None:
    for _ in range(12):
        foreign(rig)
    told = await ask(rig, "list")
    await rig.workspace.slash(MARIA, FINANCE, "/pay", "account")
    rig.workspace.set_group("S0FINANCE", [TOM])
    rig.clock.advance(60)
    await rig.workspace.click(MARIA, FINANCE, told.ts, "operations.next")
    refusal = await rig.workspace.until(lambda: rig.workspace.ephemerals(MARIA)[1:])
    assert refusal[0].text == NO_ROLE
    await rig.workspace.submit(MARIA, {"email": "ana@example.com"})
    assert NO_ROLE in rig.form().plain.splitlines()
    assert [call.operation for call in rig.payments.calls] == ["list_operations"]


@pytest.mark.parametrize("value", ["", ":", "payout:0", "payout:x", "evil:1", ":99999999999", "purchase:1:2"])
async def test_a_button_that_was_tampered_with_leads_nowhere(rig: Rig, value: str) -> None:
    for _ in range(12):
        foreign(rig)
    told = await ask(rig, "list")
    await rig.workspace.click(MARIA, FINANCE, told.ts, "operations.next", value=value)
    answer = await rig.workspace.until(lambda: rig.workspace.ephemerals(MARIA)[1:])
    assert "This request has changed since" in answer[0].text
    assert len(rig.payments.calls_of("list_operations")) == 1


@pytest.mark.parametrize(("line", "which", "page"), [
    ("", None, None), ("2", None, 2), ("payouts", "payout", None), ("Purchases 12", "purchase", 12),
])  # fmt: skip
def test_kind_and_page_may_be_left_out(line: str, which: str | None, page: int | None) -> None:
    found = read_arguments(LIST.arguments, line.split(), called="/pay list", example="payouts page=2 per=25")
    assert found == {"payouts|purchases": which, "page": page, "per": None}


@pytest.mark.parametrize(
    ("line", "argument", "rule", "right"),
    [
        ("foo", "payouts|purchases", "use payouts or purchases, or a page number such as 2", "payouts"),
        ("0", "payouts|purchases", "use payouts or purchases, or a page number such as 2", "payouts"),
        ("payouts x", "page", "it isn't a page number", "payouts page=2"),
        ("payouts 1 2", "2", "it isn't expected here", "payouts 1"),
        ("2 payouts", "payouts", "it isn't expected here", "2"),
    ],
)
def test_a_mistake_names_its_argument_and_keeps_what_is_right(line: str, argument: str, rule: str, right: str) -> None:
    with pytest.raises(MistakesError) as caught:
        read_arguments(LIST.arguments, line.split(), called="/pay list", example="payouts page=2 per=25")
    [error] = caught.value.errors
    assert (error.argument, error.rule, error.example) == (argument, rule, f"/pay list {right}")


async def test_what_is_missing_or_wrong_is_told_with_an_example(rig: Rig) -> None:
    assert shown((await ask(rig, "account ana@@example.com")).text) == snapshot("""\
:pencil2: `ana@@example.com` isn't an e-mail address.
Example: `/pay account ana@example.com`\
""")
    assert shown((await ask(rig, "partner now")).text) == snapshot("""\
:pencil2: `now` isn't expected here.
Example: `/pay partner`\
""")


@pytest.mark.rig(payments_base_url=None)
async def test_a_service_without_settings_is_named_with_them(rig: Rig) -> None:
    for text in ("list", "events x", "account ana@example.com", "account", "partner"):
        told = (await ask(rig, text, user=TOM)).text
        assert told.endswith("An admin has to set `PAYMENTS_BASE_URL`.")
    assert (await ask(rig, "show x")).text.startswith(UNKNOWN)


@pytest.mark.parametrize(("kind", "said"), [
    (FaultKind.ERROR_500, "Payments is having problems. Try again in a minute."),
    (FaultKind.TOO_MANY, "Payments is too busy. Try again in 1 s."),
    (FaultKind.LOST, "Couldn't reach Payments. Try again in a minute."),
    (FaultKind.GARBAGE, "Payments sent an unexpected reply. Try again in a minute."),
])  # fmt: skip
async def test_each_trouble_is_one_sentence(rig: Rig, kind: FaultKind, said: str) -> None:
    known = foreign(rig)
    for text in LOOKS:
        rig.payments.faults.arm(Fault(kind))
        told = (await ask(rig, text.format(id=known), user=TOM)).text
        assert told == f":warning: {said}", text
        rig.payments.faults.clear()
        await ask(rig, "partner", user=TOM)  # three in a row without an answer, and the service is not asked any more


async def test_a_service_that_has_not_answered_for_a_while_is_not_asked(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.LOST, times=3))
    for _ in range(3):
        assert "Couldn't reach Payments" in (await ask(rig, "partner", user=TOM)).text
    told = (await ask(rig, "partner", user=TOM)).text
    assert told == (":warning: Payments has not answered for a while. Try again in 5 s.")


async def test_wrong_credentials_are_the_operators(rig: Rig) -> None:
    rig.payments.partner_secret = "changed"
    rig.payments.switches.forbidden = True
    for text in LOOKS:
        assert "An admin has to fix this" in (await ask(rig, text.format(id="x"), user=TOM)).text


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (
            ServiceNever("payments", REFUSED, status=409, words="Your <b>limit</b> & more"),
            ":warning: Payments: Your &lt;b&gt;limit&lt;/b&gt; &amp; more.",
        ),
        (
            ServiceNever("payments", REFUSED, status=409),
            ":warning: Payments rejected the request. Check what",
        ),
    ],
)
async def test_words_of_the_service_are_shown_where_it_allows_and_escaped(trouble: Exception, said: str) -> None:
    async def work() -> Answer:
        raise trouble

    answer = await service_call(work).work()
    assert isinstance(answer, Private)
    assert said in answer.content.text


async def test_a_failure_of_ours_beside_the_ack_is_answered(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(_: object) -> None:
        raise RuntimeError("ours")

    monkeypatch.setattr(rig.switchboard.context.payments.client, "partner", lambda: broken(None))
    assert "Something went wrong on our side." in (await ask(rig, "partner", user=ADA)).text
