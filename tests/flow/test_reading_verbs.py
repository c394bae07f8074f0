"""The verbs of ``/pay`` that only look, through the real stack: local workspace, simulated service, database."""

import pytest

from bot.domain.content import Block
from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message, View
from bot.playground.workspace.limits import blocks as known_blocks
from bot.playground.workspace.limits.schema import variant
from bot.presentation.blocks.elements import NOTHING
from tests.support.answers import ask
from tests.support.elsewhere import made
from tests.support.rig import ADA, FINANCE, LIN, MARIA, OLGA, Rig
from tests.support.shown import lacking
from tests.workflows.looking import newest, operation

SLACK_SECONDS = 3.0


async def turned(rig: Rig, message: Message, action: str, word: str) -> Message:
    await rig.workspace.click(MARIA, FINANCE, message.ts, f"operations.{action}")

    def found() -> Message | None:
        now = next(one for one in rig.workspace.ephemerals(MARIA) if one.ts == message.ts)
        return now if word in now.text else None

    return await rig.workspace.until(found)


async def form(rig: Rig, word: str, *, user: str = MARIA) -> View:
    def opened() -> View | None:
        view = rig.workspace.modal(user)
        return view if view is not None and word in view.plain else None

    return await rig.workspace.until(opened)


def fill(rig: Rig, count: int) -> list[str]:
    """Payouts that somebody else at the partner made; their ids, newest first."""
    uris = {f"{end}_uri": f"https://elsewhere.example/{end}/secret-of-somebody" for end in ("confirmation", "failure")}
    return [
        made(
            rig, email=f"person{n}@example.com", description=f"number {n}", cents=100 * n + 1, code=f"code-{n}", **uris
        ).id
        for n in range(count)
    ][::-1]


def cells(message: Message) -> list[list[str]]:
    table = next(block for block in message.blocks if block["type"] == "table")
    return [[cell["text"] if "text" in cell else instant(cell) for cell in row] for row in table["rows"]]


def instant(cell: Block) -> str:
    [date] = cell["elements"][0]["elements"]
    return f"{date['timestamp']} {date['format']} {date['fallback']}"


def references(message: Message) -> list[str]:
    return [row[-1] for row in cells(message)[1:]]


@pytest.mark.rig(on="both")
async def test_list_is_a_table_with_equal_text(rig: Rig) -> None:
    fill(rig, 3)
    await rig.pay()
    told = await ask(rig, "list")
    head, *rows = cells(told)
    assert head == ["Created", "Type", "Amount", "Person", "Status", "Provider status", "Reference"]
    reference = (await newest(rig)).reference
    assert rows[0][1:] == ["payout", "$25.00", "ana@example.com", "waiting for approval", "created", reference]
    assert rows[0][0] == "1795165200 {date_short_pretty} {time} 2026-11-20 09:00 UTC", "in the reader's own zone"
    assert rows[1][1:6] == ["payout", "$2.01", "person2@example.com", "created, not sent", NOTHING]
    assert len(rows) == 4
    for row in rows:
        assert all(cell in told.text for cell in row[1:] if cell != NOTHING)
    assert told.text.splitlines()[0] == "*Operations* 1 to 4 of 4"
    assert [button.text for button in told.buttons] == ["Send as CSV"]


@pytest.mark.parametrize("ended", ["rejected", "failed"])
async def test_ended_request_is_not_listed_as_created(rig: Rig, ended: str) -> None:
    await rig.pay()
    if ended == "rejected":
        await rig.reject()
    else:
        rig.payments.faults.arm(Fault(FaultKind.REFUSED, operation="commit_payout"))
        await rig.press("approve")
    told = await ask(rig, "list")
    assert cells(told)[1][4:6] == [ended, "created"]
    assert f"· {ended} (provider: created) ·" in told.text
    assert "not sent" not in told.text


async def test_nothing_of_any_callback_address_is_shown(rig: Rig) -> None:
    [foreign] = fill(rig, 1)
    await rig.pay()
    for text in ("list", f"show {foreign}", f"show {operation(rig).code}", f"events {foreign}"):
        told = await ask(rig, text)
        everything = f"{told.text} {told.blocks}"
        assert [one for one in ("secret-of-somebody", "callbacks/", "://") if one in everything] == []


