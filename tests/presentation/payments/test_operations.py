"""What the service holds, shown: within Slack's limits whatever stands in it, and nothing in it does anything."""

from datetime import UTC, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from bot.domain.audit import Entry, VerifiedRow
from bot.domain.content import Content
from bot.domain.money import Cents
from bot.domain.payments.instruction import Instruction, State, Vote
from bot.domain.payments.operation import AccountStatus, Operation, OperationPage, Partner, PayoutEvent
from bot.playground.workspace.limits.blocks import TABLE_CHARACTERS, sum_of_texts
from bot.presentation import answers, views
from bot.presentation.audit import with_timeline
from bot.presentation.payments import answers as payment_answers
from bot.presentation.payments import forms, operations
from tests.domain.made import NOW, instruction
from tests.presentation import drawn
from tests.presentation.checks import calls_in, check_message, check_view, lines_of, seen, text_objects

MOMENTS = st.none() | st.datetimes(timezones=st.just(UTC))
CENTS = st.none() | st.integers(min_value=0, max_value=99_999_999_999_999).map(Cents)

OPERATIONS = st.builds(
    Operation, id=drawn.foreign(), status=st.sampled_from(["created", "COMPLETED", "Cancelled"]) | drawn.foreign(),
    cents=CENTS, description=drawn.foreign(),
    operation_type=st.sampled_from(["", "payout", "purchase"]) | drawn.foreign(),
    **dict.fromkeys(("code", "email", "svc_hash", "failure_reason"), st.none() | drawn.foreign()),
    **dict.fromkeys(("created_at", "updated_at"), MOMENTS),
)  # fmt: skip
EVENTS = st.builds(
    PayoutEvent,
    at=MOMENTS,
    **dict.fromkeys(("kind", "host", "status"), st.just("") | drawn.foreign(500)),
    rest=st.lists(st.tuples(drawn.foreign(500), drawn.foreign(500)), max_size=40).map(tuple),
)
FLAGS = st.none() | st.booleans()
ACCOUNTS = st.builds(
    AccountStatus, full_name=drawn.foreign(), active=FLAGS, verified=FLAGS, primary=FLAGS, country=drawn.foreign(),
    status=drawn.foreign(),
)  # fmt: skip
PARTNERS = st.builds(
    Partner,
    balance=st.none() | st.integers(min_value=-(10**14), max_value=10**14).map(Cents),
    **dict.fromkeys(("id", "name", "email", "currency", "balance_text"), drawn.foreign()),
)


@st.composite
def pages(draw: st.DrawFn) -> OperationPage:
    return OperationPage(
        operations=tuple(draw(st.lists(OPERATIONS, max_size=14))),
        page=draw(st.integers(min_value=1, max_value=10**12)),
        last_page=draw(st.integers(min_value=0, max_value=10**12)),
        per_page=10,
        total=draw(st.integers(min_value=0, max_value=10**12)),
        first=draw(st.none() | st.integers(min_value=0, max_value=10**12)),
        last=draw(st.none() | st.integers(min_value=0, max_value=10**12)),
    )


def check(content: Content, *, longest: int = 4_000) -> None:
    """Every shape of it is one Slack takes; of calls there are dates alone."""
    for blocks in (content.blocks, content.plainer):
        shape = Content(text=content.text, blocks=blocks)
        check_message(shape, longest=longest)
        assert all(call.startswith("!date^") for call in calls_in(shape)), calls_in(shape)
        assert sum_of_texts(list(blocks), "table") <= TABLE_CHARACTERS
        assert sum(block["type"] == "table" for block in blocks) <= 1


@given(pages(), st.sampled_from([None, "payout", "purchase"]), st.booleans())
def test_lists(page: OperationPage, operation_type: str | None, is_ours: bool) -> None:
    ours = {one.id: instruction() for one in page.operations} if is_ours else {}
    content = operations.listing(page, ours, operation_type=operation_type, command="/pay")
    check(content)
    for block in content.blocks:
        if block["type"] == "table":
            assert all(cell.get("text", "in the reader's zone").strip() for row in block["rows"] for cell in row)
    pressed = [element for block in content.blocks for element in block.get("elements", []) if "value" in element]
    for button in pressed:
        if button["action_id"] == "csv.operations":
            continue
        which, _, number = button["value"].partition(":")
        assert which == f"{operation_type or ''}@10"
        assert 1 <= int(number) <= max(page.last_page, page.page + 1)


@given(OPERATIONS)
def test_records(operation: Operation) -> None:
    check(operations.record(operation))


@given(drawn.foreign(), st.lists(EVENTS, max_size=60))
def test_events(named: str, found: list[PayoutEvent]) -> None:
    check(operations.events(named, found))
    check(operations.not_created(named))


@given(ACCOUNTS, st.sampled_from(["ana@example.com", f"{'x' * 60}@{'y' * 55}.com"]))
def test_accounts(found: AccountStatus, email: str) -> None:
    content = operations.account(email, found)
    check(content)
    check_view(views.result(forms.ACCOUNT_TITLE, content.blocks))


@given(PARTNERS)
def test_partners(found: Partner) -> None:
    check(operations.partner(found))


@given(drawn.foreign())
def test_troubles(said: str) -> None:
    check(answers.trouble(said or "x"))
    check_view(views.notice("Switchboard", answers.trouble(said or "x").text))


