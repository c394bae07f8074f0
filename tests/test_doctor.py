"""``switchboard doctor``: each line ok, warning or error, with the mend; it changes nothing."""

import re
import resource
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from inline_snapshot import snapshot

from bot.cli import doctor
from bot.domain.anchors import Anchor
from bot.domain.references import derived_key
from bot.domain.unread import Noted, UnreadAnswer, looked_for, shape_of
from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.delivery import DeliverySimulator
from storage import Store
from storage.anchors import AnchorFile, anchors_path
from storage.migrate import MOVED
from storage.migrations import HEAD
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


async def test_where_all_is_well(rig: Rig, capsys: Printed) -> None:
    code, said = await report(capsys)
    assert code == 0
    assert said == snapshot("""\
ok       the settings are readable; environment: sandbox
ok       the policy policy.toml is readable; its digest is b18f76193585
warning  PUBLIC_URL is missing, so these are not there: callbacks (polling finds out, more slowly), webhooks of \
stores, and the search at each start for payments at the service that this database lacks. Example: \
PUBLIC_URL=https://switchboard.example.com
warning  payments.commit_payout (POST /payouts/{id}/commit) is assumed and moves money; production refuses it
         → check it, then write [payments.commit_payout] confirmed = true into SERVICES_FILE
warning  payments.one_step_payout (POST /payouts/one-step) is assumed and moves money; production refuses it
         → check it, then write [payments.one_step_payout] confirmed = true into SERVICES_FILE
warning  payments.cancel_payout (POST /payouts/{id}/cancel) is assumed and moves money; production refuses it
         → check it, then write [payments.cancel_payout] confirmed = true into SERVICES_FILE
warning  payments.create_bulk_payment (POST /bulk-payments) is assumed and moves money; production refuses it
         → check it, then write [payments.create_bulk_payment] confirmed = true into SERVICES_FILE
warning  payments.cancel_bulk_items (POST /bulk-payments/{id}/payments/cancel) is assumed and moves money; production \
refuses it
         → check it, then write [payments.cancel_bulk_items] confirmed = true into SERVICES_FILE
ok       the route table is readable; 36 assumed routes are unconfirmed
ok       delivery: 14 words for states, cook time in milliseconds; 0 lines of SERVICES_FILE
ok       the database can be read; the audit has 0 rows
ok       no unread answers from the services
ok       Slack knows us in the workspace switchboard (T0HOME)
ok       the bot token has every scope that is used
ok       the bot is in the channel of approvals (C0APPROVE)
ok       the bot is in the channel of payments (C0MONEY)
ok       the bot is in the channel of alerts (C0ALERTS)
ok       requesters: 2 people
ok       approvers: 3 people
ok       admins: 1 person
warning  a duplicate of the largest kind needs one more approver than there are besides the requester
         → approvers = ["S0TREASURY"] with one more person
ok       payments is reachable and accepts our key
warning  delivery is not configured; everything else works without it
         → to use it, set DELIVERY_BASE_URL, DELIVERY_MASTER_KEY
ok       localization is reachable; its key can't be checked without a billable call
warning  e-mail processing is not configured; everything else works without it
         → to use it, set EMAIL_SINGLE_BASE_URL, EMAIL_BULK_BASE_URL, EMAIL_API_KEY
All checks passed.
""")
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
async def test_what_does_not_work_without_a_scope(rig: Rig, capsys: Printed, lacking: set[str], told: str) -> None:
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
    line = """\
warning  this process may open 399 files and connections, and needs 400 when many connect at once
         → raise the limit. Example: LimitNOFILE=4096 of systemd, or ulimit -n 4096"""
    assert (line in said, "connections" in said) == (warned, warned)


