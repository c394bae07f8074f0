"""E-mail processing from the command or the dropped file to the result in the thread."""

import base64
import csv
import io
import json

import pytest
from inline_snapshot import snapshot

from bot.domain.emails.lists import RunState
from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.emails import FileShape, Shape
from bot.playground.workspace import Message
from bot.workflows.emails.lists import Press, Pressed, press
from tests.support.answers import ask
from tests.support.rig import ADA, FINANCE, GUS, MARIA, OLGA, RANDOM, ZOE, Rig
from tests.support.rows import jobs_of
from tests.support.shown import shown

LIST = (
    b"name,email,note\r\n"
    b"Ana,ana@example.com,=1+1\r\n"
    b"Bo,bounce@example.com,\r\n"
    b"Nobody,,x\r\n"
    b"Ana again,ana@EXAMPLE.com,\r\n"
    b"Odd,not an address,\r\n"
    b"Plus,ana+news@example.com,-5\r\n"
)

CHECKED = "email,status\nana@example.com,valid\n"
CHECKED_64 = base64.b64encode(CHECKED.encode()).decode()

pytestmark = pytest.mark.rig(on="both")


async def email(rig: Rig, text: str, *, user: str = MARIA, channel: str = FINANCE) -> str:
    return (await ask(rig, text, command="/email", user=user, channel=channel)).text


async def dropped(rig: Rig, content: bytes = LIST, *, name: str = "people.csv", user: str = MARIA) -> Message:
    message = await rig.workspace.drop(user, FINANCE, name, content)
    await rig.settle()
    await press_offer(rig, message, user=user)
    return message


async def press_offer(rig: Rig, message: Message, *, user: str = MARIA) -> None:
    offer = next(one for one in rig.workspace.messages(FINANCE, thread_ts=message.ts) if one.bot_id and one.buttons)
    button = next(one for one in offer.buttons if one.text == "Process e-mails")
    await rig.workspace.click(user, FINANCE, offer.ts, button.action_id)
    await rig.workspace.until(lambda: rig.workspace.modal(user) is not None)


async def processed(rig: Rig, content: bytes = LIST, *, name: str = "people.csv", **values: str) -> Message:
    """The board of a list that was started with the form's initial values, but for those given."""
    message = await dropped(rig, content, name=name)
    await rig.submit(MARIA, values)
    return board(rig, message)


def board(rig: Rig, message: Message) -> Message:
    thread = rig.workspace.messages(FINANCE, thread_ts=message.ts)
    return next(one for one in reversed(thread) if one.bot_id and "*Process e-mails*" in one.text)


DONE = ":white_check_mark: Done. File in thread."


def state(root: Message) -> str:
    return shown(root.text.partition("*Process e-mails")[2].splitlines()[1])


def files_of_bot(rig: Rig, message: Message) -> list[tuple[str, bytes, str]]:
    root = message.thread_ts or message.ts
    found = []
    for one in rig.workspace.messages(FINANCE, thread_ts=root):
        if one.bot_id:
            for file_id in one.files:
                file = rig.workspace.file(file_id)
                assert file is not None
                found.append((file.name, file.content, one.text))
    return found


def news(rig: Rig, root: Message) -> list[str]:
    thread = rig.workspace.messages(FINANCE, thread_ts=root.thread_ts or root.ts)
    return [one.text for one in thread if one.bot_id and not one.files and "<@" in one.text.partition("\n")[0]]


