"""Instructions: what goes in comes out, the first transition wins, leases keep others off."""

from dataclasses import fields, replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select, text

from bot.domain.payments.instruction import FINAL, Instruction, Kind, Recipient, State
from bot.domain.payments.moves import MACHINES
from bot.domain.reasons import OfRequest, Reason, given
from storage import Conflict, StorageError, Store, Tx
from storage.repositories.requests import Changes
from storage.tables.instructions import instruction as table
from tests.storage.factories import NOW, ask, claims, instruction, later, unit
from tests.support.rows import audit_rows

_LEASE: dict[str, Any] = {"lease_owner": "a", "lease_until": later(30)}


async def test_request_is_stored_unchanged(store: Store) -> None:
    asked = await ask(store, created_at=NOW + timedelta(microseconds=123456))
    moments = ["posted_at", "expires_at", "exec_deadline", "sent_at", "held_at", "unknown_since", "last_read_at"]
    changes: Any = {name: later(n) for n, name in enumerate([*moments, "due_at", "lease_until", "closed_at"])}
    changes |= {name: n for n, name in enumerate(("reads", "round", "creates", "commits", "puts_off"), 1)}
    changes |= {name: f"a {name}" for name in ("remote_id", "remote_status", "svc_hash", "decided_by")}
    changes |= {"lease_owner": "a", "stopped": "0a1b2c3d", "reason": given("because \U0001f600")}
    changes |= {"recipient": Recipient(full_name="Ana \u202e", active=True)}
    changed = await unit(store).instructions.touch(asked, now=NOW, **changes)
    assert changed is not None
    assert {name: getattr(changed, name) for name in changes} == changes
    assert await unit(store).instructions.get(asked.id) == changed
    frozen = {"id", "reference", "kind", "payload", "code", "digest", "requirement", "requester", "origin_channel"}
    frozen |= {"created_at", "source_key", "state", "version", "tries", "errors", "seal"}
    assert {field.name for field in fields(Instruction)} == frozen | set(Changes.__annotations__)


async def test_released_requests_resume_in_order_and_spaced(store: Store) -> None:
    async def held(deadline: float, **other: Any) -> str:
        made = replace(
            instruction(state=State.APPROVED, due_at=later(60)),
            reason=Reason(OfRequest.ANOTHER_IS_SENT),
            exec_deadline=later(deadline),
        )
        assert await unit(store).instructions.insert(replace(made, **other), actor="U1")
        return made.id

    third, first, second, fourth = [await held(deadline) for deadline in (300, 100, 200, 400)]
    soon = await held(50, due_at=later(1))
    left = [
        await held(10, **other)
        for other in (
            {"kind": Kind.PURCHASE},
            {"state": State.AWAITING},
            {"reason": Reason(OfRequest.RESTORED)},
            {"lease_owner": "a", "lease_until": later(1)},
        )
    ]

    async def due(ids: list[str]) -> list[datetime]:
        query = select(table.c.id, table.c.due_at)
        found = await store.read(lambda tx: dict(tx.instructions._connection.execute(query).all()))
        return [found[one] for one in ids]

    def go_on(tx: Tx, now: datetime) -> None:
        apart = timedelta(seconds=2)
        full = Reason(OfRequest.ANOTHER_IS_SENT)
        tx.instructions.go_on(kind=Kind.PAYOUT, state=State.APPROVED, reason=full, now=now, apart=apart, limit=4)

    await store.write(lambda tx: go_on(tx, NOW))
    assert await due([soon, first, second, third]) == [NOW, later(2), later(4), later(6)]
    assert await due([fourth, *left]) == [later(60)] * 5
    await store.write(lambda tx: go_on(tx, later(5)))
    assert await due([soon, first, second, third]) == [NOW, later(2), later(4), later(6)], "never later than before"


async def test_unstorable_text_is_repaired(store: Store) -> None:
    asked, odd = await ask(store), "a\x00b\ud800c"
    changed = await unit(store).instructions.touch(asked, now=NOW, remote_status=odd, reason=given(odd))
    assert changed is not None
    held = await unit(store).instructions.get(asked.id)
    assert held.remote_status == "a\ufffdb\ufffdc"
    assert (held.payload.description, held.reason) == (asked.payload.description, given(odd))  # JSON holds it as it is


