"""``switchboard doctor``: each line ok, warning or error, with the mend; it changes nothing."""

import sqlite3
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot import doctor
from bot.domain.anchors import Anchor
from bot.domain.references import derived_key
from bot.domain.shapes import shape_of
from bot.domain.unread import Noted, UnreadAnswer, looked_for
from bot.playground.faults import Fault, FaultKind
from bot.settings import Settings
from storage import Store
from storage.anchors import AnchorFile, anchors_path
from tests.support.rig import ALERTS, POLICY, SECRET_KEY, Rig


@pytest.fixture
async def rig(sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Rig]:
    """The world around the bot, an operator's folder, and the environment that names both; the bot is not started."""
    opened = await Rig.open(database_url=sqlite_url, start=False)
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    (tmp_path / "policy.toml").write_text(POLICY)
    for name, value in {
        "SLACK_BOT_TOKEN": "xoxb-playground",
        "SLACK_SIGNING_SECRET": "playground-signing-secret",
        "SLACK_API_URL": opened.workspace.api_url,
        "SECRET_KEY": SECRET_KEY,
        "DATABASE_URL": sqlite_url,
        "PAYMENTS_BASE_URL": opened.payments.base_url,
        "PAYMENTS_PARTNER_ID": "partner",
        "PAYMENTS_PARTNER_SECRET": "partner-secret",
        "LOCALIZATION_BASE_URL": opened.localization.base_url,
        "LOCALIZATION_API_KEY": opened.localization.api_key,
    }.items():
        monkeypatch.setenv(name, value)
    yield opened
    await opened.workspace.stop()
    await opened._stack.aclose()


