"""The independent checker of the invariants, which reads the ledger, the workspace and the database.

The bot's own words count only where they are the promise itself (the text of a card). The codes are those of
the project's list of invariants; ``C``, ``D`` and ``F`` are about cards, answers to people and the faults themselves.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bot.domain.references import derived_key
from bot.playground.simulators.callbacks import CallbackAttempt
from bot.playground.simulators.recorder import Call
from bot.playground.workspace import Message
from tests.chaos.people import ASKED, approved_by, roots
from tests.chaos.plans import CRASHES
from tests.chaos.records import Record
from tests.chaos.witness import Act, Arrival
from tests.chaos.world import World
from tests.support.rig import ALERTS, APPROVALS, SECRET_KEY
from tests.support.rows import verify

_FINAL = frozenset({
    "completed", "canceled", "failed", "rejected", "withdrawn", "expired", "refused", "mismatch", "closed",
})  # fmt: skip
_RANKS = {"committed": 1, "pending_escrow": 2, "completed": 3, "canceled": 3, "failed": 3}
_WORDS = {
    "refused": "failed", "mismatch": "failed", "closed": "failed", "needs_human": "needs a person",
    "commit_unknown": "unknown", "pending_escrow": "in escrow",
}  # fmt: skip
"""Words of cards and news for a state, where they differ from its name."""
_SETTLED = frozenset({"completed", "canceled", "failed"})
_LONGEST_SECONDS = 45 * 60.0
"""Half an hour and the quiet period: by then everything is final or with a person."""
_REMINDERS = 3
_ELIGIBLE = frozenset({"U0ADA", "U0LIN", "U0TOM"})
"""Full members of the home workspace in the approvers' group."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A violated invariant: its code and the observation."""

    code: str
    seen: str

    def __str__(self) -> str:
        return f"{self.code}: {self.seen}"


def check(world: World) -> list[Violation]:
    """All violations after a run; empty when every invariant holds."""
    checker = _Checker(world)
    return [Violation(code, seen) for code, seen in checker.findings()]


Finding = tuple[str, str]