def rows(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


async def test_one_address_is_answered_as_a_table(rig: Rig) -> None:
    said = await email(rig, "check bounce@example.com")
    assert shown(said) == snapshot("bounce@example.com: *undeliverable* domain: example.com; role: false; score: 0.82")


async def test_several_addresses_however_they_are_written(rig: Rig) -> None:
    said = await email(rig, "check ana+news@example.com, bo@example.com; info@x.example")
    assert [
        address for address in ("ana+news@example.com", "bo@example.com", "info@x.example") if address not in said
    ] == [], said
    assert set(rig.emails.asked) == {"ana+news@example.com", "bo@example.com", "info@x.example"}


async def test_check_explains_a_mistake_with_an_example(rig: Rig) -> None:
    many = " ".join(f"p{n}@example.com" for n in range(21))
    for line, rule in (("check ana", "`ana` isn't an e-mail address"), (f"check {many}", "20 addresses at a time")):
        said, example = (await email(rig, line)).splitlines()
        assert (rule in said, example.startswith("Example: `/email check ")) == (True, True)
    assert not rig.emails.asked


async def test_guests_are_refused(rig: Rig) -> None:
    assert "Guests can't" in await email(rig, "check ana@example.com", user=GUS)
    assert not rig.emails.asked


@pytest.mark.rig(email_api_key=None)
async def test_unconfigured_service_names_the_variable(rig: Rig) -> None:
    said = await email(rig, "check ana@example.com")
    assert "`EMAIL_API_KEY`" in said


def ways(rig: Rig) -> list[str]:
    how = next(block["element"] for block in rig.form().blocks if block.get("block_id") == "how")
    return [option["value"] for option in how["options"]]


@pytest.mark.rig(email_bulk_base_url=None)
async def test_single_addresses_are_processed_without_the_bulk_url(rig: Rig) -> None:
    assert "*risky*" in await email(rig, "check ana@example.com")
    message = await dropped(rig)
    assert ways(rig) == ["rows"]
    ack = await rig.workspace.submit(MARIA, {"how": "whole"}, force=True)
    assert "EMAIL_BULK_BASE_URL" in ack.body["errors"]["how"]
    await rig.submit(MARIA, {"how": "rows"})
    assert state(board(rig, message)) == DONE
    said = await rig.workspace.slash(ADA, FINANCE, "/switchboard", "status")
    assert "whole files: not set up, an admin has to set `EMAIL_BULK_BASE_URL`" in said.body["text"]


@pytest.mark.rig(email_single_base_url=None)
async def test_whole_files_are_processed_without_the_single_url(rig: Rig) -> None:
    said = await email(rig, "check ana@example.com")
    assert "`EMAIL_SINGLE_BASE_URL`" in said
    message = await dropped(rig)
    assert ways(rig) == ["whole"]
    await rig.submit(MARIA, {})
    assert state(board(rig, message)) == DONE
    assert len(files_of_bot(rig, message)) == 1


async def test_result_keeps_rows_and_columns_and_adds_its_own(rig: Rig) -> None:
    root = await processed(rig)
    assert (state(root), "3 of 3 addresses checked" in root.text) == (DONE, True)
    assert not root.buttons
    assert dict(rig.emails.asked) == {"ana@example.com": 1, "bounce@example.com": 1, "ana+news@example.com": 1}
    ((name, content, comment),) = files_of_bot(rig, root)
    assert name.startswith("people-results-")
    assert comment.startswith(f"<@{MARIA}> 3 addresses checked (6 rows, 1 repeated, 2 without an address)")
    header, *found = rows(content)
    assert header[:5] == ["name", "email", "note", "processing", "result"]
    assert [row[:3] for row in found] == [
        ["Ana", "ana@example.com", "'=1+1"],
        ["Bo", "bounce@example.com", ""],
        ["Nobody", "", "x"],
        ["Ana again", "ana@EXAMPLE.com", ""],
        ["Odd", "not an address", ""],
        ["Plus", "ana+news@example.com", "-5"],
    ]
    assert [row[3] for row in found] == ["answered", "answered", "no address", "answered", "no address", "answered"]
    assert found[1][4] == "undeliverable"
    assert found[0][4:] == found[3][4:]


async def test_form_shows_samples_and_selects_the_likely_column(rig: Rig) -> None:
    await dropped(rig)
    select = next(block["element"] for block in rig.form().blocks if block.get("block_id") == "column")
    assert [option["text"]["text"] for option in select["options"]] == [
        "name (0% addresses)",
        "email (80% addresses)",
        "note (0% addresses)",
    ]
    assert select["initial_option"] == select["options"][1]
    assert select["options"][1]["description"]["text"] == "ana@example.com, bounce@example.com, ana@EXAMPLE.com"


async def test_column_with_few_addresses_is_refused_at_its_field(rig: Rig) -> None:
    message = await dropped(rig)
    ack = await rig.submit(MARIA, {"column": "0|0|name"})
    assert ack.body["errors"] == {"column": "Only 0% of “name” looks like e-mail addresses. Choose another column."}
    # Somebody who forges the share is refused when the file is read.
    forged = {"type": "static_select", "selected_option": {"value": "0|99|name"}}
    await rig.workspace.submit(MARIA, {"column": forged}, force=True)
    await rig.settle()
    assert state(board(rig, message)).startswith(":x: Failed.")
    assert not rig.emails.asked


async def test_form_takes_1_to_1000_requests_at_a_time(rig: Rig) -> None:
    message = await dropped(rig)
    for typed in ("0", "1001", "-1", "ten", "1.5"):
        ack = await rig.workspace.submit(MARIA, {"concurrent": {"type": "number_input", "value": typed}}, force=True)
        assert ack.body["errors"] == {"concurrent": "Enter a whole number from 1 to 1,000."}
    await rig.submit(MARIA, {"concurrent": "1000"})
    assert state(board(rig, message)) == DONE


async def test_broken_file_gets_one_sentence(rig: Rig) -> None:
    message = await rig.workspace.drop(MARIA, FINANCE, "people.csv", b"email,name\na@b.co,x\nb@b.co,y,z\n")
    await rig.settle()
    await press_offer(rig, message)
    assert "row 3 has 3" in rig.form().plain


@pytest.mark.parametrize(
    "shape", [FileShape.CSV, FileShape.ATTACHMENT, FileShape.ARRAY, FileShape.WRAPPED, FileShape.URL]
)
async def test_whole_file_comes_back_as_a_file(rig: Rig, shape: FileShape) -> None:
    rig.emails.manners.file_shape = shape
    root = await processed(rig, how="whole")
    assert state(root) == DONE
    ((sent, column),) = rig.emails.files
    assert column == 1
    assert sent[1] == ["Ana", "ana@example.com", "=1+1"]
    ((_, content, _),) = files_of_bot(rig, root)
    assert "undeliverable" in content.decode()
    assert ",=1+1" not in content.decode()


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (json.dumps({"file": CHECKED_64, "name": "out.csv"}), "application/json"),
        (json.dumps({"data": {"content": CHECKED}}), "application/json"),
        (json.dumps({"download_url": f"data:text/csv;base64,{CHECKED_64}"}), "application/json"),
        (f"data:text/csv;base64,{CHECKED_64}", "text/plain"),
        (json.dumps(CHECKED), "application/json"),
    ],
)
async def test_list_inside_the_answer_comes_back_as_a_file(rig: Rig, body: str, kind: str) -> None:
    rig.emails.faults.arm(Fault(FaultKind.DONE_500, "process_file", body=body, status=200, content_type=kind))
    root = await processed(rig, how="whole")
    ((name, content, _),) = files_of_bot(rig, root)
    assert name.endswith(".csv")
    assert content.decode().splitlines() == CHECKED.splitlines()


