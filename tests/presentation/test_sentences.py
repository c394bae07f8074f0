"""Sentences of the operator's answers: recovery, services, what is under way, mistakes; and where they are cut."""

from datetime import timedelta

from inline_snapshot import snapshot

from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.outcome import NotExecuted, Unknown
from bot.domain.overview import Assumption, Counts, Overview, Running, ServiceStatus, UnderWay, What
from bot.domain.payments.instruction import Kind
from bot.domain.reasons import Exchange, Reason
from bot.presentation import notices, overview, reasons
from tests.domain.made import NOW
from tests.presentation.checks import lines_of, seen
from tests.support.reasons import own_words


def test_resume_report_names_missing_rows() -> None:
    assert notices.report(NOW, ["payments.commit_payout x"]) == snapshot(
        [
            "Frozen since 2026-11-20 09:00 UTC: the database is older than what was sent.",
            "Sent before, and not in this database; check it in the provider's dashboard:",
            "  payments.commit_payout x",
        ]
    )
    assert len(notices.report(NOW, [])) == 1


def test_at_most_twenty_requests_to_check_are_named() -> None:
    def resumed(count: int) -> str:
        check = [f"P-{number}" for number in range(count)]
        return notices.notice({"topic": "resumed", "reason": "looked", "check": check}).text

    assert resumed(0) == snapshot(":sunny: *Payments are unfrozen*: an operator resumed them. Looked.")
    assert resumed(20).endswith("P-18, P-19.")
    assert resumed(22).endswith("P-18, P-19 and 2 more.")


def test_lines_of_the_anchors_that_were_changed() -> None:
    changed = {"topic": "anchors_changed", "lines": [2, 3], "count": 2, "file": "a.anchors"}
    assert notices.notice(changed).text == snapshot("""\
:rotating_light: *Action needed: the anchor file was modified*: line 2, 3 of `a.anchors` was changed or isn't ours. \
Run `switchboard audit verify`.
Freeze payments, and keep the database and the file as they are.\
""")
    assert "line 2, 3 and 1 more of" in notices.notice({**changed, "count": 3}).text


NO_ANSWER = Reason(Exchange.NO_ANSWER, failure="timed out")


def answer(status: int) -> Reason:
    return Reason(Exchange.ANSWERED, status=status)


def test_each_service_failure_is_one_sentence() -> None:
    found = [
        reasons.sentence(trouble)
        for trouble in (
            ServiceNow("payments", NO_ANSWER),
            ServiceNow("payments", Reason(Exchange.TOO_MANY), retry_after=5),
            ServiceNow("payments", answer(503), retry_after=119.5, words="we are closed"),
            ServiceNow("payments", Reason(Exchange.ASKS_TO_WAIT), retry_after=120),
            ServiceNow("payments", Reason(Exchange.LIST_CHANGED), retry_after=0.5),
            ServiceNever("payments", Reason(Exchange.NOT_LEFT, failure="not connected"), status=400),
            ServiceNever("payments", Reason(Exchange.REFUSED, status=None, fields=())),
            ServiceNever("payments", answer(422), status=422, words="The limit is reached!"),
            OperatorError("PAYMENTS_BASE_URL is missing", mend="set it"),
            OperatorError("it refuses the key", service="payments", words="bad key"),
            NotExecuted(reason=answer(503), again=True, retry_after=30.0),
            NotExecuted(reason=answer(422), again=False, words="the limit is reached"),
            NotExecuted(reason=answer(422), again=False),
            Unknown(reason=NO_ANSWER),
            Unknown(reason=own_words("odd")),
        )
    ]
    assert lines_of(found) == snapshot("""\
Couldn't reach Payments. Try again in a minute.
Payments is too busy. Try again in 5 s.
Payments is having problems, saying “we are closed”. Try again in 120 s.
Payments is too busy. Try again in 2 minutes.
Payments' list changed while we read it. Try again in a minute.
Couldn't reach Payments. Check what you entered.
Payments rejected the request.
Payments: The limit is reached!
An admin has to fix this: PAYMENTS_BASE_URL is missing; set it.
An admin has to fix this: payments: it refuses the key, saying “bad key”.
Payments is having problems. Nothing was done. Try again in 30 s.
Payments: the limit is reached. Nothing was done.
Payments gave no clear answer. Nothing was done.
Couldn't reach Payments. It's not confirmed yet whether this was done. We're checking. Don't do it again.
Payments: odd. It's not confirmed yet whether this was done. We're checking. Don't do it again.\
""")
    quiet = [reasons.sentence(ServiceNow("payments", own_words("odd")), advice=False)]
    quiet.append(reasons.sentence(ServiceNever("payments", own_words("odd"), status=400), advice=False))
    assert quiet == snapshot(["Payments: odd.", "Payments: odd."])
    assert reasons.to_set(["A", "B"]) == "an admin has to set `A`, `B`"
    assert reasons.to_set(["A"], code=False) == "an admin has to set A"


