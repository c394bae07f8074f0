"""Answers that could not be read: one row a form of answer, counted, few, and marked once they are read again."""

import asyncio
from datetime import datetime, timedelta

import pytest

from bot.domain.unread import Noted, UnreadAnswer, looked_for, shape_of
from storage import Store
from tests.storage.factories import KEY, NOW, later, unit

MOST = 50


def answer(operation: str = "payments.create_payout", field: str = "uid") -> UnreadAnswer:
    shape = shape_of({field: "secret value", "list": [{"a": 1}]})
    wanted = looked_for(shape, section=operation, name="id", known=("id",), read=("id",))
    return UnreadAnswer(operation=operation, status=201, body=shape.kind, fields=shape.fields, wanted=(wanted,))


def noted(found: UnreadAnswer, at: datetime = NOW, count: int = 1) -> Noted:
    return Noted(answer=found, first_seen=at, last_seen=at, count=count)


async def note(store: Store, *found: Noted) -> None:
    for one in found:
        await unit(store).unread.note(one)


async def test_it_is_kept_as_it_was_seen(store: Store) -> None:
    assert await unit(store).unread.is_there()
    await note(store, noted(answer(), count=3))
    assert await unit(store).unread.all() == [noted(answer(), count=3)]


async def test_the_same_form_is_counted(store: Store) -> None:
    await note(store, noted(answer(), later(5), count=2), noted(answer(), NOW), noted(answer(), later(9)))
    [found] = await unit(store).unread.all()
    assert (found.count, found.first_seen, found.last_seen) == (4, later(5), later(9))


async def test_forms_and_operations_are_kept_apart_the_newest_first(store: Store) -> None:
    one, other = answer("payments.partner"), answer(field="ident")
    await note(store, noted(one, later(1)), noted(answer(), later(3)), noted(other, later(2)))
    found = await unit(store).unread.all()
    assert [one.answer for one in found] == [answer(), other, one]
    assert await unit(store).unread.open_operations() == {"payments.partner", "payments.create_payout"}


async def test_they_stay_few_and_the_oldest_go(store: Store) -> None:
    for number in range(MOST + 7):
        await note(store, noted(answer(field=f"f{chr(97 + number // 26)}{chr(97 + number % 26)}"), later(number)))
    found = await unit(store).unread.all()
    assert len(found) == MOST
    assert min(one.last_seen for one in found) == later(7)


async def test_what_is_read_again_is_marked_and_goes_first(store: Store) -> None:
    await note(
        store, noted(answer(), later(1)), noted(answer(field="ident"), later(1)), noted(answer("payments.partner"))
    )
    await unit(store).unread.mended("payments.create_payout", later(2))
    found = await unit(store).unread.all()
    assert [one.mended_at for one in found] == [None, later(2), later(2)]
    assert await unit(store).unread.open_operations() == {"payments.partner"}
    for number in range(MOST - 1):
        await note(store, noted(answer(field=f"f{chr(97 + number // 26)}{chr(97 + number % 26)}"), later(-number)))
    found = await unit(store).unread.all()
    assert [one.mended_at for one in found] == [None] * MOST


async def test_an_answer_read_before_marks_nothing(store: Store) -> None:
    """Two processes: one read it, then the other could not."""
    await note(store, noted(answer(), later(5)))
    await unit(store).unread.mended("payments.create_payout", later(4))
    assert (await unit(store).unread.all())[0].mended_at is None


async def test_what_is_unread_once_more_is_open_again(store: Store) -> None:
    await note(store, noted(answer()))
    await unit(store).unread.mended("payments.create_payout", later(1))
    await note(store, noted(answer(), later(2)))
    [found] = await unit(store).unread.all()
    assert (found.mended_at, found.count) == (None, 2)


async def test_what_was_read_again_is_forgotten_a_day_later(store: Store) -> None:
    await note(store, noted(answer()), noted(answer("payments.partner"), NOW + timedelta(days=2)))
    await unit(store).unread.mended("payments.create_payout", later(1))
    await unit(store).unread.mended("payments.partner", NOW + timedelta(days=3))
    assert [one.answer.operation for one in await unit(store).unread.all()] == ["payments.partner"]


async def test_no_value_is_in_the_database(store: Store) -> None:
    await note(store, noted(answer()))
    rows = await store.read(lambda tx: str(tx.unread._connection.exec_driver_sql("SELECT * FROM unread_answer").all()))
    assert "uid" in rows
    assert "secret value" not in rows


@pytest.mark.postgres
async def test_several_processes_count_the_same_form(postgres_url: str) -> None:
    stores = [await Store.open(postgres_url, audit_key=KEY) for _ in range(3)]
    try:
        await asyncio.gather(*(note(store, *[noted(answer(), later(n)) for n in range(5)]) for store in stores))
        [found] = await stores[0].read(lambda tx: tx.unread.all())
        assert found.count == 15
    finally:
        for store in stores:
            await store.close()
