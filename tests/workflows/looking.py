"""Looking into a rig: what is stored, what the service was asked, what people see."""

from collections.abc import Callable
from typing import TypeVar

from bot.cli.audit import _compared
from bot.domain.payments.instruction import Attempt, Instruction, State, Vote
from bot.domain.references import derived_key
from bot.playground.simulators.payments.records import Record
from bot.playground.workspace import Message
from bot.workflows.admin.audit import compare
from storage.transaction import Tx
from tests.support.rig import ALERTS, APPROVALS, FINANCE, OLGA, SECRET_KEY, Rig
from tests.support.rows import audit_rows, verify
from tests.support.shown import shown

T = TypeVar("T")


def there(found: T | None) -> T:
    assert found is not None
    return found


async def disagreements(rig: Rig) -> tuple[str, ...]:
    """What ``audit verify`` says of the requests and of the flags that hold payments back."""
    return tuple(_compared(await read(rig, compare))[1:])


async def read(rig: Rig, work: Callable[[Tx], T]) -> T:
    return await rig.switchboard.context.store.read(work)


async def requests(rig: Rig) -> list[Instruction]:
    return await read(rig, lambda tx: tx.instructions.awaiting(list(State)))


async def newest(rig: Rig) -> Instruction:
    return (await requests(rig))[-1]


async def state(rig: Rig) -> State:
    return (await newest(rig)).state


async def votes(rig: Rig) -> list[Vote]:
    found = await newest(rig)
    return await read(rig, lambda tx: tx.votes.of(found.id, found.round))


async def attempts(rig: Rig) -> list[Attempt]:
    found = await newest(rig)
    return await read(rig, lambda tx: tx.attempts.of(found.id))


async def actions(rig: Rig) -> list[str]:
    """What the audit chain says was done with the newest request; the whole chain must hold."""
    rows = await read(rig, audit_rows)
    assert verify(key=derived_key(SECRET_KEY, "audit"), rows=rows).bad_seq is None
    found = await newest(rig)
    return [row.entry.action for row in rows if row.entry.instruction_id == found.id]


def asked(rig: Rig, operation: str) -> int:
    return len(rig.payments.calls_of(operation))


def operation(rig: Rig) -> Record:
    return list(rig.payments.operations.values())[-1]


def told(rig: Rig, channel: str, word: str) -> list[Message]:
    return [message for message in rig.news(channel) if word.casefold() in message.text.casefold()]


def told_once(rig: Rig, word: str, *channels: str) -> str:
    """That each conversation was told exactly once; returns what was said. By default where it was requested alone."""
    text = ""
    assert channels or not told(rig, APPROVALS, word), "the card of the approvers says it"
    for channel in channels or (FINANCE,):
        found = told(rig, channel, word)
        assert len(found) == 1, (channel, [message.text for message in rig.news(channel)])
        text = found[0].text
    return text


def alerts(rig: Rig) -> list[str]:
    return [message.text for message in rig.workspace.messages(ALERTS)]


def buttons(rig: Rig, *channels: str) -> set[str]:
    return {button.text for channel in channels or (FINANCE, APPROVALS) for button in rig.cards(channel)[-1].buttons}


def everywhere(rig: Rig, word: str) -> bool:
    """Whether the newest card and its line say it, each in its text, and the card in its blocks."""
    line, card = (rig.cards(channel)[-1] for channel in (FINANCE, APPROVALS))
    word, shown = word.casefold(), card.plain.removeprefix(card.text).casefold()
    return word in line.text.casefold() and word in card.text.casefold() and word in shown


def ephemerals(rig: Rig, user: str) -> list[str]:
    return [message.text for message in rig.workspace.ephemerals(user)]


async def heard(rig: Rig, user: str, word: str) -> str:
    """The newest private message to a person, once it says the word: those to clicks come beside the ack."""
    return await rig.workspace.until(lambda: ephemerals(rig, user)[-1] if word in ephemerals(rig, user)[-1] else None)


async def approved(rig: Rig, text: str = 'send ana@example.com 25.00 "March translation"') -> None:
    await rig.pay(text)
    await rig.press("approve")


async def service_status(rig: Rig, service: str) -> str:
    """The line of a service in the answer to ``/switchboard status``."""
    answer = shown(await rig.workspace.slash(OLGA, FINANCE, "/switchboard", "status"))
    return next(line for line in answer.splitlines() if f" {service}: " in line)