async def test_sixty_operations_are_paged_in_one_answer(rig: Rig) -> None:
    ids = fill(rig, 60)
    told = await ask(rig, "list payouts")
    seen = references(told)
    assert [button.text for button in told.buttons] == ["Next", "Send as CSV"]
    for page in range(2, 7):
        told = await turned(rig, told, "next", f"page {page} of 6")
        seen += references(told)
    assert seen == ids
    assert [button.text for button in told.buttons] == ["Previous", "Send as CSV"]
    told = await turned(rig, told, "previous", "page 5 of 6")
    assert [button.text for button in told.buttons] == ["Previous", "Next", "Send as CSV"]
    assert references(told) == ids[40:50]
    assert len(rig.workspace.ephemerals(MARIA)) == 1


async def test_each_list_and_page_can_be_named(rig: Rig) -> None:
    ids = fill(rig, 25)
    for text in ("list payouts 3", "list 3", "LIST Payouts 3"):
        assert references(await ask(rig, text)) == ids[20:]
    assert "No purchases yet" in (await ask(rig, "list purchases")).text
    assert (await ask(rig, "list payouts")).text.startswith("*Payouts* 1 to 10 of 25")
    told = await ask(rig, "list 9")
    assert "only 3 pages of operations" in told.text
    assert references(await turned(rig, told, "previous", "page 3 of 3")) == ids[20:]


async def test_statuses_are_read_in_any_case_and_unknown_ones_shown(rig: Rig) -> None:
    ids = fill(rig, 4)
    for operation_id, status in zip(ids, ("CANCELLED", "Completed", "Under_Review", "pending"), strict=True):
        rig.payments.operations[operation_id].status = status
    rig.payments.switches.mixed_case = False
    told = await ask(rig, "list")
    assert [row[4] for row in cells(told)[1:]] == ["canceled", "paid", "Under_Review", "waiting for sign-up"]
    assert (await ask(rig, f"show {ids[2]}")).text.splitlines()[3] == "Status: Under_Review"


@pytest.mark.parametrize("switch", ["ignore_get_body", "refuse_get_body", "ignore_query"])
async def test_proxy_dropping_body_or_query_changes_nothing(rig: Rig, switch: str) -> None:
    ids = fill(rig, 25)
    setattr(rig.payments.switches, switch, True)
    told = await ask(rig, "list payouts 2")
    assert references(told) == ids[10:20]


async def test_unrequested_page_is_never_shown(rig: Rig) -> None:
    fill(rig, 25)
    told = await ask(rig, "list")
    rig.payments.switches.ignore_get_body = rig.payments.switches.ignore_query = True
    await rig.workspace.click(MARIA, FINANCE, told.ts, "operations.next")
    trouble = await rig.workspace.until(
        lambda: one if "admin" in (one := rig.workspace.ephemerals(MARIA)[-1]).text else None
    )
    assert "sent page 1 of the list instead of page 2" in trouble.text
    assert rig.workspace.ephemerals(MARIA)[0].text == told.text  # the first answer stays as it was
    assert (await ask(rig, "list 2")).text == trouble.text


