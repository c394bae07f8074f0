"""A whole file at the service: when it is sent again, and what of the file that comes back is passed on as it is."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from bot.domain.emails.lists import Link, Returned, RunState
from bot.domain.outcome import Failure, NotExecuted
from bot.presentation.reasons import in_words
from bot.workflows.emails import whole
from bot.workflows.emails.lists import RequestedList, request_list
from storage.rows import Job
from storage.transaction import Tx
from tests.support.reasons import own_words
from tests.support.replaced import replaced
from tests.support.rig import FINANCE, MARIA, Rig
from tests.tables.corpus import CORPUS
from tests.tables.workbooks import workbook

NOT_TAKEN: Any = {"failure": Failure.NOT_SENT, "again": True, "reason": own_words("no connection")}


async def prepared(rig: Rig) -> Job:
    """A whole file that is ready to be sent."""
    ctx = rig.switchboard.context
    asked = RequestedList(
        requester=MARIA,
        channel=FINANCE,
        thread_ts=None,
        file_id=rig.workspace.upload(MARIA, "p.csv", b"email\r\nana@example.com\r\n"),
        file_name="p.csv",
        column=0,
        column_name="email",
        whole=True,
        concurrency=1,
        source_key="test:p",
    )
    assert await request_list(ctx, asked)
    job = await ctx.store.read(lambda tx: tx.jobs.by_source("test:p"))
    assert job is not None
    return job


async def changed(rig: Rig, job: Job, **detail: Any) -> Job:
    ctx = rig.switchboard.context

    def change(tx: Tx) -> Job | None:
        current = tx.jobs.get(job.id)
        return current and tx.jobs.touch(current, state=RunState.SENDING, detail={**current.detail, **detail})

    found = await ctx.store.write(change)
    assert found is not None
    return found


async def test_what_the_service_did_not_take_is_sent_again_later(rig: Rig) -> None:
    """After growing waits; one that the service names is the wait."""
    ctx = rig.switchboard.context
    job = await prepared(rig)
    for tries, named, wait in (
        (0, None, 10),
        (1, None, 20),
        (2, None, 40),
        (3, None, 80),
        (0, 9.0, 9),
        (0, 11.0, 11),
        (3, 11.0, 11),
        (0, 300.0, 300),
    ):
        found = await changed(rig, job, tries=tries)
        refusal = NotExecuted(**NOT_TAKEN, retry_after=named)
        await ctx.write(partial(whole._later, job=found, refusal=refusal))
        later = await ctx.store.read(lambda tx: tx.jobs.get(job.id))
        assert later is not None
        assert later.due_at == ctx.clock.now() + timedelta(seconds=wait), (tries, named)
        assert (later.state, later.detail["tries"]) == (RunState.PREPARING, tries + 1)
        assert in_words(later.detail["reason"]) == "no connection"


async def test_after_five_tries_it_is_given_up(rig: Rig) -> None:
    ctx = rig.switchboard.context
    job = await changed(rig, await prepared(rig), tries=4)
    await ctx.write(lambda uow: whole._later(uow, job, NotExecuted(**NOT_TAKEN)))
    ended = await ctx.store.read(lambda tx: tx.jobs.get(job.id))
    assert ended is not None
    assert (ended.state, in_words(ended.detail["reason"])) == (RunState.FAILED, "no connection (5 times)")
    assert ended.closed_at == ctx.clock.now()


class Fetched:
    """A result that was fetched from its address."""

    def __init__(self, file: Returned) -> None:
        self.name, self._content = file.name, file.content

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._content


@pytest.mark.parametrize("link", [False, True])
@pytest.mark.parametrize("spelled", ["a workbook", "UTF-16", "UTF-8"])
async def test_no_secret_stands_in_a_result_however_the_file_spells_it(rig: Rig, spelled: str, link: bool) -> None:
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
        ended = await whole._ended(ctx, client, answer, "p-processed.csv")
    assert ended.file is not None
    assert ended.file.content.decode("utf-8-sig") == "email,note\r\nana@example.com,for [hidden] only\r\n"
    assert "[hidden]" in ended.file.name


AS_IT_IS = (
    "a picture",
    "a workbook with a password",
    "parts with a password",
    "cut off",
    "a small bomb",
    "an old workbook",
    "gzip",
)


@pytest.mark.parametrize("name", AS_IT_IS)
async def test_what_is_neither_table_nor_text_is_passed_on_as_it_is(name: str) -> None:
    [broken] = [one for one in CORPUS if one.name == name]
    file = Returned(name="result.bin", content=broken.content())
    assert await whole._made_safe(file) == file


@pytest.mark.parametrize(
    ("content", "safe"),
    [
        (b"email,note\r\na@b.co,=1+1\r\n", b"email,note\r\na@b.co,'=1+1\r\n"),
        (b"=1+1\r\n", b"'=1+1\r\n"),
        (b'email,note\r\na@b.co,"=1+1\r\n', b"'=1+1"),
    ],
)
async def test_formulas_in_a_text_are_made_harmless(content: bytes, safe: bytes) -> None:
    made = await whole._made_safe(Returned(name="result.csv", content=content))
    assert made.name == "result.csv"
    assert safe in made.content.replace(b"\xef\xbb\xbf", b"")


@pytest.mark.parametrize(("name", "stem"), [("März 1.csv", "März-1"), ("--.csv", "list"), ("", "list")])
def test_a_result_is_called_after_its_file(name: str, stem: str) -> None:
    assert whole._stem(name) == stem
