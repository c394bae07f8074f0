"""Reasons: what goes in comes out, what an earlier version wrote is shown as it was, and nothing else is guessed."""

from dataclasses import replace

import pytest
from sqlalchemy import Connection, Text, column, insert, select, table, text, update

from bot.domain.payments.instruction import State
from bot.domain.reasons import Exchange, OfRequest, Reason, Verbatim, given
from bot.presentation.reasons import worded
from storage import Store
from storage.errors import RowUnreadable
from storage.repositories.leased import columns
from storage.tables.instructions import instruction as requests
from storage.tables.services import booking as bookings
from storage.types import canonical_json
from tests.storage.factories import NOW, ask, booking, instruction, post, unit
from tests.storage.upgrading import stored_then, upgraded
from tests.support.fixtures import Patch

_RAW = table("instruction", column("id", Text), column("reason", Text), column("refusal", Text))


@pytest.mark.parametrize(
    "reason",
    [
        Reason(OfRequest.DAILY_LIMIT),
        given("é \U0001f600 “x”"),
        Reason(OfRequest.ON_HOLD, found=(("gap", ("7",)), ("votes", ("U1", "U2")))),
        Reason(OfRequest.NOT_SENT_IN_TIME, held=Reason(Exchange.ANSWERED, status=500, words="no")),
        Reason(OfRequest.UNDECIDED, held=None),
    ],
)
async def test_a_reason_comes_out_as_it_went_in(store: Store, reason: Reason) -> None:
    asked = await ask(store)
    await unit(store).instructions.touch(asked, now=NOW, reason=reason, refusal=reason)
    held = await unit(store).instructions.get(asked.id)
    assert (held.reason, held.refusal) == (reason, reason)


async def test_no_reason_is_empty_text_and_no_refusal_is_null(store: Store) -> None:
    asked = await ask(store)
    query = select(_RAW.c.reason, _RAW.c.refusal)
    assert await store.read(lambda tx: tuple(tx.flags._connection.execute(query).one())) == ("", None)
    held = await unit(store).instructions.get(asked.id)
    assert (held.reason, held.refusal) == (None, None)


@pytest.mark.parametrize(
    "raw",
    [
        *('{"code":"from_tomorrow"}', '{"code":"daily_limit","facts":{"more":1}}', '{"code":"answered"}'),
        *('{"code":["held"]}', '{"facts":{}}', '{"code":"daily_limit","facts":7}'),
    ],
)
async def test_what_is_no_reason_of_this_version_is_never_guessed(store: Store, raw: str) -> None:
    asked = await ask(store)
    await store.write(lambda tx: tx.flags._connection.execute(update(_RAW).values(reason=raw)))
    with pytest.raises(RowUnreadable, match="reason"):
        await unit(store).instructions.get(asked.id)


SENTENCES = {
    "the daily limit is reached": "",
    "held, because who asked for it is a guest now. An admin can withdraw it": OfRequest.HELD,
    "on hold, as the database and the audit disagree: an approval was never given": OfRequest.ON_HOLD,
    "held: the database may be older than the services, so an operator has to look": OfRequest.RESTORED,
    "another bulk payment is being submitted": OfRequest.ANOTHER_IS_SENT,
    "the payments service has not answered since 2026-11-20 09:00 UTC, so nothing was sent": OfRequest.UNANSWERED,
    "the payments service answered 500": OfRequest.SERVICE_SAID,
    "answer 500, saying “Internal error”": Exchange.ANSWERED,
    "answer 500": "",
    "answer 200 with an unexpected body": Exchange.UNEXPECTED,
    "its answer could not be read (truncated)": Exchange.UNEXPECTED,
    '{"is": "what somebody typed"': "",
}
"""What the version before wrote, and the code that decides how a request goes on."""


async def test_sentences_of_before_stay_what_they_were(new_database_url: str, monkeypatch: Patch) -> None:
    """More of them than are wrapped at once."""
    said, many = list(SENTENCES), 1_203
    made = [replace(instruction(state=State.AWAITING), reference=f"P-{number}") for number in range(many)]
    delivery = booking()

    def fill(connection: Connection) -> None:
        connection.execute(requests.insert(), [stored_then(connection, one) for one in made])
        then = {name: value for name, value in columns(delivery).items() if name != "errors"}
        connection.execute(bookings.insert().values(then))
        connection.execute(text("UPDATE booking SET reason = 'it refused'"))
        for number, one in enumerate(made[:-1]):
            sentence = said[number % len(said)]
            held = update(_RAW).where(_RAW.c.id == one.id)
            connection.execute(held.values(reason=sentence, refusal=sentence if number % 2 else None))

    async with upgraded(new_database_url, monkeypatch, "0019", fill) as store:
        found = await store.read(
            lambda tx: {one.id: one for one in tx.instructions.awaiting((State.AWAITING,), limit=many)}
        )
        for number, one in enumerate(made[:-1]):
            sentence = said[number % len(said)]
            held, reason = found[one.id], Reason(Verbatim.AS_STORED, text=sentence, was=str(SENTENCES[sentence]))
            assert (held.reason, held.refusal) == (reason, reason if number % 2 else None)
            assert worded(held.reason) == sentence
        assert (found[made[-1].id].reason, found[made[-1].id].refusal) == (None, None)
        booked = await unit(store).bookings.get(delivery.id)
        assert worded(booked.reason) == "it refused"


SAID = "answer 500, saying “Internal error”"
QUEUED = [
    ("new", True, {"reason": SAID, "refusal": None}, {"reason": Exchange.ANSWERED}),
    ("sending", True, {"reason": "no", "refusal": SAID}, {"refusal": Exchange.ANSWERED}),
    ("unknown", True, {"reason": "answer 200 with a body that is no JSON"}, {"reason": Exchange.UNEXPECTED}),
    ("new", True, {"reason": "what somebody typed", "refusal": None}, {}),
    ("new", True, {"reason": {"code": "daily_limit"}}, {}),
    ("new", True, [SAID], {}),
    ("sent", True, {"reason": SAID}, {}),
    ("dead", True, {"reason": SAID}, {}),
    ("new", False, {"reason": SAID}, {}),
    ("new", True, "{", {}),
]
"""Posts: their state, whether they are about a request, their payload, and which of its reasons keep a code."""


async def test_what_waits_for_slack_keeps_the_codes_of_its_reasons(new_database_url: str, monkeypatch: Patch) -> None:
    asked = instruction()

    def fill(connection: Connection) -> None:
        connection.execute(requests.insert(), [stored_then(connection, asked)])
        for number, (state, is_about, payload, _) in enumerate(QUEUED):
            raw = payload if isinstance(payload, str) else canonical_json(payload)
            about = asked.id if is_about else None
            made = columns(post(f"{number}", payload=raw, state=state, instruction_id=about, due_at=0, created_at=0))
            values = {name: value for name, value in made.items() if name not in ("lease_until", "subject", "errors")}
            connection.execute(insert(table("outbox", *map(column, values))).values(values))

    async with upgraded(new_database_url, monkeypatch, "0019", fill) as store:
        query = text("SELECT payload FROM outbox ORDER BY seq")
        found = await store.read(lambda tx: list(tx.flags._connection.execute(query).scalars()))
    for (_, _, payload, kept), after in zip(QUEUED, found, strict=True):
        if not isinstance(payload, dict):
            assert after == (payload if isinstance(payload, str) else canonical_json(payload))
            continue
        coded = {name: Reason(Verbatim.AS_STORED, text=payload[name], was=str(was)) for name, was in kept.items()}
        assert after == canonical_json({**payload, **{name: reason.stored() for name, reason in coded.items()}})
