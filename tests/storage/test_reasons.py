"""Reasons: what goes in comes out, what an earlier version wrote is shown as it was, and nothing else is guessed."""

import pytest
from sqlalchemy import Text, column, select, table, update

from bot.domain.reasons import Exchange, OfRequest, Reason, given
from storage import Store
from storage.errors import RowUnreadable
from tests.storage.factories import NOW, ask, unit

_RAW = table("instruction", column("id", Text), column("reason", Text), column("refusal", Text))


@pytest.mark.parametrize(
    "reason",
    [
        Reason(OfRequest.RESTORED),
        given("é \U0001f600 “x”"),
        Reason(OfRequest.ON_HOLD, found=(("gap", ("7",)), ("votes", ("U1", "U2")))),
        Reason(OfRequest.NOT_SENT_IN_TIME, held=Reason(Exchange.ANSWERED, status=500, words="no")),
        Reason(OfRequest.UNDECIDED, held=None),
    ],
)
async def test_reason_is_stored_unchanged(store: Store, reason: Reason) -> None:
    asked = await ask(store)
    await unit(store).instructions.touch(asked, now=NOW, reason=reason, refusal=reason)
    held = await unit(store).instructions.get(asked.id)
    assert (held.reason, held.refusal) == (reason, reason)


async def test_missing_reason_is_stored_as_empty_text(store: Store) -> None:
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
async def test_unknown_stored_reason_is_never_guessed(store: Store, raw: str) -> None:
    asked = await ask(store)
    await store.write(lambda tx: tx.flags._connection.execute(update(_RAW).values(reason=raw)))
    with pytest.raises(RowUnreadable, match="reason"):
        await unit(store).instructions.get(asked.id)
