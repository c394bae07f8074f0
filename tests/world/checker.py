"""The invariants, from what a witness saw: the service's ledger and calls, the workspace, and the database.

The bot's own words count only where they are the promise itself (the text of a card). States, words and rules are
written down a second time on purpose. The codes are those of the project's list of invariants (``tests/faults.toml``);
``C``, ``D`` and ``F`` are about cards, answers to people and the faults themselves.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from bot.domain.audit import GENESIS, Stored, seal
from bot.domain.references import derived_key
from bot.playground.simulators.callbacks import CallbackAttempt
from bot.playground.simulators.ledger import Entry, EntryKind
from tests.support.rig import OLGA, SECRET_KEY
from tests.world.books import SECOND, Record
from tests.world.conversation import FINAL, OVER, SETTLED, Conversation, Finding
from tests.world.law import Law
from tests.world.witness import SENDS, Arrival

if TYPE_CHECKING:
    from tests.world.world import World

_RANKS = {"committed": 1, "pending_escrow": 2, "completed": 3, "canceled": 3, "failed": 3}
"""How far the service has carried it, for the states that only the service's word leads to."""
_THEIR_WORDS = {**{state: state for state in _RANKS}, "pending_escrow": "pending"}
_GUARD_SECONDS = 5
_WINDOW_SECONDS = 3_600


@dataclass(frozen=True, slots=True)
class Violation:
    code: str
    seen: str

    def __str__(self) -> str:
        return f"{self.code}: {self.seen}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    requester: str
    email: str
    cents: int
    law: Law
    channel: str = ""