class _Checker:
    def __init__(self, world: World) -> None:
        self._world = world
        self._flow = world.flow
        self._payments = world.payments
        self._rows = world.books.instructions()
        self._audit = list(world.books.audit())
        self._only_single = len(world.plan.faults) + len(world.flow.base) <= 1

    def findings(self) -> Iterator[Finding]:
        for row in self._rows:
            yield from self._money(row)
            yield from self._approval(row)
            yield from self._told(row)
            yield from self._cards(row)
            yield from self._course(row)
        yield from self._strangers()
        yield from self._callbacks()
        yield from self._people()
        yield from self._alerts()
        yield from self._chain()
        yield from self._end()

    # money

    def _money(self, row: Record) -> Iterator[Finding]:
        code, moved = row["code"], [e for e in self._payments.ledger.of_code(row["code"]) if e.kind.value == "payout"]
        if len(moved) > 1:
            yield "I1", f"money for {code} moved {len(moved)} times"
        paid = moved[self._flow.paid_outside :]
        records = self._payments.by_code(code)
        if len([record for record in records if record.executions]) > 1 or len(records) > 1:
            yield "I14", f"{len(records)} payouts at the service carry the code {code}"
        for entry in moved:
            if (entry.email, entry.cents) != (self._flow.email, self._flow.cents):
                yield "I3", f"{entry.cents} to {entry.email} instead of {self._flow.cents} to {self._flow.email}"
        settled = row["state"] in _SETTLED or row["state"] in ("committed", "pending_escrow")
        told_where = row["state"] == "needs_human" and row["suspect"] in {record.id for record in records}
        if paid and not settled and not told_where:
            yield "I6", f"money moved, but the request stands at {row['state']}"
        if settled and not paid:
            yield "I6", f"the request stands at {row['state']}, but no money ever moved"
        held = self._world.books.rows("SELECT 1 FROM reservation WHERE instruction_id = ? AND NOT released", row["id"])
        if bool(paid) != bool(held) and row["state"] not in ("needs_human", "closed"):
            yield "I2", f"paid {len(paid)} times, but {len(held)} parts of the daily limit are taken"

    def _strangers(self) -> Iterator[Finding]:
        codes = {row["code"] for row in self._rows}
        for entry in self._payments.ledger.entries:
            if entry.code not in codes:
                yield "I3", f"money moved for {entry.code}, which nobody asked for"

    def _approval(self, row: Record) -> Iterator[Finding]:
        if any(vote["person"] == self._flow.requester for vote in self._world.books.votes(row["id"])):
            yield "I4", "the requester's own vote is stored"
        for arrival in self._world.witness.arrivals:
            if arrival.instruction is not None and arrival.instruction["id"] == row["id"]:
                yield from self._arrived(arrival, arrival.instruction)
        for arrival in self._world.witness.arrivals:
            if arrival.instruction is None:
                yield "I12", f"{arrival.call.operation} for something that no row knows"

    def _arrived(self, arrival: Arrival, then: Record) -> Iterator[Finding]:
        kind = "create" if arrival.call.operation == "create_payout" else "commit"
        own = [attempt for attempt in arrival.attempts if attempt["kind"] == kind]
        if not own or own[-1]["outcome"] != "open":
            yield "I12", f"a {kind} request without an open attempt stored before it"
        if kind != "commit":
            return
        counted = {v["person"] for v in arrival.votes if v["round"] == then["round"]} & _ELIGIBLE
        counted.discard(self._flow.requester)
        if len(counted) < max(self._flow.quorum, then["requirement"]["quorum"]):
            yield "I2", f"a commit request with the votes of {sorted(counted)}"
        if then["exec_deadline"] is None or then["exec_deadline"] / 1e6 < arrival.call.at:
            yield "I2", "a commit request after the time to execute"
        if then["state"] != "sending":
            yield "I2", f"a commit request while the request stands at {then['state']}"

    # what people were told

    def _told(self, row: Record) -> Iterator[Finding]:
        """Each final state is told once per conversation, and only if the service confirmed it; no news twice."""
        if row["state"] not in _FINAL and row["state"] != "needs_human":
            return
        steps = [audit.entry for audit in self._audit if audit.entry.instruction_id == row["id"]]
        entered = Counter(step.after for step in steps if step.after != step.before)
        times = entered[row["state"]]  # *needs a person* can occur again after each new attempt
        word = f"*{_WORDS.get(row['state'], row['state'])}*"
        told = [m for m in self._replies(row) if word in m.text]
        approvals = [m for m in told if m.channel == APPROVALS]
        requester = [m for m in told if m.channel != APPROVALS]
        carded = any(_is_about(root, row) for root in roots(self._world, APPROVALS))
        if len(approvals) != (times if carded else 0):
            yield "I6", f"{word} was told {len(approvals)} times to the approvers"
        if len(requester) != times:
            yield "I6", f"{word} was told {len(requester)} times to the requester"
        for message in told:
            if row["state"] in _SETTLED and not self._confirmed(row, message):
                yield "I6", f"{word} was told before the service's record said so"
        for text, count in Counter((m.channel, m.text) for m in self._replies(row)).items():
            if count > (_REMINDERS if text[1].startswith(":bell:") else max(1, entered["commit_unknown"], times)):
                yield "I6", f"the same news {count} times: {text[1][:60]}"

    def _replies(self, row: Record) -> list[Message]:
        found = []
        for channel in self._world.workspace.channels:
            messages = self._world.workspace.messages(channel)
            rooted = {root.ts for root in roots(self._world, channel)} if channel == APPROVALS else set()
            found += [
                m
                for m in messages
                if row["reference"] in m.text
                and not m.ephemeral_to
                and not _is_card(m, row)
                and m.ts not in rooted
                and channel != ALERTS
            ]
        return found

    def _confirmed(self, row: Record, message: Message) -> bool:
        before = self._payments.calls[: self._world.witness.calls_before[message.channel, message.ts]]
        return any(
            record.get("id") == row["remote_id"] and str(record.get("status", "")).casefold() == row["state"]
            for call in before
            for record in _records_in(call)
        )

    def _cards(self, row: Record) -> Iterator[Finding]:
        by_channel: Counter[str] = Counter()
        for channel in self._world.workspace.channels:
            for card in roots(self._world, channel):
                if _is_card(card, row):
                    by_channel[channel] += 1
                    yield from self._card(card, row)
        own = sum(count for channel, count in by_channel.items() if channel != APPROVALS)
        if by_channel[APPROVALS] > 1 or own > 1:
            yield "C1", f"cards: {dict(by_channel)}"
        if own == 0 and not self._world.gave_up:
            yield "C1", "the requester has no card"

    def _card(self, card: Message, row: Record) -> Iterator[Finding]:
        word = _WORDS.get(row["state"], row["state"])
        if f"*{word}*" not in card.text:
            yield "C2", f"a card in {card.channel} does not say {word}: {card.text[:300]}"
        if row["state"] in _FINAL and card.buttons:
            yield "C2", f"a final card in {card.channel} has buttons"
        for vote in self._world.books.votes(row["id"]):
            if vote["round"] == row["round"] and f"<@{vote['person']}>" not in approved_by(card):
                yield "I8", f"the vote of {vote['person']} is not on the card in {card.channel}"
        for version in self._world.workspace.versions(card.channel, card.ts):
            amount = f"{self._flow.cents // 100}.{self._flow.cents % 100:02d} USD"
            if amount not in version.text or self._flow.email not in version.text:
                yield "I3", f"a card does not show {amount} to {self._flow.email}: {version.text[:200]}"
        if row["state"] == "needs_human" and card.channel == APPROVALS:
            yield from self._choice(card, row)

    def _choice(self, card: Message, row: Record) -> Iterator[Finding]:
        """Retry and Close; only Close, with where to look, when the service holds a record that may be this one."""
        offered = {button.text for button in card.buttons}
        if offered != ({"Close as not paid"} if row["suspect"] else {"Retry", "Close as not paid"}):
            yield "C2", f"a card that needs a person offers {sorted(offered)}"
        if row["suspect"] and row["suspect"] not in card.text:
            yield "C2", "a card does not say which record a person should look at"

    # how it went

    def _course(self, row: Record) -> Iterator[Finding]:
        steps = [audit.entry for audit in self._audit if audit.entry.instruction_id == row["id"]]
        stood = ""
        for step in steps:
            if step.before != stood:
                yield "I12", f"the audit leads from {step.before} to {step.after}, but it stood at {stood}"
            stood = step.after
            if step.before in _FINAL and step.after != step.before:
                yield "I9", f"{step.before} became {step.after}"
            if _RANKS.get(step.after, 0) < _RANKS.get(step.before, 0):
                yield "I9", f"{step.before} fell back to {step.after}"
        if steps and steps[-1].after != row["state"]:
            yield "I12", f"the audit ends at {steps[-1].after}, the row at {row['state']}"
        audited = [step.after for step in steps]
        seen = [s.state for s in self._world.witness.sightings if s.id == row["id"]]
        for course in (seen, audited):
            if any(state in _FINAL and state != course[-1] for state in course):
                yield "I9", f"a final state did not last: {course}"
        if not _is_subsequence(seen, audited):
            yield "I12", f"seen {seen}, audited {audited}"

    def _chain(self) -> Iterator[Finding]:
        verdict = verify(key=derived_key(SECRET_KEY, "audit"), rows=self._audit)
        if verdict.bad_seq is not None:
            yield "I12", f"the audit chain is broken at {verdict.bad_seq}: {verdict.problem}"
        for problem in self._world.books.rows("PRAGMA foreign_key_check") + [
            row for row in self._world.books.rows("PRAGMA integrity_check") if row["integrity_check"] != "ok"
        ]:
            yield "I12", f"the database is damaged: {problem}"

    # answers and callbacks

    def _callbacks(self) -> Iterator[Finding]:
        rows = self._world.books.rows("SELECT token_hash, state FROM inbox")
        stored = {row["token_hash"] for row in rows}
        taken = [delivery for delivery in self._payments.deliveries if delivery.delivered]
        by_remote = {row["remote_id"]: row["state"] for row in self._rows}
        addresses = {row["token_hash"] for row in self._world.books.rows("SELECT token_hash FROM callback_token")}
        for delivery in taken:
            if _address(delivery) not in addresses:
                yield "I7", "a callback to an address that we never gave was answered 2xx"
            elif _address(delivery) not in stored:
                yield "I6", "a callback was answered 2xx and is stored nowhere"
            status = self._payments.operations[delivery.operation_id].status
            if status in _SETTLED and by_remote.get(delivery.operation_id) != status and not self._flow.paid_outside:
                yield "I6", f"an accepted callback about {status} was not applied"
        for row in rows:
            if row["state"] == "received":
                yield "I6", "an accepted callback was never looked after"
        if len(rows) > len({_address(delivery) for delivery in self._payments.deliveries}):
            yield "I7", f"{len(rows)} callbacks are stored"

    def _people(self) -> Iterator[Finding]:
        """Acknowledged acts are durable, or the person was told that they are not."""
        acts = self._world.witness.acts
        for index, act in enumerate(acts):
            if not act.ack.ok or (act.user == self._flow.requester and act.what.endswith("payout.approve")):
                continue  # no answer was seen; or a vote that never counts
            later = next((other.before for other in acts[index + 1 :] if other.user == act.user), None)
            said = [
                message.text
                for message in self._world.workspace.ephemerals(act.user)
                if message.ts not in act.before and (later is None or message.ts in later)
            ]
            yield from self._answered(act, [text for text in (str(act.ack.body or ""), *said) if text])

    def _answered(self, act: Act, said: list[str]) -> Iterator[Finding]:
        if self._only_single and not (act.durable or said or act.opened):
            yield "I8", f"{act.user}'s '{act.what}' was acknowledged and is stored nowhere"
        denied = [text for text in said if "Nothing was recorded" in text]
        if act.durable and denied and not act.already:
            yield "D1", f"{act.user} was told to repeat what is stored: {denied[0][:120]}"
        if not act.durable and any(ASKED in text or "is recorded" in text for text in said):
            yield "I8", f"{act.user} was told that '{act.what}' is recorded, and it was not: {said}"

    def _alerts(self) -> Iterator[Finding]:
        asked = sum(1 for row in self._audit if row.entry.after == "needs_human" != row.entry.before)
        for text, count in Counter(m.text for m in self._world.workspace.messages(ALERTS)).items():
            if count > (asked if "needs a person" in text else 1):
                yield "C1", f"the same alert {count} times: {text[:120]}"

    def _end(self) -> Iterator[Finding]:
        world = self._world
        if world.gave_up:
            yield "I10", f"it never came to an end: {world.gave_up}"
        if not self._rows:
            yield "I10", "nothing was ever asked for"
        for row in self._rows:
            if row["state"] not in _FINAL and row["state"] != "needs_human":
                yield "I10", f"a request ends at {row['state']}"
        waited = any(row["state"] == "expired" for row in self._rows)
        lasted = world.clock.seconds() - world.disturbed_at
        if lasted > _LONGEST_SECONDS and not waited:
            yield "I10", f"it took {lasted / 60:.0f} minutes after the last disturbance"
        for row in world.books.rows("SELECT key, last_error FROM outbox WHERE state = 'dead'"):
            yield "I6", f"a message was given up: {row['key']}: {row['last_error']}"
        yield from self._hits()
        if not world.plan.faults and [row["state"] for row in self._rows] != [self._flow.ends]:
            yield "F1", f"without a fault it ends at {[row['state'] for row in self._rows]}"
        if self._flow.ends != "expired" and all(row["state"] == "expired" for row in self._rows):
            yield "I10", "everybody who had to act wanted to, and still it expired"

    def _hits(self) -> Iterator[Finding]:
        """Every planned fault occurred; of several, the first may keep a run from reaching the others."""
        world = self._world
        hit = Counter(world.hits)
        planned = Counter([*(point for point, _ in world.plan.faults[:1]), *self._flow.base])
        if any(count > 1 for count in hit.values()) or planned - hit:
            yield "I16", f"planned {[str(point) for point in planned]}, hit {[str(point) for point in world.hits]}"
        deadly = {point for point, kind in world.plan.faults if kind in CRASHES}
        if world.lives < 1 + len(deadly & set(world.hits)) - world.died_before:
            yield "I16", "the process was to die and did not"


def _records_in(call: Call) -> list[dict[str, Any]]:
    """Records of operations in the service's answer, to a read or a list."""
    if call.operation not in ("get_operation", "list_operations") or not isinstance(call.response, dict):
        return []
    listed = call.response.get("data", [call.response])
    return listed if isinstance(listed, list) else []


def _address(delivery: CallbackAttempt) -> str:
    """Identification of a callback's address."""
    return hashlib.sha256(delivery.url.rpartition("/")[2].encode()).hexdigest()


def _is_card(message: Message, row: Record) -> bool:
    """Cards begin with the word and the reference; news begin with a symbol, alerts with a light."""
    return message.text.startswith(f"Payout {row['reference']}:")


def _is_about(message: Message, row: Record) -> bool:
    return re.search(rf"\b{row['reference']}\b", message.text) is not None


def _is_subsequence(short: list[str], long: list[str]) -> bool:
    rest = iter(long)
    return all(any(item == other for other in rest) for item in short)