@pytest.mark.parametrize(
    ("shape", "fault", "words"),
    [
        (FileShape.RECEIPT, None, ":receipt: Sent, receipt `job-1`."),
        (FileShape.URL, FaultKind.ERROR_500, "/results/job-1.csv"),
        (FileShape.TEXT, None, "answer: Your file is being processed"),
    ],
)
async def test_answer_about_a_whole_file_without_result_is_shown(
    rig: Rig, shape: FileShape, fault: FaultKind | None, words: str
) -> None:
    rig.emails.manners.file_shape = shape
    if fault is not None:
        rig.emails.faults.arm(Fault(fault, "result", times=None))
    root = await processed(rig, how="whole")
    assert not files_of_bot(rig, root)
    assert news(rig, root) == [], "its message says it"
    assert words in root.text


@pytest.mark.parametrize(
    ("status", "body", "end", "words"),
    [
        (500, {"message": "Maintenance until ten"}, ":grey_question:", "“Maintenance until ten”"),
        (200, {"error": "Key expired"}, ":grey_question:", "“Key expired”"),
        (404, {"message": "No such plan", "displayToUser": True}, ":x:", "saying “No such plan”"),
        (404, {"message": "Inner secret", "displayToUser": False}, ":x:", "doesn't have this."),
    ],
)
async def test_whole_file_ends_with_the_services_words(
    rig: Rig, status: int, body: object, end: str, words: str
) -> None:
    fault = Fault(FaultKind.ERROR_500, "process_file", times=None, body=json.dumps(body), status=status)
    rig.emails.faults.arm(fault)
    root = await processed(rig, how="whole")
    assert state(root).startswith(end)
    assert words in root.text


@pytest.mark.parametrize("kind", [FaultKind.DONE_500, FaultKind.DONE_DROPPED, FaultKind.GARBAGE])
async def test_whole_file_with_unknown_outcome_is_not_resent(rig: Rig, kind: FaultKind) -> None:
    rig.emails.faults.arm(Fault(kind, "process_file"))
    root = await processed(rig, how="whole")
    await rig.pass_time(3_600, steps=10)
    assert state(board(rig, rig.workspace.message(FINANCE, root.thread_ts or ""))).startswith(":grey_question:")
    assert len(rig.emails.files) == 1


