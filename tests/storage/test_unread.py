"""Answers that could not be read: one row a form of answer, counted, few, and marked once they are read again."""

from datetime import datetime

from bot.domain.unread import Noted, UnreadAnswer, looked_for, shape_of
from storage import Store
from tests.storage.factories import NOW, later, unit

MOST, DAY = 50, 86_400


def answer(operation: str = "payments.create_payout", field: str = "uid") -> UnreadAnswer:
    shape = shape_of({field: "secret value", "list": [{"a": 1}]})
    wanted = looked_for(shape, section=operation, name="id", known=("id",), read=("id",))
    return UnreadAnswer(operation=operation, status=201, body=shape.kind, fields=shape.fields, wanted=(wanted,))


def other(number: int) -> UnreadAnswer:
    """One with a field of its own, named without digits."""
    return answer(field=f"f{chr(97 + number // 26)}{chr(97 + number % 26)}")


def noted(found: UnreadAnswer, at: datetime = NOW, count: int = 1) -> Noted:
    return Noted(answer=found, first_seen=at, last_seen=at, count=count)


async def note(store: Store, *found: Noted) -> None:
    for one in found:
        await unit(store).unread.note(one)


async def test_unread_forms_are_listed_newest_first(store: Store) -> None:
    one, two = answer("payments.partner"), answer(field="ident")
    await note(store, noted(one, later(1)), noted(answer(), later(3)), noted(two, later(2)))
    found = await unit(store).unread.all()
    assert [one.answer for one in found] == [answer(), two, one]
    assert await unit(store).unread.open_operations() == {"payments.partner", "payments.create_payout"}


async def test_unread_answers_are_limited_to_the_newest(store: Store) -> None:
    for number in range(MOST + 7):
        await note(store, noted(other(number), later(number)))
    found = await unit(store).unread.all()
    assert len(found) == MOST
    assert min(one.last_seen for one in found) == later(7)


async def test_recheck_is_marked_and_comes_first(store: Store) -> None:
    await note(
        store, noted(answer(), later(1)), noted(answer(field="ident"), later(1)), noted(answer("payments.partner"))
    )
    await unit(store).unread.mended("payments.create_payout", later(2))
    found = await unit(store).unread.all()
    assert [one.mended_at for one in found] == [None, later(2), later(2)]
    assert await unit(store).unread.open_operations() == {"payments.partner"}
    for number in range(MOST - 1):
        await note(store, noted(other(number), later(-number)))
    found = await unit(store).unread.all()
    assert [one.mended_at for one in found] == [None] * MOST


async def test_older_answer_does_not_mark_unread(store: Store) -> None:
    """Two processes: one read it, then the other could not. What is unread once more is open again."""
    await note(store, noted(answer(), later(5)))
    for read_at, mended_at in ((4, None), (6, later(6))):
        await unit(store).unread.mended("payments.create_payout", later(read_at))
        assert [one.mended_at for one in await unit(store).unread.all()] == [mended_at]
    await note(store, noted(answer(), later(7)))
    assert [(one.mended_at, one.count) for one in await unit(store).unread.all()] == [(None, 2)]


async def test_resolved_unread_answers_expire_after_a_day(store: Store) -> None:
    await note(store, noted(answer()), noted(answer("payments.partner"), later(2 * DAY)))
    await unit(store).unread.mended("payments.create_payout", later(1))
    await unit(store).unread.mended("payments.partner", later(3 * DAY))
    assert [one.answer.operation for one in await unit(store).unread.all()] == ["payments.partner"]