async def test_a_host_that_sends_us_elsewhere_answers(rig: Rig, capsys: Printed, monkeypatch: Patch) -> None:
    """Elsewhere is not asked: nobody configured it."""

    async def move(_: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": "http://127.0.0.1:9/"})

    app = web.Application()
    app.router.add_get("/", move)
    async with TestServer(app, host="127.0.0.1") as server:
        monkeypatch.setenv("LOCALIZATION_BASE_URL", str(server.make_url("")).rstrip("/"))
        code, said = await report(capsys)
    assert (code, "\nok       localization is reachable;" in said) == (0, True)


async def test_no_secret_is_ever_printed(rig: Rig, capsys: Printed) -> None:
    _, said = await report(capsys)
    for secret in (
        "xoxb-playground",
        "playground-signing-secret",
        SECRET_KEY,
        "partner-secret",
        rig.localization.api_key,
    ):
        assert secret not in said


async def test_an_absent_database_is_not_made(rig: Rig, capsys: Printed, tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite+aiosqlite:///{tmp_path}/elsewhere.db")
    assert await troubles(capsys, "warning  the database") == snapshot("""\
warning  the database isn't ready: There is no database: ~/elsewhere.db
         → run `switchboard migrate`
All checks passed.""")
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".db"] == []  # noqa: ASYNC240 - at once


WRONG = {
    "PORT": "many",
    "SLACK_SIGNING_SECRET": "",
    "SLACK_BOT_TOKEN": "xoxb-wrong",
    "PAYMENTS_PARTNER_SECRET": "wrong",
    "LOCALIZATION_BASE_URL": "http://127.0.0.1:9",
    "POLICY_FILE": "elsewhere.toml",
    "SERVICES_FILE": "elsewhere.toml",
}


async def test_a_mistake_is_named_with_its_mend(rig: Rig, monkeypatch: Patch, capsys: Printed) -> None:
    found = {}
    for name, value in WRONG.items():
        with monkeypatch.context() as changed:
            changed.setenv(name, value)
            found[name] = await troubles(capsys)
    assert found == snapshot(
        {
            "PORT": """\
error    PORT: must be a whole number. Example: PORT=3000
1 error to fix before Switchboard can start.""",
            "SLACK_SIGNING_SECRET": """\
error    SLACK_SIGNING_SECRET is missing. Example: SLACK_SIGNING_SECRET=… (Basic Information page of the app)
1 error to fix before Switchboard can start.""",
            "SLACK_BOT_TOKEN": """\
error    Slack: invalid_auth
         → look at SLACK_API_URL and the network, or copy SLACK_BOT_TOKEN again from OAuth & Permissions
1 error to fix before Switchboard can start.""",
            "PAYMENTS_PARTNER_SECRET": """\
error    payments: the provider didn't accept our credentials (401), saying “Unauthorized”
         → look at PAYMENTS_BASE_URL, PAYMENTS_PARTNER_ID and …_SECRET
1 error to fix before Switchboard can start.""",
            "LOCALIZATION_BASE_URL": """\
error    localization: no answer from http://127.0.0.1 (ClientConnectorError)
         → look at the address and at the network
1 error to fix before Switchboard can start.""",
            "POLICY_FILE": """\
error    POLICY_FILE: there is no file 'elsewhere.toml'. Example: POLICY_FILE=policy.toml (copy policy.example.toml)
1 error to fix before Switchboard can start.""",
            "SERVICES_FILE": """\
error    SERVICES_FILE: elsewhere.toml cannot be read (No such file or directory)
         → name a readable file, or unset it
error    payments: the route table can't be used
2 errors to fix before Switchboard can start.""",
        }
    )


async def test_everything_wrong_is_named_at_once(rig: Rig, monkeypatch: Patch, capsys: Printed) -> None:
    for name, value in {
        "PORT": "many",
        "SECRET_KEY": "",
        "POLICY_FILE": "none.toml",
        "SERVICES_FILE": "no.toml",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("PAYMENTS_PARTNER_SECRET")
    _, said = await report(capsys)
    assert said == snapshot("""\
error    PORT: must be a whole number. Example: PORT=3000
error    POLICY_FILE: there is no file 'none.toml'. Example: POLICY_FILE=policy.toml (copy policy.example.toml)
error    SECRET_KEY is missing. Example: SECRET_KEY=… (python -c "import secrets; print(secrets.token_urlsafe(48))")
warning  payments is only partly configured, so its commands are off: PAYMENTS_BASE_URL, PAYMENTS_PARTNER_ID are \
set, PAYMENTS_PARTNER_SECRET is missing. Example: PAYMENTS_PARTNER_SECRET=…
error    SERVICES_FILE: no.toml cannot be read (No such file or directory)
         → name a readable file, or unset it
4 errors to fix before Switchboard can start.
""")


async def test_a_database_server_away_is_not_called_locked(rig: Rig, monkeypatch: Patch, capsys: Printed) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://somebody:pass-sentinel@127.0.0.1:1/x")
    said = await troubles(capsys)
    assert said.startswith("error    the database doesn't answer: OperationalError: ")
    assert said.partition("→ ")[2] == snapshot("""\
The database server cannot be used: see whether it runs, and whether host, port, name, user and password in \
DATABASE_URL are right.
1 error to fix before Switchboard can start.""")  # before that the driver's own words


async def test_a_channel_without_the_bot_is_named(rig: Rig, capsys: Printed) -> None:
    rig.workspace.set_channel("C0APPROVE", bot_member=False)
    assert await troubles(capsys) == snapshot("""\
error    channel of approvals (C0APPROVE): I'm not in it
         → Invite me there: `/invite @Switchboard`, or name another channel in policy.toml (`channels.approvals`).
1 error to fix before Switchboard can start.""")


async def test_nobody_who_could_approve(rig: Rig, capsys: Printed) -> None:
    rig.workspace.set_group("S0TREASURY", ["U0GUS", "U0EVE"])
    assert await troubles(capsys) == snapshot("""\
error    approvers: 0 of the people named are full, active members of this workspace; 1 needed
         → people.approvers = ["S0…"] in the policy
1 error to fix before Switchboard can start.""")


async def test_a_service_that_is_down(rig: Rig, capsys: Printed) -> None:
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "partner", times=None))
    assert await troubles(capsys) == snapshot("""\
error    payments: it answered 500, saying “Internal server error”
         → look at PAYMENTS_BASE_URL, PAYMENTS_PARTNER_ID and …_SECRET
1 error to fix before Switchboard can start.""")


