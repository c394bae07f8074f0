"""``switchboard doctor``: each line ok, warning or error, with the mend; it changes nothing."""

import re
import resource
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from inline_snapshot import snapshot

from bot.cli import doctor
from bot.domain.anchors import Anchor
from bot.domain.audit import Entry
from bot.domain.references import derived_key
from bot.domain.unread import Noted, UnreadAnswer, looked_for, shape_of
from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.delivery import DeliverySimulator
from storage import Store
from storage.anchors import AnchorFile, anchors_path
from storage.migrate import MOVED
from tests.support.fixtures import Patch, Printed
from tests.support.operator import at_home
from tests.support.rig import ALERTS, SECRET_KEY, Rig
from tests.support.shown import shown


@pytest.fixture
async def rig(sqlite_url: str, tmp_path: Path, monkeypatch: Patch) -> AsyncIterator[Rig]:
    """The world around the bot, an operator's folder, and the environment that names both; the bot is not started."""
    opened = await Rig.open(database_url=sqlite_url, start=False)
    at_home(
        monkeypatch,
        tmp_path,
        SLACK_BOT_TOKEN="xoxb-playground",
        SLACK_SIGNING_SECRET="playground-signing-secret",
        SLACK_API_URL=opened.workspace.api_url,
        SECRET_KEY=SECRET_KEY,
        DATABASE_URL=sqlite_url,
        PAYMENTS_BASE_URL=opened.payments.base_url,
        PAYMENTS_PARTNER_ID="partner",
        PAYMENTS_PARTNER_SECRET="partner-secret",
        LOCALIZATION_BASE_URL=opened.localization.base_url,
        LOCALIZATION_API_KEY=opened.localization.api_key,
    )
    yield opened
    await opened.workspace.stop()
    await opened._stack.aclose()


async def report(capsys: Printed) -> tuple[int, str]:
    code = await doctor.examine()
    return code, shown(capsys.readouterr().out.replace(str(Path.cwd()), "~"))


async def troubles(capsys: Printed, kind: str = "error") -> str:
    """Of what the operator reads the lines of this kind with their mends; the exit code is 1 after an error alone."""
    code, said = await report(capsys)
    assert (code, "sentinel" in said) == (int(kind.startswith("error")), False), said
    kept = re.findall(rf"^{kind}.*(?:\n\s+.*)*", said, re.MULTILINE)
    return "\n".join([*kept, said.splitlines()[-1]])


async def test_doctor_reports_no_problem(rig: Rig, capsys: Printed) -> None:
    code, said = await report(capsys)
    warned = re.findall(r"^warning  (.+?)(?: \(| is | needs)", said, re.MULTILINE)
    routes = ("commit_payout", "one_step_payout", "cancel_payout", "create_bulk_payment", "cancel_bulk_items")
    assumed = [f"payments.{route}" for route in routes]
    assert warned == ["PUBLIC_URL", *assumed, "a duplicate of the largest kind", "delivery", "e-mail processing"]
    assert (code, said.count("\nok  "), said.splitlines()[-1]) == (0, 15, "All checks passed.")
    for fact in ("its digest is b18f76193585", "audit has 0 rows", "approvers: 3 people", "36 assumed routes"):
        assert fact in said
    for secret in (
        "xoxb-playground",
        "playground-signing-secret",
        SECRET_KEY,
        "partner-secret",
        rig.localization.api_key,
    ):
        assert secret not in said
    assert not rig.workspace.messages(ALERTS)


@pytest.mark.parametrize(
    ("lacking", "told"),
    [
        (
            {"users:read.email"},
            "without the scope users:read.email @name can't be paid, and approvers may pay themselves",
        ),
        ({"mpim:read"}, "without the scopes mpim:read files in conversations of several people are not noticed"),
    ],
)
async def test_missing_scopes_name_what_does_not_work(rig: Rig, capsys: Printed, lacking: set[str], told: str) -> None:
    granted = tuple(scope for scope in rig.workspace.identity.scopes if scope not in lacking)
    object.__setattr__(rig.workspace.identity, "scopes", granted)
    said = await troubles(capsys, "warning")
    assert f"warning  {told}\n         → put the manifest of `switchboard manifest`" in said