async def test_workspace_without_table_blocks_gets_lines(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    older = {kind: check for kind, check in known_blocks.BLOCKS.items() if kind not in ("table", "alert")}
    monkeypatch.setitem(known_blocks._CHECKS, "message", variant(older))
    ids = fill(rig, 12)
    told = await ask(rig, "list")
    assert [block["type"] for block in told.blocks] == ["section", "section", "context", "actions"]
    assert ids[0] in told.plain.removeprefix(told.text)
    told = await turned(rig, told, "next", "page 2 of 2")
    assert ids[11] in told.plain.removeprefix(told.text)
    assert len(rig.workspace.ephemerals(MARIA)) == 1


async def test_next_page_is_posted_if_the_first_answer_is_gone(rig: Rig) -> None:
    fill(rig, 12)
    told = await ask(rig, "list")
    rig.workspace.faults.arm(Fault(FaultKind.LOST, operation="response_url"))
    await rig.workspace.click(MARIA, FINANCE, told.ts, "operations.next")
    await rig.workspace.until(lambda: "page 2 of 2" in rig.workspace.ephemerals(MARIA)[-1].text)
    assert len(rig.workspace.ephemerals(MARIA)) == 2


async def test_show_lists_the_history_of_a_request(rig: Rig) -> None:
    await rig.pay("send ana@example.com 2500.00 Rent")
    for person in (ADA, LIN):
        await rig.press("approve", user=person)
        await rig.submit(person, {"amount": "2500.00"})
    await rig.payments.advance()
    await rig.pass_time(60)
    asked = await newest(rig)
    assert asked.state is State.COMPLETED
    for name in (asked.reference, asked.reference.lower(), asked.code, asked.remote_id):
        told = await ask(rig, f"show {name}")
        _, timeline = told.text.split("*History*\n")
        said = [line.split(">  ", 1)[1] for line in timeline.splitlines()]
        assert said[0] == f"<@{MARIA}> requested $2,500.00 to Ana Maria Lopez (ana@example.com)."
        assert said[3] == f"<@{ADA}> approved (1 of 2)."
        assert said[4] == f"<@{LIN}> approved (2 of 2)."
        assert said[-1] == "Provider status: completed."
        assert not told.buttons
        assert timeline in told.plain.removeprefix(told.text)


async def test_unknown_operation_is_shown_from_the_service(rig: Rig) -> None:
    [foreign] = fill(rig, 1)
    told = await ask(rig, f"show {foreign}")
    assert not lacking(
        told.text,
        "*$0.01 to person0@example.com*",
        "For: number 0",
        "Status: created, not sent",
        "Code: code-0",
        "Not requested here",
    )
    assert told.plain.count(foreign) == 2


async def test_payout_without_known_id_is_found_by_code(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.DONE_DROPPED, operation="create_payout"))
    await rig.pay()
    asked = await newest(rig)
    assert (asked.state, asked.remote_id) == (State.CREATE_UNKNOWN, None)
    assert references(await ask(rig, "list")) == [asked.reference]
    assert (await ask(rig, f"show {operation(rig).id}")).text == (await ask(rig, f"show {asked.reference}")).text


async def test_unknown_operation_is_a_mistake_with_the_words_of_the_service(rig: Rig) -> None:
    unknown = ("P-999999", "nonsense", "../partners", "a/b?c#d", "x" * 300, "op-nowhere")
    for text in (*(f"show {name}" for name in unknown), "events op-nowhere", f"events {'0' * 24}"):
        told = (await ask(rig, text)).text
        assert told.startswith(":pencil2: I can't find ")
        assert "Check the reference, or see `/pay list`." in told
        assert "op-nowhere" not in text or "“There is no such operation”" in told


async def test_provider_calls_are_shown_as_lines(rig: Rig) -> None:
    await rig.pay()
    asked = await newest(rig)
    assert "No webhooks delivered" in (await ask(rig, f"events {asked.reference}")).text
    await rig.press("approve")
    await rig.payments.advance()
    await rig.payments.delivered()
    for name in (asked.reference, asked.remote_id):
        told = (await ask(rig, f"events {name}")).text
        assert told.startswith("*1 webhook delivered for ")
        assert f"confirmation · to 127.0.0.1 · answered 200 · operation_id: {asked.remote_id}" in told


async def test_own_purchase_is_listed_and_shown(rig: Rig) -> None:
    fill(rig, 1)
    await rig.pay('collect ana@example.com "Course fees" book=2x12.50')
    asked = await newest(rig)
    told = await ask(rig, "list purchases")
    assert cells(told)[1][1:5] == ["purchase", "$25.00", "ana@example.com", "waiting for payment"]
    assert cells(told)[1][5:] == ["created", asked.reference]
    assert "(2 × book at 12.50)" in (await ask(rig, f"show {asked.reference}")).text
    assert "is a purchase" in (await ask(rig, f"events {asked.reference}")).text
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, operation="account_status", times=None))
    await rig.pay()
    assert "isn't created at the provider yet" in (await ask(rig, f"events {(await newest(rig)).reference}")).text


async def test_account_status_is_in_plain_words(rig: Rig) -> None:
    told = (await ask(rig, "account joana.silva@example.com")).text
    assert told.splitlines()[1:] == [
        "Registered name: Joana Silva",
        "Account: active, verified, not the primary address",
        "Country: Brazil",
    ]
    assert "Account: not active" in (await ask(rig, "account nobody@example.com")).text


async def test_form_shows_answer_and_errors_itself(rig: Rig) -> None:
    await rig.workspace.slash(MARIA, FINANCE, "/pay", "account")
    await form(rig, "E-mail address")
    await rig.workspace.submit(MARIA, {"email": "ana@example"}, force=True)
    view = rig.form()
    assert "isn't an e-mail address" in view.errors["email"]
    await rig.workspace.submit(MARIA, {"email": "ana@example.com"})
    view = await form(rig, "Ana Maria Lopez")
    assert (view.title, view.submit) == ("Check an account", "")
    assert not rig.workspace.ephemerals(MARIA)