async def test_a_key_of_a_store_that_is_not_accepted(rig: Rig, monkeypatch: Patch, capsys: Printed) -> None:
    async with DeliverySimulator() as delivery:
        monkeypatch.setenv("DELIVERY_BASE_URL", delivery.base_url)
        monkeypatch.setenv("DELIVERY_STORE_KEYS", '{"Centro": "nobody-knows-this-key"}')
        assert await troubles(capsys) == snapshot("""\
error    delivery, store Centro: the key of this store isn't accepted, saying “The key is not valid for this operation”
         → look at DELIVERY_BASE_URL and DELIVERY_STORE_KEYS
1 error to fix before Switchboard can start.""")


async def test_a_rule_that_nobody_could_meet(rig: Rig, monkeypatch: Patch, capsys: Printed) -> None:
    """Lin leaves; of Ada and Tom the latter may ask as well, so there is one for what he asks."""
    rig.workspace.set_group("S0TREASURY", ["U0ADA", "U0TOM"])
    assert await troubles(capsys, "warning  approval") == snapshot("""\
warning  approval.rule 1 (over $1,000.00): quorum: asks for 2 besides the requester, and only 1 of the approvers \
is a full member of this workspace who did not ask. Example: approvers = ["S0TREASURY"]
All checks passed.""")
    monkeypatch.setenv("ENVIRONMENT", "production")
    assert await troubles(capsys, "error    approval") == snapshot("""\
error    approval.rule 1 (over $1,000.00): quorum: asks for 2 besides the requester, and only 1 of the approvers \
is a full member of this workspace who did not ask. Example: approvers = ["S0TREASURY"]
2 errors to fix before Switchboard can start.""")


async def test_a_request_that_too_few_people_can_approve_is_named(rig: Rig, capsys: Printed) -> None:
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
    assert await troubles(capsys, "warning  a duplicate") == snapshot("""\
warning  a duplicate of the largest kind needs one more approver than there are besides the requester
         → approvers = ["S0TREASURY"] with one more person
All checks passed.""")
    rig.workspace.set_group("S0FINANCE", ["U0MARIA"])
    assert await troubles(capsys, "warning  a duplicate") == "All checks passed."


