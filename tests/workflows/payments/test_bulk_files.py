"""Broken files, asked to be paid: each gets one clear answer in Slack, and nothing is requested."""

import pytest

from bot.presentation.payments import forms
from bot.workflows.payments.bulk_request import read_typed
from tests.support.rig import APPROVALS, FINANCE, MARIA, Rig
from tests.tables.corpus import BOOKS, TEXTS
from tests.workflows.looking import requests, there

TAKEN = (".csv", ".xlsx", ".txt", ".tsv")
"""Endings that the form takes."""
BROKEN = [one for one in [*TEXTS, *BOOKS] if "bomb" not in one.name and one.file.endswith(TAKEN)]


async def answered(rig: Rig, content: bytes, name: str, *, form: str = "notice") -> str:
    """What the form turns into after a file was put into it; nothing may have been requested."""
    before = len(await requests(rig))
    await rig.workspace.slash(MARIA, FINANCE, "/pay", "bulk")
    await rig.workspace.submit(MARIA, {"file": [rig.workspace.upload(MARIA, name, content)]})

    def told() -> str | None:
        view = rig.workspace.modal(MARIA)
        return view.plain if view is not None and view.callback_id == form and "Reading" not in view.plain else None

    said = await rig.workspace.until(told)
    await rig.workspace.close(MARIA)
    await rig.settle()
    assert len(await requests(rig)) == before
    assert rig.cards(APPROVALS) == []
    return said


async def test_every_broken_file_has_its_answer(rig: Rig) -> None:
    wrong = []
    for broken in BROKEN:
        content = broken.content()
        said = await answered(rig, content, broken.file)
        # A file may be wrong in two ways, of which one is named; an empty one Slack itself tells of.
        if "Something went wrong" in said or "(row" in said or len(said) < 30:
            wrong.append((broken.name, said))
    assert len(BROKEN) >= 40
    assert not wrong, wrong


async def test_too_many_rows(rig: Rig) -> None:
    content = b"email,amount\n" + b"ana@example.com,1.00\n" * 10_001
    assert "The file has more than 10,000 rows." in await answered(rig, content, "people.csv")


async def test_many_bad_rows_come_as_a_file_too(rig: Rig) -> None:
    content = "email,amount\n" + "".join(f"nobody{n},5.00\n" for n in range(60))
    said = await answered(rig, content.encode(), "people.csv", form=forms.CONFIRM)
    assert "*All 60 rows need fixing.*" in said
    assert "… and 35 more" in said
    direct = rig.workspace.messages(rig.workspace.open_dm(MARIA).id)
    (file,) = [one for message in direct for one in message.files]
    found = there(rig.workspace.file(file))
    assert len(found.content.decode("utf-8-sig").splitlines()) == 61


@pytest.mark.parametrize("text", [
    "a@example.com,1.00\nb@example.com,2.50,note", "a@example.com;1.00\nb@example.com;2.50;note",
    "a@example.com\t1.00\nb@example.com\t2.50\tnote", "\na@example.com,1.00\nb@example.com,2.50,note\n\n",
    "note,amount,email\n,1.00,a@example.com\nnote,2.50,b@example.com",
])  # fmt: skip
async def test_typed_rows_are_read_with_or_without_names(text: str) -> None:
    found = await read_typed(text)
    assert [(one.email, one.cents, one.note) for one in found.items] == [
        ("a@example.com", 100, ""),
        ("b@example.com", 250, "note"),
    ]
    assert (list(found.bad), found.rows) == ([], 2)
