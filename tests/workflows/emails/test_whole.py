"""A whole file at the service: when it is sent again, and what of the file that comes back is passed on as it is."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bot.domain.emails.lists import WHOLE, Link, Returned, RunState
from bot.domain.errors import ServiceNow
from bot.domain.files.tables import Flaw, TableProblem
from bot.domain.outcome import NotExecuted
from bot.presentation.reasons import in_words
from bot.slack.calls import ASKED_US_TO_WAIT
from bot.workflows.context import Unit
from bot.workflows.emails import work
from bot.workflows.restored import freeze_restored
from tests.support.lists import requested
from tests.support.reasons import own_words
from tests.support.replaced import replaced
from tests.support.rig import Rig
from tests.tables.workbooks import workbook
from tests.workflows.emails.made import job, stored

BUSY = own_words("busy")
_SENDING: Any = {"kind": WHOLE, "state": RunState.SENDING}


async def test_creation_is_given_up_at_the_fifth_attempt(rig: Rig) -> None:
    one = await job(rig, **_SENDING, detail={"tries": 4})
    await rig.switchboard.context.write(lambda uow: work._later(uow, one, NotExecuted(reason=BUSY, again=True)))
    after = await stored(rig, one)
    assert (after.state, in_words(after.detail["reason"]), after.closed_at) == (
        RunState.FAILED,
        "busy (5 times)",
        rig.clock.now(),
    )


FORMULA = b"email,note\r\na@example.com,=1+1\r\n"


def reading(flaw: Flaw) -> Callable[..., Any]:
    async def broken(*_: object, **__: object) -> None:
        raise TableProblem(flaw)

    return broken


@pytest.mark.parametrize(("flaw", "content", "as_it_is"), [
    (Flaw.OTHER_KIND, FORMULA, True), (Flaw.LOCKED, FORMULA, True), (Flaw.DAMAGED, FORMULA, True),
    (Flaw.BOMB, FORMULA, True), (Flaw.TOO_COMPLEX, b"PK\x03\x04", True), (Flaw.TOO_COMPLEX, FORMULA, False),
    (Flaw.RAGGED, FORMULA, False), (Flaw.RAGGED, b"PK," + FORMULA, False), (Flaw.TOO_LARGE, FORMULA, False),
])  # fmt: skip
async def test_only_formula_like_text_is_escaped_in_results(
    monkeypatch: pytest.MonkeyPatch, flaw: Flaw, content: bytes, as_it_is: bool
) -> None:
    monkeypatch.setattr(work, "read_apart", reading(flaw))
    file = Returned(name="result.csv", content=content)
    safe = await work._made_safe(file)
    assert (safe is file) is as_it_is
    if not as_it_is:
        assert safe.name == "result.csv"
        assert b"'=1+1" in safe.content


async def test_unreadable_file_is_given_up_after_six_attempts(rig: Rig) -> None:
    one = await job(rig, detail={"reads": 5})

    async def silent(*_: object) -> None:
        raise ServiceNow("Slack", ASKED_US_TO_WAIT)

    await work._step(rig.switchboard.context, silent, one)
    assert (await stored(rig, one)).state == RunState.FAILED


async def test_whole_file_check_waits_for_the_audit_check(rig: Rig) -> None:
    """It is sent once; addresses that are processed one by one may be asked for again."""
    ctx, now = rig.switchboard.context, rig.clock.now()
    await ctx.store.write(lambda tx: freeze_restored(Unit(tx, now=now, policy=ctx.policy), []))
    whole, rows = await requested(rig, name="whole", whole=True), await requested(rig, name="rows")
    await rig.settle()
    assert [(await stored(rig, one)).state for one in (whole, rows)] == [RunState.PREPARING, RunState.DONE]
    assert (await stored(rig, whole)).lease_owner == ""


class Fetched:
    """A result that was fetched from its address."""

    def __init__(self, file: Returned) -> None:
        self.name, self._content = file.name, file.content

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._content


@pytest.mark.parametrize("link", [False, True])
@pytest.mark.parametrize("spelled", ["a workbook", "UTF-16", "UTF-8"])
async def test_results_hold_no_secret_in_any_spelling(rig: Rig, spelled: str, link: bool) -> None:
    ctx = rig.switchboard.context
    client = ctx.emails.client
    assert client is not None
    key = client._api_key.get_secret_value()
    text = f"email,note\r\nana@example.com,for {key} only\r\n"
    contents = {
        "a workbook": workbook([("email", "note"), ("ana@example.com", f"for {key} only")]),
        "UTF-16": text.encode("utf-16"),
        "UTF-8": text.encode(),
    }

    file = Returned(name=f"{key}.csv", content=contents[spelled])

    @asynccontextmanager
    async def fetched(url: str, **_: object) -> AsyncIterator[Fetched]:
        assert url == "https://example.com/result"
        yield Fetched(file)

    with replaced(ctx.emails.results, "open", fetched):
        answer = Link(url="https://example.com/result") if link else file
        ended = await work._ended(ctx, client, answer, "p-processed.csv")
    assert ended.file is not None
    assert ended.file.content.decode("utf-8-sig") == "email,note\r\nana@example.com,for [hidden] only\r\n"
    assert "[hidden]" in ended.file.name