async def report(capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit code, and what the operator reads."""
    code = await doctor.examine()
    return code, capsys.readouterr().out


async def test_where_all_is_well(rig: Rig, capsys: pytest.CaptureFixture[str]) -> None:
    code, shown = await report(capsys)
    assert code == 0, shown
    assert shown.endswith("Nothing stands in the way.\n")
    for line in (
        "ok       the policy policy.toml is readable",
        "ok       the database can be read; the audit has 0 rows",
        "ok       no unread answers from the services",
        "ok       Slack knows us in the workspace",
        "ok       the bot token has every scope that is used",
        "ok       the bot is in the channel of approvals (C0APPROVE)",
        "ok       approvers: 3 people",
        "ok       payments answers and knows us",
        "ok       localization answers; whether its key is good, only a call with an effect can show",
        "warning  delivery is not configured; everything else works without it\n"
        "         → to use it, set DELIVERY_BASE_URL, DELIVERY_MASTER_KEY",
        "warning  PUBLIC_URL is missing",
        "warning  payments.commit_payout (",
    ):
        assert line in shown, shown
    assert not rig.workspace.messages(ALERTS)


async def test_no_secret_is_ever_printed(rig: Rig, capsys: pytest.CaptureFixture[str]) -> None:
    _, shown = await report(capsys)
    for secret in (
        "xoxb-playground",
        "playground-signing-secret",
        SECRET_KEY,
        "partner-secret",
        rig.localization.api_key,
    ):
        assert secret not in shown


async def test_a_database_that_is_not_there_is_not_made(
    rig: Rig, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite+aiosqlite:///{tmp_path}/elsewhere.db")
    code, shown = await report(capsys)
    assert code == 0
    assert "warning  the database is not ready: There is no database" in shown
    assert "→ run `switchboard migrate`" in shown
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".db"] == []  # noqa: ASYNC240 - at once


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("PORT", "many", "error    PORT: must be a whole number"),
        ("SLACK_SIGNING_SECRET", "", "error    SLACK_SIGNING_SECRET is missing"),
        ("SLACK_BOT_TOKEN", "xoxb-wrong", "error    Slack: invalid_auth"),
        ("PAYMENTS_PARTNER_SECRET", "wrong", "error    payments: "),
        ("LOCALIZATION_BASE_URL", "http://127.0.0.1:9", "error    localization: nobody answers at http://127.0.0.1:9"),
        ("POLICY_FILE", "elsewhere.toml", "error    POLICY_FILE: there is no file 'elsewhere.toml'"),
        ("SERVICES_FILE", "elsewhere.toml", "error    SERVICES_FILE: elsewhere.toml cannot be read"),
    ],
)
async def test_a_mistake_is_named_with_its_mend(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, value: str, line: str
) -> None:
    monkeypatch.setenv(name, value)
    code, shown = await report(capsys)
    assert code == 1
    assert line in shown, shown
    assert "to mend before it can run" in shown


async def test_everything_wrong_is_named_at_once(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {
        "PORT": "many",
        "SECRET_KEY": "",
        "POLICY_FILE": "none.toml",
        "SERVICES_FILE": "no.toml",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("PAYMENTS_PARTNER_SECRET")
    code, shown = await report(capsys)
    assert code == 1
    for line in (
        "error    PORT: must be a whole number",
        "error    SECRET_KEY is missing",
        "error    POLICY_FILE: there is no file 'none.toml'",
        "error    SERVICES_FILE: no.toml cannot be read",
        "warning  payments is only partly configured",
    ):
        assert line in shown, shown


async def test_a_database_server_that_is_away_is_not_called_locked(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://somebody:pass-sentinel@127.0.0.1:1/x")
    code, shown = await report(capsys)
    assert code == 1
    assert "error    the database does not answer: " in shown
    assert "→ The database server cannot be used: see whether it runs" in shown
    assert "locked" not in shown
    assert "pass-sentinel" not in shown


async def test_a_channel_without_the_bot_is_named(rig: Rig, capsys: pytest.CaptureFixture[str]) -> None:
    rig.workspace.set_channel("C0APPROVE", bot_member=False)
    code, shown = await report(capsys)
    assert code == 1
    assert "error    channel of approvals (C0APPROVE): the bot is no member, or there is no such channel" in shown
    assert "→ type /invite @Switchboard there" in shown


async def test_nobody_who_could_approve(rig: Rig, capsys: pytest.CaptureFixture[str]) -> None:
    rig.workspace.set_group("S0TREASURY", ["U0GUS", "U0EVE"])
    code, shown = await report(capsys)
    assert code == 1
    assert "error    approvers: 0 of the people named are full, active members of this workspace; 1 needed" in shown


async def test_a_service_that_is_down(rig: Rig, capsys: pytest.CaptureFixture[str]) -> None:
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "partner", times=None))
    code, shown = await report(capsys)
    assert code == 1
    assert "error    payments: " in shown


async def test_a_rule_that_nobody_could_meet(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Lin leaves; of Ada and Tom the latter may ask as well, so there is one for what he asks."""
    rig.workspace.set_group("S0TREASURY", ["U0ADA", "U0TOM"])
    _, shown = await report(capsys)
    line = "approval.rule 1 (over 1000.00 USD): quorum: asks for 2 besides the requester, and only 1 of the approvers"
    assert f"warning  {line}" in shown
    monkeypatch.setenv("ENVIRONMENT", "production")
    code, shown = await report(capsys)
    assert code == 1
    assert f"error    {line}" in shown


async def test_a_duplicate_needs_one_more_than_there_are(rig: Rig, capsys: pytest.CaptureFixture[str]) -> None:
    code, shown = await report(capsys)
    assert code == 0
    assert "warning  a duplicate of the largest kind needs one more approver" in shown
    rig.workspace.set_group("S0FINANCE", ["U0MARIA"])
    assert "a duplicate of the largest kind" not in (await report(capsys))[1]


async def test_a_database_older_than_its_anchors_is_an_error(
    rig: Rig, sqlite_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = AnchorFile(anchors_path(sqlite_url), key=derived_key(SECRET_KEY, "anchor"))
    file.append(Anchor(at=datetime.now(UTC), seq=9, head="f" * 64))
    code, shown = await report(capsys)
    assert (code, f"error    the database is older than {file.path}" in shown) == (1, True)
    await rig.start()
    await rig.switchboard.stop()
    code, shown = await report(capsys)
    assert (code, "error    Switchboard only reads" in shown) == (1, True)


async def test_an_answer_that_could_not_be_read_comes_with_the_line_that_mends_it(
    rig: Rig, sqlite_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
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
    code, shown = await report(capsys)
    assert code == 0
    assert (
        "warning  payments.create_payout, status 201: 2 unread answers, last 2026-11-20 10:00 UTC. Not found: id. "
        "Fields: uid (text), rows (list of 0)\n"
        "         → add to the file that SERVICES_FILE names, and restart:\n"
        "           [payments.create_payout.reply]\n"
        '           id = "uid"\n'
    ) in shown
    assert "value-sentinel" not in shown
    assert "payments.partner" not in shown
    assert "no unread answers" not in shown


async def test_an_older_database_is_read_all_the_same(
    rig: Rig, sqlite_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with sqlite3.connect(sqlite_url.partition("///")[2]) as raw:
        raw.execute("DROP TABLE unread_answer")
    raw.close()
    code, shown = await report(capsys)
    assert code == 0, shown
    assert "ok       the database can be read" in shown
    assert "no unread answers" not in shown