@pytest.mark.parametrize(("limit", "warned"), [(399, True), (400, False)])
async def test_too_few_descriptors(rig: Rig, capsys: Printed, limit: int, warned: bool) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    try:
        said = await troubles(capsys, "warning")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    line = "this process may open 399 files and connections, and needs 400"
    assert (line in said, "connections" in said) == (warned, warned)


async def test_redirecting_host_counts_as_answering(rig: Rig, capsys: Printed, monkeypatch: Patch) -> None:
    """Elsewhere is not asked: nobody configured it."""

    async def move(_: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": "http://127.0.0.1:9/"})

    app = web.Application()
    app.router.add_get("/", move)
    async with TestServer(app, host="127.0.0.1") as server:
        monkeypatch.setenv("LOCALIZATION_BASE_URL", str(server.make_url("")).rstrip("/"))
        assert "localization is reachable;" in await troubles(capsys, "ok .*localization")


async def test_doctor_does_not_create_a_database(rig: Rig, capsys: Printed, tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite+aiosqlite:///{tmp_path}/elsewhere.db")
    assert "→ run `switchboard migrate`" in await troubles(capsys, "warning  the database")
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".db"] == []  # noqa: ASYNC240 - at once


WRONG = {
    "PORT": ("many", "PORT: must be a whole number. Example: PORT=3000"),
    "SLACK_SIGNING_SECRET": ("", "SLACK_SIGNING_SECRET is missing. Example: SLACK_SIGNING_SECRET="),
    "SLACK_BOT_TOKEN": ("xoxb-wrong", "Slack: invalid_auth\n         → look at SLACK_API_URL and the network, or copy"),
    "PAYMENTS_PARTNER_SECRET": ("wrong", "payments: the provider didn't accept our credentials (401)"),
    "LOCALIZATION_BASE_URL": ("http://127.0.0.1:9", "localization: no answer from http://127.0.0.1 (ClientConnector"),
    "POLICY_FILE": ("elsewhere.toml", "POLICY_FILE: there is no file 'elsewhere.toml'. Example: POLICY_FILE="),
    "SERVICES_FILE": ("elsewhere.toml", "SERVICES_FILE: elsewhere.toml cannot be read (No such file or directory)"),
}


async def test_mistake_is_named_with_its_fix(rig: Rig, monkeypatch: Patch, capsys: Printed) -> None:
    for name, (value, told) in WRONG.items():
        with monkeypatch.context() as changed:
            changed.setenv(name, value)
            said = await troubles(capsys)
        assert said.startswith(f"error    {told}"), said
        assert "Example: " in said or "→ " in said, said
        assert said.count("error    ") == int(said.splitlines()[-1].split()[0]), said


async def test_doctor_reports_all_problems_together(rig: Rig, monkeypatch: Patch, capsys: Printed) -> None:
    wrong = {"PORT": "many", "SECRET_KEY": "", "POLICY_FILE": "none.toml", "SERVICES_FILE": "no.toml"}
    for name, value in wrong.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("PAYMENTS_PARTNER_SECRET")
    _, said = await report(capsys)
    named = re.findall(r"^(?:error|warning) +(\w+)", said, re.MULTILINE)
    assert named == ["PORT", "POLICY_FILE", "SECRET_KEY", "payments", "SERVICES_FILE"]
    assert "PAYMENTS_BASE_URL, PAYMENTS_PARTNER_ID are set, PAYMENTS_PARTNER_SECRET is missing" in said


async def test_unreachable_database_server_is_not_called_locked(rig: Rig, monkeypatch: Patch, capsys: Printed) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://somebody:pass-sentinel@127.0.0.1:1/x")
    said = await troubles(capsys)
    assert said.startswith("error    the database doesn't answer: OperationalError: ")
    assert "→ The database server cannot be used" in said


async def test_channel_without_the_bot_and_group_without_members_are_named(rig: Rig, capsys: Printed) -> None:
    rig.workspace.set_channel("C0APPROVE", bot_member=False)
    rig.workspace.set_group("S0TREASURY", ["U0GUS", "U0EVE"])
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "partner", times=None))
    assert await troubles(capsys) == snapshot("""\
error    channel of approvals (C0APPROVE): I'm not in it
         → Invite me there: `/invite @Switchboard`, or name another channel in policy.toml (`channels.approvals`).
error    approvers: 0 of the people named are full, active members of this workspace; 1 needed
         → people.approvers = ["S0…"] in the policy
error    payments: it answered 500, saying “Internal server error”
         → look at PAYMENTS_BASE_URL, PAYMENTS_PARTNER_ID and …_SECRET
3 errors to fix before Switchboard can start.""")