ENTRIES = st.builds(
    Entry, at=st.just(NOW), instruction_id=st.just("01KAGT00000000000000000000"),
    actor=st.sampled_from(["U0MARIA", "switchboard"]),
    action=st.sampled_from(["requested", "approve", "rejected", "observed"]), before=st.just("awaiting"),
    after=st.just("awaiting"), detail=st.fixed_dictionaries({"reason": drawn.KEPT_REASONS, "status": drawn.foreign()}),
)  # fmt: skip
ROWS = st.builds(
    VerifiedRow, seq=st.integers(min_value=1, max_value=99), entry=st.none() | ENTRIES, is_intact=st.booleans()
)


@given(drawn.instructions() | drawn.purchases_drawn(), drawn.votes(), st.lists(ROWS, max_size=80), st.booleans())
def test_a_card_with_its_timeline(one: Instruction, cast: list[Vote], rows: list[VerifiedRow], complete: bool) -> None:
    card = payment_answers.shown_to(one, cast, approvals_channel=drawn.APPROVALS)
    content = with_timeline(card, one, rows, is_complete=complete)
    check_message(content, longest=drawn.WHOLE_ANSWER)
    assert len(content.text) + sum(len(text["text"]) for text in text_objects(list(content.blocks))) < 24_000
    seconds = {call for call in calls_in(content) if "time_secs" in call}
    assert calls_in(content) - seconds <= drawn.ours(cast) | {"@U0MARIA"}


# words


def page(**changes: object) -> OperationPage:
    one = Operation(id="op-1", status="COMPLETED", cents=Cents(2500), email="ana@example.com", created_at=NOW)
    values = {"operations": (one,), "page": 2, "last_page": 3, "per_page": 1, "total": 3, "first": 2, "last": 2}
    return OperationPage.model_validate({**values, **changes})


@pytest.mark.parametrize(
    ("first", "last", "said"), [(2, 3, " 2 to 3 of 3"), (2, None, ", 3 in all"), (None, 3, ", 3 in all")]
)
def test_time_span_shows_both_ends(first: int | None, last: int | None, said: str) -> None:
    one = page(page=1, last_page=1, first=first, last=last)
    text = operations.listing(one, {}, operation_type=None, command="/pay").text
    assert text.splitlines()[0] == f"*Operations*{said}"


def test_surplus_items_of_a_service_are_cut_and_reported() -> None:
    many = tuple(Operation(id=f"op-{number}", status="created") for number in range(30))
    content = operations.listing(page(operations=many), {}, operation_type="payout", command="/pay")
    [table] = [block for block in content.blocks if block["type"] == "table"]
    assert len(table["rows"]) == 11
    assert content.text.splitlines()[-2:] == snapshot(["Showing 10 of 30.", "Details: `/pay show` and the reference"])


def test_missing_account_fields_are_named_as_missing() -> None:
    told = (
        operations.account("ana@example.com", AccountStatus(status="On_Hold")),
        operations.partner(Partner(id="7")),
        operations.partner(Partner(id="7", balance_text="lots")),
        operations.partner(
            Partner(id="7", balance=Cents(-1234), currency="EUR", name="Acme", email="pay@acme.example")
        ),
    )
    assert lines_of([one.text for one in told]) == snapshot("""\
*ana@example.com* ⏎ Registered name: unknown ⏎ Account: active: not known, verified: not known, primary address: not \
known ⏎ \
Provider status: On_Hold ⏎ Country: unknown
*Our account* ⏎ Balance: unknown ⏎ Currency: unknown ⏎ E-mail: unknown ⏎ Id: 7 ⏎ Only approvers and admins see this.
*Our account* ⏎ Balance: lots ⏎ Currency: unknown ⏎ E-mail: unknown ⏎ Id: 7 ⏎ Only approvers and admins see this.
*Acme* ⏎ Balance: -12.34 EUR ⏎ E-mail: pay@acme.example ⏎ Id: 7 ⏎ Only approvers and admins see this.\
""")


def test_latest_calls_are_listed_in_order() -> None:
    found = [
        PayoutEvent(at=NOW + timedelta(minutes=number), kind=f"kind {number}", host="us.example", status="500")
        for number in range(60)
    ]
    head, *lines = operations.events("P-4F7K2M", found).text.splitlines()
    assert head == snapshot("*60 webhooks delivered for P-4F7K2M*, the last 31")
    assert int(head.rsplit(" ", 1)[1]) == len(lines)
    assert [line.split(" · ")[1] for line in (lines[0], lines[-1])] == [f"kind {60 - len(lines)}", "kind 59"]


def test_call_of_unknown_form_is_shown_raw() -> None:
    found = PayoutEvent(rest=(("attempt", "3"), ("outcome", "gave up")))
    assert operations.events("P-1", [found]).text == snapshot("""\
*1 webhook delivered for P-1*
• attempt: 3, outcome: gave up\
""")


def test_status_on_the_card_is_not_repeated() -> None:
    one = instruction(state=State.COMMITTED, commits=1, remote_status="On <Hold>")
    card = payment_answers.shown_to(one, [], approvals_channel=drawn.APPROVALS)
    for status, times in (("On <Hold>", 1), ("Parked", 1), ("COMMITTED", 0)):
        shown = seen(operations.with_record(card, Operation(id="652f", status=status, operation_type="payout")))
        assert shown.replace("&lt;", "<").replace("&gt;", ">").count(status) == times, shown