async def test_repeated_submission_makes_one_request(store: Store) -> None:
    asked = await ask(store)
    assert not await unit(store).instructions.insert(asked, actor="U1")
    rows = await store.read(audit_rows)
    assert [(row.entry.action, row.entry.after) for row in rows] == [("requested", "new")]
    assert await unit(store).instructions.by_source(asked.source_key) == asked


async def test_request_is_found_by_what_a_person_types(store: Store) -> None:
    asked, other = await ask(store), await ask(store)
    await unit(store).instructions.touch(asked, now=NOW, remote_id="Op-7")
    # The service gives the other one an id that reads like ours.
    await unit(store).instructions.touch(other, now=NOW, remote_id=asked.reference)
    names = (asked.reference, f"  {asked.reference.lower()} ", asked.id.lower(), asked.code, "Op-7")
    wanted = dict.fromkeys(names, asked.id)
    wanted |= dict.fromkeys(("", "  ", "op-7", "P-nothing", "%", "' OR 1=1 --"), "")
    found = {text: await unit(store).instructions.find(text) for text in wanted}
    assert {text: one.id if one else "" for text, one in found.items()} == wanted


async def test_same_payments_counts_earlier_rows_only(store: Store) -> None:
    at = NOW + timedelta(days=1)
    asked = [instruction(email="Ana@Example.com", cents=100) for _ in range(2)]
    first, other = sorted(asked, key=lambda one: one.id, reverse=True)
    for one in (first, other, instruction(email="ana+x@example.com", cents=100)):
        await unit(store).instructions.insert(one, actor="U1")

    async def found(before: str = "") -> list[str]:
        wanted = [("ana@example.com", 100)]
        same = await unit(store).instructions.same_payments(wanted, since=at, again_since=at, before=before)
        return [one.reference for one in same]

    assert await found() == [first.reference, other.reference]
    assert (await found(first.id), await found(other.id)) == ([], [first.reference])


async def test_first_transition_wins(store: Store) -> None:
    asked = await ask(store)
    touched = await unit(store).instructions.touch(asked, now=NOW, reads=1)

    def withdraw(tx: Tx, seen: Instruction) -> Instruction | None:
        return tx.instructions.move(seen, State.WITHDRAWN, now=later(1), actor="U1", action="withdrawn")

    assert await store.write(lambda tx: withdraw(tx, asked)) is None, "an older view"
    first = await store.write(lambda tx: withdraw(tx, touched))
    assert first is not None
    assert (first.state, first.version, first.closed_at, first.due_at) == (State.WITHDRAWN, 3, later(1), None)
    assert await store.write(lambda tx: withdraw(tx, touched)) is None
    rows = await store.read(audit_rows)
    assert [(row.entry.before, row.entry.after) for row in rows] == [("", "new"), ("new", "withdrawn")]


async def test_only_the_arrows_of_the_machine(store: Store) -> None:
    asked = await ask(store)
    refused = [state for state in State if not MACHINES[Kind.PAYOUT].allows(State.NEW, state)]
    for state in refused:
        with pytest.raises(ValueError, match="no way"):
            await unit(store).instructions.move(asked, state, now=NOW, actor="", action="x", **_LEASE)
    with pytest.raises(ValueError, match="lease"):
        await unit(store).instructions.move(asked, State.CREATING, now=NOW, actor="", action="x")
    frozen: Any = {"digest": "0"}
    with pytest.raises(TypeError, match="digest"):
        await unit(store).instructions.touch(asked, now=NOW, **frozen)
    assert await store.read(lambda tx: (tx.instructions.get(asked.id), tx.audit.head().seq)) == (asked, 1)


@pytest.mark.parametrize("kind", Kind)
async def test_every_arrow_can_be_taken(store: Store, kind: Kind) -> None:
    for before, after in sorted((one, to) for one, targets in MACHINES[kind].arrows.items() for to in targets):
        asked = replace(instruction(state=before), kind=kind)
        assert await unit(store).instructions.insert(asked, actor="U1")
        moved = await unit(store).instructions.move(asked, after, now=NOW, actor="bot", action="x", **_LEASE)
        assert moved.closed_at == (NOW if after in FINAL else None)