async def test_refused_store_key_is_reported(rig: Rig, monkeypatch: Patch, capsys: Printed) -> None:
    async with DeliverySimulator() as delivery:
        monkeypatch.setenv("DELIVERY_BASE_URL", delivery.base_url)
        monkeypatch.setenv("DELIVERY_STORE_KEYS", '{"Centro": "nobody-knows-this-key"}')
        said = await troubles(capsys)
    assert said.startswith("error    delivery, store Centro: the key of this store isn't accepted")


async def test_unmeetable_rule_is_reported(rig: Rig, monkeypatch: Patch, capsys: Printed) -> None:
    """Lin leaves; of Ada and Tom the latter may ask as well, so there is one for what he asks."""
    rig.workspace.set_group("S0TREASURY", ["U0ADA", "U0TOM"])
    told = "approval.rule 1 (over $1,000.00): quorum: asks for 2 besides the requester, and only 1 of the approvers "
    assert told in await troubles(capsys, "warning  approval")
    monkeypatch.setenv("ENVIRONMENT", "production")
    assert told in await troubles(capsys, "error    approval")


async def test_unapprovable_request_is_named(rig: Rig, capsys: Printed) -> None:
    await rig.start()
    await rig.pay('send ana@example.com 1500.00 "rent"')
    await rig.card()
    await rig.switchboard.stop()
    rig.workspace.set_group("S0TREASURY", ["U0ADA"])
    await rig.start()
    await rig.workspace.until(lambda: ["can approve it" in one.text for one in rig.cards()] == [True] or None)
    await rig.switchboard.stop()
    assert await troubles(capsys, "warning  P-") == snapshot("""\
warning  P-······: it needs 2 approvals, and only 1 person can approve it
         → approvers = ["S0TREASURY"] with more people
All checks passed.""")


async def test_a_duplicate_needs_one_more_than_there_are(rig: Rig, capsys: Printed) -> None:
    assert "one more approver than there are" in await troubles(capsys, "warning  a duplicate")
    rig.workspace.set_group("S0FINANCE", ["U0MARIA"])
    assert await troubles(capsys, "warning  a duplicate") == "All checks passed."


async def test_database_older_than_its_anchors_is_an_error(rig: Rig, sqlite_url: str, capsys: Printed) -> None:
    file = AnchorFile(anchors_path(sqlite_url), key=derived_key(SECRET_KEY, "anchor"))
    file.append(Anchor(at=datetime.now(UTC), seq=9, head="f" * 64))
    assert (await troubles(capsys)).startswith(f"error    the database is older than {file.path}; payments would")
    await rig.start()
    await rig.switchboard.stop()
    assert await troubles(capsys) == snapshot("""\
error    payments are frozen: the database is older than what was sent
         → run `switchboard resume`: it shows what to check at the providers
1 error to fix before Switchboard can start.\
""")


async def test_newer_database_is_an_error(rig: Rig, sqlite_url: str, capsys: Printed) -> None:
    with closing(sqlite3.connect(sqlite_url.partition("///")[2])) as db, db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
        db.execute("DELETE FROM flag")
    assert (await troubles(capsys)).startswith("error    The database is at version 9999, which is newer than this")


async def test_copied_database_is_an_error(rig: Rig, sqlite_url: str, capsys: Printed) -> None:
    store = await Store.open(sqlite_url, audit_key=derived_key(SECRET_KEY, "audit"))
    await store.write(lambda tx: tx.flags.set(MOVED, {"to": "PostgreSQL host/name"}, datetime.now(UTC)))
    await store.close()
    assert (await troubles(capsys)).startswith(
        "error    this database was moved to PostgreSQL host/name\n         → set"
    )