async def test_unsent_whole_file_is_sent_later(rig: Rig) -> None:
    rig.emails.faults.arm(Fault(FaultKind.TOO_MANY, "process_file"))
    root = await processed(rig, how="whole")
    assert not rig.emails.files
    await rig.pass_time(30)
    assert len(rig.emails.files) == 1
    assert len(files_of_bot(rig, root)) == 1


async def test_failing_address_is_tried_three_times(rig: Rig) -> None:
    rig.emails.faults.arm(Fault(FaultKind.ERROR_500, "check", times=9))
    root = await processed(rig)
    ((_, content, _),) = files_of_bot(rig, root)
    assert [row[3] for row in rows(content)[1:]].count("failed") == 4
    assert "tried 3 times: it answered 500" in content.decode()


@pytest.mark.rig(around={"service_total": 1.0})
async def test_timeout_is_shown_in_the_result(rig: Rig) -> None:
    rig.emails.faults.arm(Fault(FaultKind.SLOW, "check", seconds=5))
    root = await processed(rig)
    ((_, content, _),) = files_of_bot(rig, root)
    assert "no answer" in [row[3] for row in rows(content)[1:]]
    assert "2 answered · 1 no answer" in root.text


async def test_refused_key_pauses_the_list(rig: Rig) -> None:
    key, rig.emails.api_key = rig.emails.api_key, "another"
    root = await processed(rig)
    assert state(root).startswith(":double_vertical_bar: Paused.")
    (told,) = news(rig, root)
    assert told.startswith(f":double_vertical_bar: <@{MARIA}> Paused.")
    assert [button.text for button in root.buttons] == ["Go on", "Stop", "Details"]
    rig.emails.api_key = key
    await rig.click(root, "email.resume")
    root = rig.workspace.message(FINANCE, root.ts)
    assert state(root) == DONE
    assert len(files_of_bot(rig, root)) == 1


@pytest.mark.parametrize("concurrent", ["1", "7", "1000"])
async def test_list_without_credit_pauses_and_continues_where_it_stopped(rig: Rig, concurrent: str) -> None:
    rig.emails.manners.credits = 30
    many = b"email\r\n" + b"".join(b"p%d@example.com\r\n" % n for n in range(100))
    root = await processed(rig, many, concurrent=concurrent)
    answered = sum(call.status == 200 for call in rig.emails.calls)
    assert answered == 30
    assert state(root).startswith(":double_vertical_bar: Paused.")
    assert "30 of 100 addresses checked" in root.text
    assert [button.text for button in root.buttons] == ["Go on", "Stop", "Details"]
    refused = sum(call.status == 402 for call in rig.emails.calls)
    assert 3 <= refused <= 3 + int(concurrent)
    await rig.click(root, "email.resume")
    root = rig.workspace.message(FINANCE, root.ts)
    assert "30 of 100" in root.text, "nothing was paid meanwhile"
    rig.emails.manners.credits = None
    await rig.click(root, "email.resume")
    root = rig.workspace.message(FINANCE, root.ts)
    assert (state(root), "100 of 100 addresses checked" in root.text) == (DONE, True)
    assert set(rig.emails.asked.values()) == {1}, "none is asked twice"
    ((_, content, _),) = files_of_bot(rig, root)
    assert {row[1] for row in rows(content)[1:]} == {"answered"}


@pytest.mark.parametrize("concurrent", ["1", "4"])
async def test_unpermitted_address_has_no_verdict(rig: Rig, concurrent: str) -> None:
    """Nor are some of them, with answers in between: each is asked three times, and the list goes on to its end."""
    rig.emails.manners.forbidden = frozenset(f"p{n}@example.com" for n in range(2, 20, 5))
    many = b"email\r\n" + b"".join(b"p%d@example.com\r\n" % n for n in range(20))
    root = await processed(rig, many, concurrent=concurrent)
    assert sum(call.status == 403 for call in rig.emails.calls) == 12
    assert (state(root), "16 answered · 4 failed · 20 rows" in root.text) == (DONE, True)
    ((_, content, _),) = files_of_bot(rig, root)
    table = rows(content)
    assert [row[1] for row in table[1:]].count("answered") == 16
    (forbidden,) = (row for row in table if row[0] == "p7@example.com")
    assert (forbidden[1], forbidden[-1].partition(":")[0]) == ("failed", "tried 3 times")