async def test_form_shows_a_late_long_answer(rig: Rig) -> None:
    await rig.pay()
    await rig.press("approve")
    await rig.payments.advance()
    await rig.payments.delivered()
    asked = await newest(rig)
    rig.payments.deliveries.extend([rig.payments.deliveries[-1]] * 60)  # type: ignore[attr-defined]  # it is a list
    arm_slow(rig, "payout_events")
    await rig.workspace.slash(MARIA, FINANCE, "/pay", "events")
    await rig.workspace.submit(MARIA, {"payout": asked.reference})
    view = await form(rig, "*61 webhooks delivered for ")
    assert len(view.blocks) == 2


@pytest.mark.parametrize("user", [ADA, OLGA])
async def test_balance_is_for_approvers_and_admins(rig: Rig, user: str) -> None:
    told = (await ask(rig, "partner", user=user)).text
    assert not lacking(
        told, "Balance: 100000.00 USD", "E-mail: partner@example.com", "plan.seats: 5", "plan.secret: •••"
    )
    assert (await ask(rig, "partner", user=MARIA)).text.startswith(":no_entry_sign:")
    assert len(rig.payments.calls_of("partner")) == 1


def arm_slow(rig: Rig, name: str) -> None:
    rig.payments.faults.arm(Fault(FaultKind.SLOW, operation=name, seconds=0.8))


@pytest.mark.parametrize(
    ("text", "name", "word"),
    [
        ("list", "list_operations", "1 to 1 of 1"),
        ("account ana@example.com", "account_status", "Ana Maria Lopez"),
        ("events {id}", "payout_events", "No webhooks delivered for"),
        ("show {id}", "get_operation", "person0@example.com"),
    ],
)
@pytest.mark.rig(around={"handler_moment": 0.3})
async def test_slow_service_is_awaited_after_the_ack(rig: Rig, text: str, name: str, word: str) -> None:
    [known] = fill(rig, 1)
    arm_slow(rig, name)
    ack = await rig.workspace.slash(MARIA, FINANCE, "/pay", text.format(id=known))
    assert ack.ok
    assert ack.seconds < SLACK_SECONDS
    assert "Asking Payments…" in rig.workspace.ephemerals(MARIA)[-1].text
    told = await rig.workspace.until(lambda: one if word in (one := rig.workspace.ephemerals(MARIA)[-1]).text else None)
    assert told.channel == FINANCE
    assert len(rig.workspace.ephemerals(MARIA)) == 2


@pytest.mark.rig(around={"handler_moment": 0.3})
async def test_closed_form_gets_no_late_answer(rig: Rig) -> None:
    arm_slow(rig, "account_status")
    await rig.workspace.slash(MARIA, FINANCE, "/pay", "account")
    await rig.workspace.submit(MARIA, {"email": "ana@example.com"})
    await rig.workspace.close(MARIA)
    await rig.workspace.until(lambda: any(call.method == "views.update" for call in rig.workspace.calls))
    assert rig.workspace.modal(MARIA) is None
    assert not rig.workspace.ephemerals(MARIA)


@pytest.mark.rig(around={"handler_moment": 0.3})
async def test_waiting_people_are_asked_to_retry_at_stop(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.SLOW, operation="account_status", seconds=60))
    await rig.workspace.slash(MARIA, FINANCE, "/pay", "account ana@example.com")
    await rig.switchboard.stop()
    assert "is restarting" in rig.workspace.ephemerals(MARIA)[-1].text


async def test_show_adds_the_current_record_of_the_service(rig: Rig) -> None:
    await rig.pay()
    asked = await newest(rig)
    await rig.press("approve")
    await rig.payments.advance()
    told = (await ask(rig, f"show {asked.reference}")).text.partition("*Provider record*")[2]
    labels = ("Status: paid", f"Code: {asked.code}", "Hash: ", "Platform operation: ", "Platform user: ", "Partner: ")
    assert not lacking(told, *(f"\n{label}" for label in labels))
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "get_operation"))
    told = (await ask(rig, f"show {asked.reference}")).text
    assert "Above is the last known state." in told