async def test_clock_that_is_off_comes_with_what_to_do(rig: Rig, sqlite_url: str, capsys: Printed) -> None:
    now = datetime.now(UTC)
    later = Entry(
        at=now + timedelta(hours=2, minutes=1), instruction_id="", actor="", action="", before="", after="", detail={}
    )
    store = await Store.open(sqlite_url, audit_key=derived_key(SECRET_KEY, "audit"))
    await store.write(lambda tx: tx.flags.set("clock_off", -7_200, now))
    await store.write(lambda tx: tx.audit.append(later))
    await store.close()
    assert await troubles(capsys, "warning .*clock") == snapshot("""\
warning  a clock is 2 hours behind that of the running bot
         → sync the clock with NTP; if it is right already, stop all Switchboard processes, then start them
warning  the newest rows are 2 hours ahead of the clock
         → sync the clock with NTP; if it is right, deadlines stored before come that much later
All checks passed.""")


async def test_an_unknown_state_comes_with_the_line_to_add(
    rig: Rig, sqlite_url: str, capsys: Printed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await Store.open(sqlite_url, audit_key=derived_key(SECRET_KEY, "audit"))
    states = {"En camino": "B-4F7K2M", "ACCEPTED": "B-4F7K2M", "CANCELED_BY_RAIN": "B-4F7K2M"}
    await store.write(lambda tx: tx.flags.set("delivery:states", states, datetime(2026, 11, 20, tzinfo=UTC)))
    await store.close()
    said = await troubles(capsys, "warning .*state ")
    assert said.startswith("warning  the state En camino is unknown, first seen on B-······\n")
    assert '[delivery.states]\n           "En camino" = "…"\n' in said
    file = tmp_path / "services.toml"
    file.write_text('[delivery.states]\n"en CAMINO" = "WAY_TO_DELIVER"\n[delivery.units]\ncook_time = "minutes"\n')
    monkeypatch.setenv("SERVICES_FILE", str(file))
    assert "warning" not in await troubles(capsys, "warning .*state ")
    told = "delivery: 15 words for states, cook time in minutes; 2 lines of SERVICES_FILE"
    assert told in await troubles(capsys, "ok .*states")


async def test_doctor_shows_the_settings_line_of_an_unread_answer(rig: Rig, sqlite_url: str, capsys: Printed) -> None:
    shape = shape_of({"uid": "value-sentinel", "rows": []})
    wanted = looked_for(shape, section="payments.create_payout", name="id", known=("id",), read=("id",))
    answer = UnreadAnswer(
        operation="payments.create_payout", status=201, body="object", fields=shape.fields, wanted=(wanted,)
    )
    now = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
    again = UnreadAnswer(operation="payments.partner", status=200, body="no JSON (empty)")
    store = await Store.open(sqlite_url, audit_key=derived_key(SECRET_KEY, "audit"))
    for one in (answer, again):
        await store.write(lambda tx, one=one: tx.unread.note(Noted(answer=one, first_seen=now, last_seen=now, count=2)))  # type: ignore[misc]
    await store.write(lambda tx: tx.unread.mended("payments.partner", now))
    await store.close()
    assert await troubles(capsys, "(?:warning|ok) .*unread") == snapshot("""\
warning  payments.create_payout, status 201: 2 unread answers, last 2026-11-20 10:00 UTC. Not found: id. Fields: \
uid (text), rows (list of 0)
         → add to the file that SERVICES_FILE names, and restart:
           [payments.create_payout.reply]
           id = "uid"
All checks passed.""")


async def test_an_older_database_is_read_all_the_same(rig: Rig, sqlite_url: str, capsys: Printed) -> None:
    with sqlite3.connect(sqlite_url.partition("///")[2]) as raw:
        raw.execute("DROP TABLE unread_answer")
    raw.close()
    assert await troubles(capsys, "ok .*(?:database|unread)") == snapshot("""\
ok       the database can be read; the audit has 0 rows
All checks passed.""")
