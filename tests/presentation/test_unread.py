"""What an operator reads of answers that could not be read, on the phone and in the terminal."""

import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.clients.routes_file import load_routes
from bot.domain.bookings.record import SeenState
from bot.domain.content import Content
from bot.domain.reasons import Exchange, OfRequest, Reason
from bot.domain.unread import Noted, UnreadAnswer, looked_for, shape_of
from bot.presentation.unread import file_lines, finding, hint, listing
from tests.presentation.checks import check_message, lines_of, seen

NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
OPERATION = "payments.create_payout"


def answer(body: object, *names: str, operation: str = OPERATION) -> UnreadAnswer:
    shape = shape_of(body)
    read = {
        name
        for names in load_routes(None, environment="sandbox").use(*operation.split(".")).reply.values()
        for name in names
    }
    wanted = tuple(looked_for(shape, section=operation, name=one, known=(one,), read=read) for one in names)
    return UnreadAnswer(
        operation=operation, status=201, body=shape.kind, fields=shape.fields, wanted=wanted, is_cut=shape.is_cut
    )


def noted(found: UnreadAnswer, *, count: int = 1, mended: bool = False) -> Noted:
    then = NOW - timedelta(hours=count)
    return Noted(answer=found, first_seen=then, last_seen=NOW, count=count, mended_at=NOW if mended else None)


def told(content: Content) -> str:
    """What the list says of its answers, between its headline and the way to mend them."""
    return "\n".join(seen(content).splitlines()[1:-1])


def test_lines_of_several_that_may_be_meant_are_left_to_the_operator() -> None:
    lines = file_lines(answer({"operation_id": "x", "user_id": "y", "state": "z"}, "id", "status"))
    assert lines == ["[payments.create_payout.reply]", '# id = "operation_id"', '# id = "user_id"', 'status = "state"']


@pytest.mark.parametrize("theirs", ["uid", "código", "$id", "@id", "x-id", "a:id"])
def test_proposed_lines_form_a_valid_services_file(theirs: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = "\n".join(file_lines(answer({theirs: "x"}, "id")))
    assert tomllib.loads(text) == {"payments": {"create_payout": {"reply": {"id": theirs}}}}
    file = tmp_path_factory.mktemp("services") / "services.toml"
    file.write_text(text, encoding="utf-8")
    assert load_routes(file, environment="sandbox").use("payments", "create_payout").reply["id"] == (theirs,)


def test_unread_answers_without_a_settings_line_are_explained() -> None:
    found = {
        "a page": UnreadAnswer(operation=OPERATION, status=200, body="no JSON (HTML page of 512 bytes)"),
        "a value that does not fit": answer({"id": "x", "status": "created"}, "status"),
        "a field that lies too deep": answer({"payload": {"id": "x"}}, "id"),
    }
    contents = {name: listing([noted(one)]) for name, one in found.items()}
    for content in contents.values():
        check_message(content)
        assert seen(content).splitlines()[-1] == (
            "Only names and types of fields are kept. An entry disappears once such an answer is read."
        )
    assert lines_of({name: told(content) for name, content in contents.items()}) == snapshot("""\
a page: • *payments.create_payout*, status 200: 1 unread answer, last 2026-11-20 10:00 UTC ⏎ Body: no JSON (HTML page \
of 512 bytes). ⏎ A field mapping can't fix this. Check the provider's URL and any proxy in front of it.
a value that does not fit: • *payments.create_payout*, status 201: 1 unread answer, last 2026-11-20 10:00 UTC ⏎ Found, \
but the value doesn't fit: status. ⏎ Fields: id (text), status (text). ⏎ A field mapping can't fix this. Check the \
provider's documentation of this answer.
a field that lies too deep: • *payments.create_payout*, status 201: 1 unread answer, last 2026-11-20 10:00 UTC ⏎ Not \
found: id. ⏎ id may be payload.id, but the file cannot name nested fields. ⏎ Fields: payload (object), payload.id \
(text). ⏎ A field mapping can't fix this. Check the provider's documentation of this answer.\
""")


def test_fifty_large_ones_fit_into_a_message() -> None:
    names = [f"{'x' * 40}{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(60)]
    found = [
        noted(answer({**dict.fromkeys(names[n % 7 :], "v"), "id_": {"a": 1}}, "id", "status", "email"), count=n + 1)
        for n in range(50)
    ]
    content = listing(found)
    check_message(content)
    assert seen(content).splitlines()[-2] == "and 42 more: `python -m bot doctor` names them all"


def test_field_names_cannot_mention_people() -> None:
    content = listing([noted(answer({"<!channel>": "x", "<@U0ADA>": "y", "a&b": "z", "`x`": 1, "*b*": 2}, "id"))])
    check_message(content)
    assert content.text == snapshot("""\
*1 kind of answer could not be read*, newest first.
• *payments.create_payout*, status 201: 1 unread answer, last <!date^1795168800^{date_short_pretty} {time}|2026-11-20 \
10:00 UTC>
Not found: id.
Fields: (masked) (text or whole number).
A field mapping can't fix this. Check the provider's documentation of this answer.
Only names and types of fields are kept. An entry disappears once such an answer is read.\
""")


def test_in_the_terminal() -> None:
    what, mend = finding(noted(answer({"uid": "x", "state": "y"}, "id", "status"), count=2))
    assert what == (
        "payments.create_payout, status 201: 2 unread answers, last 2026-11-20 10:00 UTC. Not found: id, status. "
        "Fields: uid (text), state (text)"
    )
    assert mend.split("\n           ") == [
        "add to the file that SERVICES_FILE names, and restart:",
        "[payments.create_payout.reply]",
        'id = "uid"',
        'status = "state"',
    ]


@pytest.mark.parametrize(("reason", "hints"), [
    (Reason(Exchange.UNEXPECTED, status=200), True), (Reason(Exchange.NO_JSON, status=200), True),
    (Reason(OfRequest.UNREAD, service="payments", why=Reason(Exchange.UNREADABLE, problem="no partner")), True),
    (Reason(Exchange.NO_ANSWER, failure="timed out"), False), (None, False),
])  # fmt: skip
def test_alert_links_the_request(reason: Reason | None, hints: bool) -> None:
    assert bool(hint(reason)) is hints


def test_unknown_states_are_listed_with_their_settings_lines(tmp_path: Path) -> None:
    words = ["EN_CAMINO", "En camino ya", 'a "quoted" one', "<!channel> & ```", *(f"ODD_{one}" for one in range(40))]
    states = [SeenState(word=word, status=word, what="B-4F7K2M") for word in words]
    both = listing([noted(answer({"uid": "x"}, "id"))], states)
    check_message(both)
    assert "could not be read" in both.text
    assert "*44 states of bookings are unknown*" in both.text
    assert " and 36 more. To fix it:" in both.text
    lines = listing([], states[:3]).text.split("```")[1].replace("…", "ACCEPTED")
    file = tmp_path / "services.toml"
    file.write_text(lines, encoding="utf-8")
    dialect = load_routes(file, environment="sandbox").dialect("delivery")
    assert {dialect.state(word) for word in words[:3]} == {"ACCEPTED"}
    assert dialect.state(words[3]) == words[3]