async def test_database_refuses_duplicate_reference_and_zero_amount(store: Store) -> None:
    asked = await ask(store)
    worthless = asked.payload.model_copy(update={"cents": 0})
    for refused in (replace(instruction(), reference=asked.reference), replace(instruction(), payload=worthless)):
        with pytest.raises(Conflict):
            await unit(store).instructions.insert(refused, actor="U1")


async def test_claiming(store: Store) -> None:
    soon, late = await ask(store, due_at=later(1)), await ask(store, due_at=later(2))
    never = await ask(store, due_at=None)

    async def claim(seconds: float, owner: str, limit: int = 9) -> list[str]:
        claimed = await claims(store, "instructions", seconds, owner, limit=limit, lease=10)
        assert all(one.lease_owner == owner and one.lease_until == later(seconds + 10) for one in claimed)
        return [one.id for one in claimed]

    assert await claim(0, "a") == []
    assert await claim(5, "a", limit=1) == [soon.id]
    assert await claim(5, "b") == [late.id]
    assert await claim(14, "b") == []
    assert await claim(15, "b") == [soon.id, late.id]
    unclaimed = await unit(store).instructions.get(never.id)
    assert unclaimed == never


@pytest.mark.parametrize(("before", "state"), [(State.NEW, State.CREATING), (State.APPROVED, State.SENDING)])
async def test_request_in_progress_is_not_claimed_again(store: Store, before: State, state: State) -> None:
    asked = await ask(store, state=before)
    await unit(store).instructions.move(asked, state, now=NOW, actor="bot", action="x", **_LEASE)
    assert await claims(store, "instructions", 3_600, "b") == []


async def test_expired_lease_loses_the_claim(store: Store) -> None:
    asked = await ask(store)
    [mine] = await claims(store, "instructions", limit=1, lease=5)
    [theirs] = await claims(store, "instructions", 5, "b", limit=1, lease=5)
    assert await unit(store).instructions.touch(mine, now=later(6), reads=1) is None
    assert await unit(store).instructions.touch(theirs, now=later(6), reads=1) is not None
    assert asked.id == theirs.id


async def test_abandoned_requests_with_an_effect(store: Store) -> None:
    alive = await ask(store, state=State.APPROVED)
    await unit(store).instructions.move(alive, State.SENDING, now=NOW, actor="bot", action="send", **_LEASE)
    await ask(store, state=State.APPROVED)  # nothing under way

    async def abandoned(seconds: float, owner: str, *, exclusive: bool) -> list[str]:
        found = await unit(store).instructions.abandoned(now=later(seconds), owner=owner, exclusive=exclusive)
        return [one.id for one in found]

    assert await abandoned(1, "b", exclusive=False) == []
    assert await abandoned(1, "a", exclusive=True) == []
    assert await abandoned(1, "b", exclusive=True) == [alive.id]
    assert await abandoned(30, "a", exclusive=False) == [alive.id]


async def test_restart_releases_claims_without_an_effect(store: Store) -> None:
    looked_at = await ask(store)
    [held] = await claims(store, "instructions", limit=1, lease=99)
    sending = await ask(store, state=State.APPROVED)
    await unit(store).instructions.move(sending, State.SENDING, now=NOW, actor="bot", action="send", **_LEASE)
    assert await unit(store).instructions.recover(owner="b") == 1
    assert await unit(store).instructions.touch(held, now=NOW, reads=1) is None
    claimed = await claims(store, "instructions", 0, "b", lease=9)
    assert [one.id for one in claimed] == [looked_at.id]


@pytest.mark.parametrize(
    "column", ["id", "reference", "kind", "payload", "code", "digest", "requester", "created_at", "source_key"]
)
async def test_database_refuses_changes_to_approved_fields(store: Store, column: str) -> None:
    await ask(store)
    with pytest.raises(StorageError, match="never changes"):
        await store.write(
            lambda tx: tx.flags._connection.execute(text(f"UPDATE instruction SET {column} = {column}"))  # noqa: S608
        )
