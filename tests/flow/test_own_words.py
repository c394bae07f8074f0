"""What a service says about a refusal or a failure, from its answer to what the person reads."""

import json
import re
from functools import partial

import pytest

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.presentation.bookings import forms as views
from tests.flow.localizing import ENGLISH, Localizer
from tests.support import bulk
from tests.support.answers import ask
from tests.support.deliveries import CENTRO, DELIVERIES, FORM, PRE, booked, card, deliver, open_rig, turned
from tests.support.rig import ALERTS, APPROVALS, FINANCE, MARIA, MONEY, OLGA, Rig
from tests.support.rows import audit_rows
from tests.workflows.looking import read, state

SHORT = "The audio is too short: at least 3 seconds"
LONG = "Text must have at least 40 words"
PAGE = "<!doctype html><html><body>Bad gateway</body></html>"


def says(
    rig: Rig, service: str, operation: str, body: object, *, status: int, done: bool = False, skip: int = 0
) -> None:
    text = body if isinstance(body, str) else json.dumps(body)
    kind = "text/html" if text.startswith("<") else "application/json"
    fault = FaultKind.DONE_500 if done else FaultKind.ERROR_500
    armed = Fault(fault, operation, times=None, skip=skip, body=text, status=status, content_type=kind)
    getattr(rig, service).faults.arm(armed)


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (400, {"message": SHORT}, f"declined it: “{SHORT}”"),
        (422, {"detail": [{"loc": ["body", "text"], "msg": LONG}]}, f"declined it: “text: {LONG}”"),
        (404, {"message": "The link can't be downloaded", "displayToUser": True}, "“The link can't be downloaded”"),
        (404, {"message": "Inner secret", "displayToUser": False}, "Localization declined it."),
        (402, {"message": "Your plan ends today"}, "“Your plan ends today”"),
        (403, {"errors": [{"title": "Other plan needed"}]}, "“title: Other plan needed”"),
        (413, {"error": {"message": "At most 5 MB"}}, "“At most 5 MB”"),
        (500, {"status": 500, "message": "Model is being replaced"}, "answered: “Model is being replaced”"),
        (409, {"message": "Already running"}, "answered: “Already running”"),
        (200, {"message": LONG}, f"answered: “{LONG}”"),
        (200, {"data": {"error": LONG}}, f"declined it: “{LONG}”"),
        (200, {"success": False, "message": LONG}, f"declined it: “{LONG}”"),
        (404, {"detail": "Not Found"}, "Localization declined it."),
        (502, PAGE, "I got no clear answer, so it may have been done and billed."),
    ],
)
@pytest.mark.rig(clock=None)
async def test_localization_call_shows_the_services_words(rig: Rig, status: int, body: object, words: str) -> None:
    maria = Localizer(rig)
    says(rig, "localization", "paraphrase", body, status=status)
    await maria.type(f"paraphrase {ENGLISH}")
    told = await maria.answer(words)
    assert "gateway" not in told.text
    assert "Not Found" not in told.text
    assert "Inner secret" not in told.text
    assert "too short" not in told.text.replace(SHORT, "")


@pytest.mark.parametrize(
    ("command", "service", "operation"),
    [
        ("/pay account ana@example.com", "payments", "account_status"),
        ("/pay partner", "payments", "partner"),
        ("/pay list", "payments", "list_operations"),
        ("/pay bulk history", "payments", "list_bulk_payments"),
        ("/email check ana@example.com", "emails", "check"),
    ],
)
@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (500, {"status": 500, "message": "Maintenance until 10:00"}, "Maintenance until 10:00"),
        (404, {"message": "No such user", "code": "E4", "displayToUser": True}, "No such user"),
        (200, {"message": "Please confirm your terms", "code": "E9"}, "Please confirm your terms"),
    ],
)
async def test_read_shows_the_services_words(
    rig: Rig, command: str, service: str, operation: str, status: int, body: object, words: str
) -> None:
    says(rig, service, operation, body, status=status)
    name, _, text = command.partition(" ")
    told = await partial(ask, command=name, user=OLGA)(rig, text)
    assert words in told.text
    await rig.settle()
    assert "```" not in (await ask(rig, "unread", command="/switchboard", user=OLGA)).text


@pytest.mark.parametrize(("status", "words"), [(404, "Error 404: Not found."), (503, "Service Unavailable")])
async def test_read_leaves_out_words_that_only_repeat_the_status(rig: Rig, status: int, words: str) -> None:
    says(rig, "payments", "account_status", {"message": words}, status=status)
    told = (await ask(rig, "account ana@example.com", user=OLGA)).text
    assert told
    assert words.casefold().strip(".") not in told.casefold()


@pytest.mark.parametrize("displayed", [True, False])
async def test_unknown_operation_quotes_the_service_unless_forbidden(rig: Rig, displayed: bool) -> None:
    body = {"data": {}, "code": "E4", "message": "It was archived in May", "displayToUser": displayed}
    says(rig, "payments", "get_operation", body, status=404)
    told = (await ask(rig, "show 652f7a1e9b1d")).text
    assert "I can't find 652f7a1e9b1d." in told
    assert ("archived in May" in told) is displayed


async def test_audit_keeps_the_code_of_an_error(rig: Rig) -> None:
    says(rig, "payments", "create_payout", {"code": "E4", "message": "It was archived"}, status=404)
    await rig.pay()
    assert "It was archived (E4)" in str(await read(rig, audit_rows))