class Checker:
    """Holds what was seen in a world against the invariants: at each arrival, after any act, and at the end."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.alarms: list[Finding] = []
        self.sent: list[Arrival] = []
        self.lasting: set[tuple[str, str, str]] = set()
        """Votes that people were told are recorded: instruction, person, choice."""
        self.meddled: set[str] = set()
        """Codes of payouts that somebody changed at the service by hand."""
        self.conversation = Conversation(world)
        self._stands: dict[str, str] = {}
        self._sealed = GENESIS
        self._audited = 0
        self._course: dict[str, list[str]] = {}

    def arrived(self, arrival: Arrival) -> None:
        """Hold a request with an effect against what the database held when it reached the service."""
        self.alarms += self._claimed(arrival)
        if arrival.call.operation in SENDS:
            self.alarms += self._allowed(arrival)
            self.sent.append(arrival)

    def check(self) -> list[Violation]:
        rows = self._world.books.instructions()
        found = [*self.alarms, *self._strangers(rows), *self._sightings(rows), *self._lasting(), *self._audit(rows)]
        for row in rows:
            found += [*self._money(row), *self._truth(row), *self.conversation.shown(row)]
        found += self.conversation.told(rows)
        return [Violation(code, seen) for code, seen in found]

    def end(self) -> list[Violation]:
        violations, rows = self.check(), self._world.books.instructions()
        found = [*self._callbacks(rows), *self._database()]
        for row in rows:
            found += [*self._settled(row), *self._seen_as_audited(row), *self.conversation.ended(row)]
            if row["state"] not in OVER:
                found.append(("I10", f"a request ends at {row['state']}"))
        return [*violations, *(Violation(code, seen) for code, seen in found)]

    def _claimed(self, arrival: Arrival) -> Iterator[Finding]:
        row, name = arrival.instruction, arrival.call.operation
        if row is None:
            yield "I12", f"{name} for something that no row knows"
            return
        kind = "create" if name == "create_payout" else "commit"
        attempt = arrival.attempts[-1] if arrival.attempts else None
        if attempt is None or attempt["outcome"] != "open" or attempt["kind"] != kind:
            yield "I12", f"{name} without an open attempt stored before it"
        elif arrival.at - attempt["claimed_at"] / SECOND > _GUARD_SECONDS:
            yield "I1", f"{name} left {arrival.at - attempt['claimed_at'] / SECOND} s after its claim"
        if row["state"] != ("creating" if kind == "create" else "sending"):
            yield "I12", f"{name} while the request stands at {row['state']}"
        same = [one for one in self.sent if one.instruction is not None and one.instruction["id"] == row["id"]]
        claims = [one for one in arrival.attempts if one["kind"] == "commit" and one["outcome"] != "abandoned"]
        if kind == "commit" and len(same) + 1 > len(claims):
            yield "I1", f"{len(same) + 1} requests for {len(claims)} claims"

    def _allowed(self, arrival: Arrival) -> Iterator[Finding]:
        row, law, world = arrival.instruction, self._world.law, self._world
        ask = world.asked(row["id"]) if row is not None else None
        if row is None or ask is None:
            yield "I2", "something is sent that nobody asked for"
            return
        yield from self._is_what_was_asked(arrival, row, ask)
        able = world.register.approvers(law, arrival.at)
        voters = {one["person"] for one in arrival.votes if one["round"] == row["round"]}
        counted = (voters & able) - {ask.requester}
        needed = max(ask.law.quorum(ask.cents), law.quorum(ask.cents), row["requirement"]["quorum"])
        if len(counted) < needed:
            yield "I2", f"sent with {sorted(counted)} of {sorted(voters)}, needs {needed}"
        if ask.requester in voters and len(voters & able) - 1 < needed:
            yield "I4", "the requester was counted"
        if arrival.frozen:
            yield "I2", "sent while payments are frozen"
        latest = max((one["at"] for one in arrival.votes), default=0) / SECOND
        if arrival.at - latest > _WINDOW_SECONDS:
            yield "I2", f"sent {arrival.at - latest} s after the last approval"
        if row["exec_deadline"] is None or row["exec_deadline"] / SECOND < arrival.call.at:
            yield "I2", "sent after the time to execute"
        day = int(arrival.at // 86_400)
        today = sum(one.cents for one in self._payouts() if int(one.at // 86_400) == day)
        ours = {one.instruction["code"] for one in self.sent if one.instruction is not None}
        somebody_else_paid = any(one.code not in ours for one in world.payments.ledger.entries)
        if today + ask.cents > law.daily_cents and not somebody_else_paid:
            yield "I2", f"{today + ask.cents} cents in a day"

    def _is_what_was_asked(self, arrival: Arrival, row: Record, ask: Ask) -> Iterator[Finding]:
        payload = row["payload"]
        if (payload["email"], payload["cents"]) != (ask.email, ask.cents):
            yield "I3", f"the database holds {payload['email']} {payload['cents']}, asked was {ask.email} {ask.cents}"
        words = {
            "kind": row["kind"],
            "code": row["code"],
            "email": ask.email,
            "amount": f"{ask.cents // 100}.{ask.cents % 100:02d}",
            "description": payload["description"],
        }
        if hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest() != row["digest"]:
            yield "I3", "the digest is of something else"
        yield from self.conversation.shown(row)
        record = self._world.payments.operations.get(row["remote_id"])
        if record is not None and (record.email, record.cents) != (ask.email, ask.cents):
            yield "I3", f"sent is {record.email} {record.cents}, approved was {ask.email} {ask.cents}"
        body = arrival.call.body
        if arrival.call.operation == "one_step_payout" and isinstance(body, dict):
            sent = (body.get("email"), round(float(body.get("amount", 0)) * 100))
            if sent != (ask.email, ask.cents):
                yield "I3", f"sent {sent}"

    def _payouts(self, code: str = "") -> list[Entry]:
        entries = self._world.payments.ledger.of_code(code) if code else self._world.payments.ledger.entries
        return [one for one in entries if one.kind is EntryKind.PAYOUT]

    def _strangers(self, rows: list[Record]) -> Iterator[Finding]:
        codes = {row["code"] for row in rows}
        for entry in self._world.payments.ledger.entries:
            if entry.code not in codes:
                yield "I3", f"money moved for {entry.code}, which nobody asked for"
        if self._world.payments.calls_of("cancel_payout"):
            yield "I5", "something was canceled"

    def _money(self, row: Record) -> Iterator[Finding]:
        moved, records = self._payouts(row["code"]), self._world.payments.by_code(row["code"])
        ask = self._world.asked(row["id"])
        if len(moved) > 1:
            yield "I1", f"money for {row['code']} moved {len(moved)} times"
        if len(records) > 1:
            yield "I14", f"{len(records)} payouts at the service carry the code {row['code']}"
        for entry in moved:
            if ask is None or row["code"] in self.meddled:
                continue
            if (entry.email, entry.cents) != (ask.email, ask.cents):
                yield "I3", f"{entry.cents} to {entry.email} instead of {ask.cents} to {ask.email}"

    def _settled(self, row: Record) -> Iterator[Finding]:
        if row["code"] in self.meddled:
            return
        paid = self._payouts(row["code"])[self._world.paid_outside :]
        settled = row["state"] in SETTLED or row["state"] in ("committed", "pending_escrow")
        records = {record.id for record in self._world.payments.by_code(row["code"])}
        if paid and not settled and not (row["state"] == "needs_human" and row["suspect"] in records):
            yield "I6", f"money moved, but the request stands at {row['state']}"
        if settled and not paid:
            yield "I6", f"the request stands at {row['state']}, but no money ever moved"
        held = self._world.books.rows("SELECT 1 FROM reservation WHERE instruction_id = ? AND NOT released", row["id"])
        if bool(paid) != bool(held) and row["state"] not in ("needs_human", "closed"):
            yield "I2", f"paid {len(paid)} times, but {len(held)} parts of the daily limit are taken"

    def _sightings(self, rows: list[Record]) -> Iterator[Finding]:
        sightings = sorted(self._world.witness.sightings, key=lambda one: one.id)
        for id_, seen in groupby(sightings, key=lambda one: one.id):
            for before, after in pairwise(seen):
                yield from _left(id_, before.state, after.state)
                if after.version < before.version:
                    yield "I9", f"{id_} went from version {before.version} to {after.version}"
        known = {one.id for one in sightings} | set(self._world.asks)
        yield from (("I8", f"{id_} vanished") for id_ in known - {row["id"] for row in rows})

    def _truth(self, row: Record) -> Iterator[Finding]:
        """What the database and the cards claim of the service, the service itself has said."""
        word, history = _THEIR_WORDS.get(row["state"]), self._world.witness.history.get(row["remote_id"] or "", [])
        if word is not None and word not in history:
            yield "I7", f"{row['reference']} is {row['state']}, the service only said {history}"
        for card in self._world.cards(row["reference"]):
            if card.text.startswith("Paid: ") and "completed" not in history:
                yield "I6", f"a card says paid, the service only said {history}"

    def _lasting(self) -> Iterator[Finding]:
        votes = self._world.books.rows("SELECT instruction_id, person, choice FROM vote")
        held = {(one["instruction_id"], one["person"], one["choice"]) for one in votes}
        yield from (("I8", f"the vote {vote} was recorded and is gone") for vote in self.lasting - held)
        for id_, person, _ in held:
            ask = self._world.asked(id_)
            if ask is not None and person == ask.requester:
                yield "I4", "the requester's own vote is stored"

    def _audit(self, rows: list[Record]) -> Iterator[Finding]:
        key = derived_key(SECRET_KEY, "audit")
        for row in self._world.books.audit(self._audited):
            if row.seq != self._audited + 1 or row.previous != self._sealed or seal(row, key=key) != row.hash:
                yield "I12", f"the audit chain is broken at {row.seq}"
            self._audited, self._sealed = row.seq, row.hash
            if row.instruction_id:
                stands = self._stands.get(row.instruction_id, "")
                if row.before != stands:
                    yield "I12", f"row {row.seq} of the audit begins at {row.before!r}, it stood at {stands!r}"
                self._stands[row.instruction_id] = row.after
                self._course.setdefault(row.instruction_id, []).append(row.after)
                for before in {stands, row.before}:
                    yield from _left(row.instruction_id, before, row.after)
                yield from self._authority(row, row.instruction_id)
        for one in rows:
            if self._stands.get(one["id"]) != one["state"]:
                yield "I12", f"the audit ends at {self._stands.get(one['id'])}, the row at {one['state']}"

    def _authority(self, row: Stored, instruction_id: str) -> Iterator[Finding]:
        ask = self._world.asked(instruction_id)
        if ask is None:
            return
        if row.action in ("approve", "retry", "rejected", "closed"):
            if row.actor == ask.requester:
                yield "I4", f"the requester did {row.action}"
            if row.actor not in self._world.register.approvers(self._world.law, row.at / SECOND):
                yield "I2", f"{row.actor} did {row.action}"
        if row.action == "withdrawn" and row.actor not in (ask.requester, OLGA):
            yield "I2", f"{row.actor} did {row.action}"

    def _seen_as_audited(self, row: Record) -> Iterator[Finding]:
        """What was seen is a part of what the audit says, in its order."""
        seen = [one.state for one in self._world.witness.sightings if one.id == row["id"]]
        seen = [state for state, _ in groupby(seen)]
        rest = iter(self._course.get(row["id"], ()))
        if not all(any(state == audited for audited in rest) for state in seen):
            yield "I12", f"seen {seen}, audited {self._course.get(row['id'])}"

    def _database(self) -> Iterator[Finding]:
        books = self._world.books
        broken = [row for row in books.rows("PRAGMA integrity_check") if row["integrity_check"] != "ok"]
        for problem in books.rows("PRAGMA foreign_key_check") + broken:
            yield "I12", f"the database is damaged: {problem}"
        told_admins = "SELECT 1 FROM outbox o WHERE o.state = 'sent' AND o.key = outbox.key || ':' || o.channel"
        given_up = f"SELECT key, last_error FROM outbox WHERE state = 'dead' AND NOT EXISTS ({told_admins})"  # noqa: S608
        for row in books.rows(given_up):
            yield "I6", f"a message was given up: {row['key']}: {row['last_error']}"

    def _callbacks(self, requests: list[Record]) -> Iterator[Finding]:
        payments = self._world.payments
        rows = self._world.books.rows("SELECT token_hash, state FROM inbox")
        stored = {row["token_hash"] for row in rows}
        given = {row["token_hash"] for row in self._world.books.rows("SELECT token_hash FROM callback_token")}
        states = {row["remote_id"]: row["state"] for row in requests if row["code"] not in self.meddled}
        for delivery in payments.deliveries:
            if not delivery.delivered:
                continue
            if _address(delivery) not in given:
                yield "I7", "a callback to an address that we never gave was answered 2xx"
            elif _address(delivery) not in stored:
                yield "I6", "a callback was answered 2xx and is stored nowhere"
            record = payments.operations.get(delivery.operation_id)
            if record is None or record.code in self.meddled or self._world.paid_outside:
                continue
            if record.status in SETTLED and states.get(record.id) != record.status:
                yield "I6", f"an accepted callback about {record.status} was not applied"
        for row in rows:
            if row["state"] == "received":
                yield "I6", "an accepted callback was never looked after"
        if len(rows) > len({_address(delivery) for delivery in payments.deliveries}):
            yield "I7", f"{len(rows)} callbacks are stored"


def _left(id_: str, before: str, after: str) -> Iterator[Finding]:
    """Nothing leads out of a final state, and nothing back from what the service has said."""
    if before in FINAL and after != before:
        yield "I9", f"{id_}: {before} became {after}"
    if _RANKS.get(after, 0) < _RANKS.get(before, 0):
        yield "I9", f"{id_}: {before} fell back to {after}"


def _address(delivery: CallbackAttempt) -> str:
    return hashlib.sha256(delivery.url.rpartition("/")[2].encode()).hexdigest()