KINDS = ("payout", "one_step", "purchase", "bulk", "bulk_cancel")


def whole(**changes: object) -> Overview:
    requests = {(kind, "awaiting"): 1 for kind in KINDS} | {("payout", "odd"): 2, ("odd", "awaiting"): 1}
    jobs = {("email.run", "running"): 1, ("email.file", "running"): 1, ("localization.media", "handing_over"): 1}
    bookings = dict.fromkeys(("new", "sending", "unknown", "lost", "waiting", "open", "odd_one"), 1)
    values = {
        "services": [
            ServiceStatus(name="payments", missing=()),
            ServiceStatus(name="localization", missing=("LOCALIZATION_API_KEY",)),
            ServiceStatus(name="delivery", missing=(), silent_since=NOW),
        ],
        "under_way": Counts(requests=requests, jobs=jobs | {("localization.text", "waiting"): 2}, bookings=bookings),
        "oldest": {
            "messages": None,
            "callbacks": NOW - timedelta(seconds=60),
            "webhooks": NOW - timedelta(seconds=61),
            "files": NOW + timedelta(seconds=1),
        },
        "frozen": None,
        "blocking": 1,
    }
    return Overview(**{**values, **changes})  # type: ignore[arg-type]


def test_status_shows_services_and_work() -> None:
    assert overview.status(whole(), command="/sb-switchboard", now=NOW).text == snapshot("""\
*Services*
:white_circle: Payments: set up, not called yet
:white_circle: Content localization: not set up, an admin has to set `LOCALIZATION_API_KEY`
:red_circle: Delivery booking: no answer since <!date^1795165200^{date_short_pretty} {time}|2026-11-20 09:00 UTC>. \
Nothing is sent until it answers.
*In progress*
• 2 payouts: 2 waiting for approval
• 1 purchase: 1 waiting for approval
• 1 bulk payment: 1 waiting for approval
• 1 cancellation: 1 waiting for approval
• 3 localization calls: 1 in progress, 2 queued
• 2 lists of addresses: 2 in progress
• 7 bookings: 2 being booked, 1 in progress, 1 not confirmed yet, 1 not found, 1 odd one, 1 waiting for the address
• :warning: 3 rows can't be read: see the alerts channel
*Queues*
• Slack messages: no backlog
• Payment callbacks: the oldest waits 1 minute
• :warning: Delivery webhooks: the oldest waits 1 minute
• Dropped files: the oldest waits 0 seconds
:warning: 1 money route is unconfirmed: `/sb-switchboard routes`
Details: `/sb-switchboard jobs`\
""")
    assert "2 money routes are unconfirmed" in overview.status(whole(blocking=2), command="/x", now=NOW).text


def running(what: Kind | What, state: str, *, requester: str = "U0MARIA", channel: str = "C0FINANCE") -> Running:
    return Running(what=what, name="it", state=state, requester=requester, channel=channel, since=NOW)


def test_work_in_progress_is_listed() -> None:
    rows = [running(kind, "awaiting") for kind in Kind if kind is not Kind.ONE_STEP]
    rows += [
        running(what, state)
        for what, state in zip(What, ("handing_over", "running", "running", "ACCEPTED"), strict=True)
    ]
    rows += [running(What.BOOKING, "ACCEPTED", requester="", channel="D0MARIA")]
    assert seen(overview.jobs(UnderWay(rows=rows, total=len(rows)))) == snapshot("""\
*9 in progress*, oldest first
• *Payout* it: Waiting for approval, by <@U0MARIA> in <#C0FINANCE>, 2026-11-20 09:00 UTC
• *Purchase* it: Waiting for approval, by <@U0MARIA> in <#C0FINANCE>, 2026-11-20 09:00 UTC
• *Bulk payment* it: Waiting for approval, by <@U0MARIA> in <#C0FINANCE>, 2026-11-20 09:00 UTC
• *Cancellation* it: Waiting for approval, by <@U0MARIA> in <#C0FINANCE>, 2026-11-20 09:00 UTC
• *Localization call* it: In progress, by <@U0MARIA> in <#C0FINANCE>, 2026-11-20 09:00 UTC
• *List of addresses* it: In progress, by <@U0MARIA> in <#C0FINANCE>, 2026-11-20 09:00 UTC
• *Check of a payment file* it: In progress, by <@U0MARIA> in <#C0FINANCE>, 2026-11-20 09:00 UTC
• *Booking* it: Driver on the way to the store, by <@U0MARIA> in <#C0FINANCE>, 2026-11-20 09:00 UTC
• *Booking* it: Driver on the way to the store, made outside of Switchboard, 2026-11-20 09:00 UTC
[Send as CSV]""")
    assert overview.jobs(UnderWay(rows=[], total=0)).text == ":zzz: Nothing in progress."