async def test_a_database_older_than_its_anchors_is_an_error(rig: Rig, sqlite_url: str, capsys: Printed) -> None:
    file = AnchorFile(anchors_path(sqlite_url), key=derived_key(SECRET_KEY, "anchor"))
    file.append(Anchor(at=datetime.now(UTC), seq=9, head="f" * 64))
    said = await troubles(capsys)
    assert said.replace(str(file.path), "~/anchors") == snapshot("""\
error    the database is older than ~/anchors; it would start read-only
         → run `switchboard resume --look`, check the providers' dashboards, then run `switchboard resume`
1 error to fix before Switchboard can start.""")
    await rig.start()
    await rig.switchboard.stop()
    assert await troubles(capsys) == snapshot("""\
error    read-only mode is on: the anchor file lists audit rows that this database doesn't have
         → run `switchboard resume --look`, check the providers' dashboards, then run `switchboard resume`
1 error to fix before Switchboard can start.""")


async def test_a_database_of_a_later_version_is_an_error(rig: Rig, sqlite_url: str, capsys: Printed) -> None:
    with closing(sqlite3.connect(sqlite_url.partition("///")[2])) as db, db:
        db.execute("UPDATE alembic_version SET version_num = '9999'")
        db.execute("DELETE FROM flag")
    said = await troubles(capsys)
    assert said.replace(HEAD, "0000") == snapshot("""\
error    The database is at version 9999, which is newer than this program: it knows up to 0000.
         → Start the version of the program that was used last, or a later one.
1 error to fix before Switchboard can start.""")


async def test_a_database_that_was_copied_is_an_error(rig: Rig, sqlite_url: str, capsys: Printed) -> None:
    store = await Store.open(sqlite_url, audit_key=derived_key(SECRET_KEY, "audit"))
    to = {"to": "PostgreSQL host/name"}
    await store.write(lambda tx: tx.flags.set(MOVED, to, datetime.now(UTC)))
    await store.close()
    assert await troubles(capsys) == snapshot("""\
error    this database was moved to PostgreSQL host/name
         → set DATABASE_URL to that one
1 error to fix before Switchboard can start.""")


async def test_an_unknown_state_comes_with_the_line_to_add(
    rig: Rig, sqlite_url: str, capsys: Printed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = await Store.open(sqlite_url, audit_key=derived_key(SECRET_KEY, "audit"))
    states = {"En camino": "B-4F7K2M", "ACCEPTED": "B-4F7K2M", "CANCELED_BY_RAIN": "B-4F7K2M"}
    await store.write(lambda tx: tx.flags.set("delivery:states", states, datetime(2026, 11, 20, tzinfo=UTC)))
    await store.close()
    assert await troubles(capsys, "warning .*state ") == snapshot("""\
warning  the state En camino is unknown, first seen on B-······
         → add the line with one of ON_HOLD, READY_FOR_PICKUP, ACCEPTED, ARRIVED_AT_PICKUP, WAY_TO_DELIVER, \
ARRIVED_AT_DELIVERY, COMPLETED, PROVIDER_NOT_FOUND, CANCELLED_BY_BUSINESS, CANCELLED_BY_ADMIN, \
CANCELLED_BY_DELIVERY_PROVIDER, NOT_DELIVERED, RETURNING, RETURNED, and restart:
           [delivery.states]
           "En camino" = "…"
All checks passed.""")
    file = tmp_path / "services.toml"
    file.write_text('[delivery.states]\n"en CAMINO" = "WAY_TO_DELIVER"\n[delivery.units]\ncook_time = "minutes"\n')
    monkeypatch.setenv("SERVICES_FILE", str(file))
    assert "warning" not in await troubles(capsys, "warning .*state ")
    assert await troubles(capsys, "ok .*states") == snapshot("""\
ok       delivery: 15 words for states, cook time in minutes; 2 lines of SERVICES_FILE
All checks passed.""")


async def test_an_unread_answer_comes_with_the_line_that_mends_it(rig: Rig, sqlite_url: str, capsys: Printed) -> None:
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