async def test_result_has_the_whole_answer(rig: Rig) -> None:
    rig.emails.manners.shape = Shape.DEEP
    root = await processed(rig, b"email\r\nana@example.com\r\nbo@example.com\r\n")
    ((_, content, _),) = files_of_bot(rig, root)
    head, first, _ = rows(content)
    found = dict(zip(head, first, strict=True))
    assert (found["answer: mx.2.host"], found["answer: mx.2.priority"]) == ("mx2.example.com", "20")
    assert found["answer: history.seen.first.year"] == "2024"
    assert found["answer: history.notes"] == ("risky. " * 300).strip()
    assert [found[f"answer: checks.check_{n}"] for n in (59, 60)] == ["false", "true"]
    assert "Long answers are shortened" in await email(rig, "check ana@example.com")


async def test_long_answer_about_a_whole_file_is_whole_in_its_file(rig: Rig) -> None:
    rig.emails.manners.file_shape = FileShape.FIELDS
    root = await processed(rig, how="whole")
    assert "This is shortened; the whole answer is in the thread." in root.text
    ((_, content, _),) = files_of_bot(rig, root)
    table = rows(content)
    assert (table[0], len(table), table[-1]) == (["field", "value"], 31, ["checked_29", "29"])
    assert table[1] == ["note", ("This file was checked. " * 40).strip()]


async def test_service_outage_pauses_the_list(rig: Rig) -> None:
    await rig.emails.stop()
    many = b"email\r\n" + b"".join(b"p%d@example.com\r\n" % n for n in range(500))
    root = await processed(rig, many)
    assert "The e-mail check isn't working right now. Resume in a few minutes." in root.text


async def test_only_the_requester_or_an_admin_stops_a_list(rig: Rig) -> None:
    rig.emails.api_key = "another"
    root = await processed(rig)
    await rig.click(root, "email.stop", user=ZOE)
    assert "Only the person who requested this, or an admin" in rig.workspace.ephemerals(ZOE)[-1].text
    await rig.click(root, "email.stop", user=OLGA)
    root = rig.workspace.message(FINANCE, root.ts)
    assert (state(root).startswith(":octagonal_sign: Stopped."), "3 not asked" in root.text) == (True, True)
    ((_, content, comment),) = files_of_bot(rig, root)
    assert comment.startswith(f"<@{MARIA}> Stopped early: 0 of 3 addresses checked")
    assert [row[3] for row in rows(content)[1:]].count("not asked") == 4
    job = await rig.switchboard.context.store.read(lambda tx: jobs_of(tx, MARIA)[0])
    late = await press(rig.switchboard.context, job.id, Press.RESUME, person=MARIA)
    assert late == (Pressed.TOO_LATE, RunState.STOPPED)


@pytest.mark.parametrize("channel", [FINANCE, RANDOM], ids=["member", "no member"])
async def test_command_form_works_like_the_press(rig: Rig, channel: str) -> None:
    await rig.workspace.slash(MARIA, channel, "/email", "file")
    file_id = rig.workspace.upload(MARIA, "people.csv", LIST)
    await rig.workspace.submit(MARIA, {"file": [file_id]})
    await rig.workspace.until(lambda: (form := rig.workspace.modal(MARIA)) and form.callback_id == "email.list")
    await rig.submit(MARIA, {})
    where = FINANCE if channel == FINANCE else rig.workspace.open_dm(MARIA).id
    root = next(one for one in rig.workspace.messages(where) if "Process e-mails: people.csv" in one.text)
    assert state(root) == DONE
    assert root.thread_ts in (None, "", root.ts)
    if channel == FINANCE:
        assert len(files_of_bot(rig, root)) == 1


async def test_broken_file_is_refused_at_its_field(rig: Rig) -> None:
    await rig.workspace.slash(MARIA, FINANCE, "/email", "file")
    file_id = rig.workspace.upload(MARIA, "people.csv", b"email\n")
    ack = await rig.workspace.submit(MARIA, {"file": [file_id]})
    assert ack.body["errors"] == {
        "file": "The file has column names but no rows. Add at least one row below email,name."
    }


async def test_form_sent_twice_starts_once(rig: Rig) -> None:
    await dropped(rig)
    ack = await rig.workspace.submit(MARIA, {})
    await rig.workspace.resend(ack)
    await rig.settle()
    assert all(count == 1 for count in rig.emails.asked.values())
    jobs = await rig.switchboard.context.store.read(lambda tx: jobs_of(tx, MARIA))
    assert [job.state for job in jobs] == [RunState.DONE]


async def test_list_whose_file_was_deleted_fails(rig: Rig) -> None:
    message = await dropped(rig)
    await rig.workspace.submit(MARIA, {})
    await rig.workspace.delete_file(MARIA, message.files[0])
    await rig.settle()
    assert "Failed. Nothing was checked.\nThis file was deleted." in board(rig, message).text
    assert news(rig, message) == []