async def test_payment_stays_unknown_after_an_error_in_a_success_and_quotes_it(rig: Rig) -> None:
    await rig.pay()
    says(rig, "payments", "commit_payout", {"error": "Approved twice?"}, status=200, done=True)
    says(rig, "payments", "get_operation", {"message": "busy"}, status=500, skip=1)
    await rig.press("approve")
    assert await state(rig) is State.COMMIT_UNKNOWN
    assert any("The provider answered: “Approved twice?”" in one.plain for one in rig.cards())
    await rig.pass_time(7_200, steps=12)
    assert any("The provider answered “Approved twice?”, and now" in one.plain for one in rig.cards())


@pytest.mark.rig(on="sqlite", opened_by=open_rig)
@pytest.mark.parametrize("verb", ["book", "prebook"])
@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (500, {"status": 500, "message": "Maintenance until ten"}, "Delivery answered: “Maintenance until ten”."),
        (200, {"error": "The store is closed"}, "Delivery answered: “The store is closed”."),
        (404, {"message": "No couriers today", "displayToUser": True}, "“No couriers today”"),
    ],
)
async def test_booking_shows_the_services_words_to_the_end(
    rig: Rig, verb: str, status: int, body: object, words: str
) -> None:
    says(rig, "delivery", "create_prebooking" if verb == "prebook" else "create_booking", body, status=status)
    await deliver(rig, verb)
    await rig.submit(MARIA, FORM if verb == "book" else PRE)
    if verb == "book":
        await turned(rig, "Delivery fee")
        await rig.submit(MARIA, {})
    assert words in card(rig).text
    await rig.pass_time(7_200, steps=12)
    assert words in card(rig).text


@pytest.mark.rig(on="sqlite", opened_by=open_rig)
@pytest.mark.parametrize(
    ("command", "operation"), [("start", "start_search"), ("cancel", "cancel_booking"), ("webhooks", "list_webhooks")]
)
async def test_act_on_a_booking_shows_the_services_words(rig: Rig, command: str, operation: str) -> None:
    await booked(rig, **{views.COOK: "15"})
    body = {"success": False, "message": "Maintenance until ten"}
    says(rig, "delivery", operation, body, status=200 if command == "webhooks" else 500)
    reference = card(rig).text.rpartition("· ")[2]
    named = {"start": reference, "cancel": f"{reference} twice", "webhooks": "Centro"}[command]
    assert "“Maintenance until ten”" in await deliver(rig, f"{command} {named}", user=OLGA)


SETTING = re.compile(r"(?:PAYMENTS|DELIVERY|LOCALIZATION|EMAIL|PUBLIC|SERVICES|SLACK)_[A-Z_]+")
PEOPLE = b"email\nana@example.com\n"


def everything(rig: Rig, user: str) -> str:
    """All that a person can read: answers, the open form, messages of the channels and files in them."""
    view = rig.workspace.modal(user)
    posted = [
        message for name in (FINANCE, APPROVALS, MONEY, CENTRO, DELIVERIES) for message in bulk.everything(rig, name)
    ]
    files = [rig.workspace.file(one) for message in posted for one in message.files]
    told = [f"{one.text} {one.blocks}" for one in [*rig.workspace.ephemerals(user), *posted]]
    return "\n".join([*told, *(str(one.content) for one in files if one), str(view.blocks) if view else ""])


@pytest.mark.rig(on="sqlite", opened_by=open_rig)
@pytest.mark.parametrize(
    ("status", "body"),
    [(401, {}), (402, {"message": "Top up"}), (403, {"message": "No"}), (302, {}), (404, PAGE), (405, {})],
    ids=lambda given: str(given) if isinstance(given, int) else "",
)
async def test_only_admins_read_names_of_settings(rig: Rig, status: int, body: object) -> None:
    """Whatever is wrong with our account at a service: others read that it refuses."""
    for service in ("payments", "delivery", "localization", "emails"):
        says(rig, service, "*", body, status=status)
    lines = [
        ("/pay", "account ana@example.com"),
        ("/pay", "list"),
        ("/pay", "partner"),
        ("/pay", "show 652f7a1e9b1d"),
        ("/pay", "bulk history"),
        ("/deliver", "stores"),
        ("/deliver", "webhooks Centro"),
        ("/deliver", "store show Centro"),
        ("/email", "check ana@example.com"),
        ("/localize", f"paraphrase {ENGLISH}"),
    ]
    told = []
    for user in (MARIA, OLGA):
        for command, text in lines:
            rig.clock.advance(5)
            told.append((await ask(rig, text, command=command, user=user)).text)
    await rig.pay()
    await bulk.ask(rig)
    await deliver(rig, "book")
    await rig.submit(MARIA, FORM)
    await deliver(rig, "prebook")
    await rig.submit(MARIA, PRE)
    await rig.workspace.drop(MARIA, FINANCE, "people.csv", PEOPLE)
    await rig.settle()
    offer = next(one for one in reversed(bulk.everything(rig, FINANCE)) if one.buttons)
    await rig.workspace.click(MARIA, FINANCE, offer.ts, bulk.button(offer, "Process e-mails").action_id)
    await rig.submit(MARIA, {"how": "rows"})
    await rig.pass_time(7_200, steps=12)
    assert SETTING.findall(everything(rig, MARIA)) == []
    to_admin = SETTING.findall("\n".join(told[len(lines) :]))
    assert {"DELIVERY_MASTER_KEY", "EMAIL_API_KEY", "PAYMENTS_PARTNER_ID"} <= {*to_admin} or status not in (401, 403)
    alerts = SETTING.findall("\n".join(one.text for one in rig.workspace.messages(ALERTS)))
    assert "PAYMENTS_PARTNER_ID" in alerts or status not in (401, 403)