def test_at_most_25_items_in_progress_are_named() -> None:
    def last(count: int, total: int) -> str:
        rows = [running(Kind.PAYOUT, "awaiting")] * count
        return overview.jobs(UnderWay(rows=rows, total=total)).text.splitlines()[-1]

    assert last(25, 25).startswith("• *Payout*")
    assert last(25, 40) == snapshot("and 15 more")
    assert last(26, 26) == snapshot("and 1 more")


def test_routes_that_are_assumed() -> None:
    def route(name: str, mark: str, *, blocks: bool) -> Assumption:
        return Assumption(name=name, method="POST", path="/x", mark=mark, blocks=blocks)

    found = [route("a.b", "A1", blocks=False), route("c.d", "A2", blocks=True), route("e.f", "A3", blocks=False)]
    assert overview.assumptions([*found, route("g.h", "A9", blocks=False)]).text == snapshot("""\
*4 API routes are unconfirmed*; 1 moves money and is blocked in production.
To confirm one, an admin adds it to SERVICES_FILE: `[payments.commit_payout] confirmed = true`
• `c.d` POST `/x`: medium confidence, *moves money*
• `a.b` POST `/x`: high confidence
• `e.f` POST `/x`: low confidence
• `g.h` POST `/x`: A9""")
    leads = [overview.assumptions(some).text.splitlines()[0] for some in (found[:1], found[::2], [])]
    assert lines_of(leads) == snapshot("""\
*1 API route is unconfirmed*.
*2 API routes are unconfirmed*.
:white_check_mark: Every API route is documented or confirmed.\
""")


def named(name: str) -> list[str]:
    """What a stopped row of each table is called."""
    found = []
    for what in (*notices._WHAT, "of_tomorrow"):
        text = notices.notice({"topic": "stopped", "number": "0badcafe", "what": what, "name": name}).text
        found.append(text.partition("needed: the ")[2].partition(" is stopped")[0])
    return found


def test_stopped_rows_are_reported_by_table() -> None:
    assert ", ".join(named("P-4F7K2M")) == snapshot("""\
request P-4F7K2M, callback of P-4F7K2M, message about P-4F7K2M, tracked operation P-4F7K2M, job P-4F7K2M, dropped \
file P-4F7K2M, booking P-4F7K2M, webhook of a store P-4F7K2M, card P-4F7K2M, store P-4F7K2M, vote on request \
P-4F7K2M, attempt of request P-4F7K2M, item of request P-4F7K2M, callback address of request P-4F7K2M, list of \
addresses P-4F7K2M, webhook address of a store P-4F7K2M, setting P-4F7K2M, unreadable answer of P-4F7K2M, of_tomorrow \
P-4F7K2M""")
    assert [word for word in named("") if word.endswith((" of", " about"))] == []


def test_unreadable_row_is_shown_as_such() -> None:
    row = {"topic": "unreadable", "what": "vote", "name": "P-4F7K2M", "number": "0badcafe", "column": "person"}
    assert seen(notices.notice(row)) == snapshot("""\
:octagonal_sign: *Action needed: a database row can't be read*: the vote on request P-4F7K2M, column `person`. \
Nothing is sent or read for it. Everything else continues.
It was damaged or forged, or a newer version wrote it. Restore the row from a backup, then press *Try again*.
[Try again]\
""")
    assert "column" not in seen(notices.notice({**row, "number": "", "column": ""}))
    assert lines_of([notices.note("0badcafe"), notices.GOES_ON.text, notices.NOTHING_STOPPED.text]) == snapshot("""\
:octagonal_sign: Stopped by an internal error (`0badcafe`). An admin can try it again in the alerts channel.
:arrow_forward: Trying again. If it fails, you'll hear of it here.
:information_source: Nothing is stopped by this error any more.\
""")
