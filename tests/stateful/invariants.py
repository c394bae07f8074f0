"""The promises, checked from what an onlooker saw: the service's ledger and calls, the workspace, the database.

The numbers are those of the design's list of invariants. Nothing here uses the bot's own judgement; states, words
and rules are written down a second time on purpose.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.domain.audit import GENESIS, seal
from bot.domain.references import derived_key
from bot.playground.simulators.ledger import EntryKind
from bot.playground.workspace import Message
from tests.stateful.books import SECOND, Books, Record
from tests.stateful.onlooker import SENDS, Arrival, Onlooker, reports
from tests.stateful.people import Law, Register
from tests.support.rig import OLGA, SECRET_KEY

FINAL = frozenset({
    "completed", "canceled", "failed", "rejected", "withdrawn", "expired", "refused", "mismatch", "closed",
})  # fmt: skip
RANKS = {"committed": 1, "pending_escrow": 2, "completed": 3, "canceled": 3, "failed": 3}
"""How far the service has carried it, for the states that only the service's word leads to."""
THEIR_WORDS = {
    "committed": "committed", "pending_escrow": "pending", "completed": "completed", "canceled": "canceled",
    "failed": "failed",
}  # fmt: skip
FINAL_WORDS = {
    "completed": "*completed*", "canceled": "*canceled*", "failed": "*failed*", "rejected": "*rejected*",
    "withdrawn": "*withdrawn*", "expired": "*expired*", "refused": "*failed*", "mismatch": "*failed*",
    "closed": "*failed*",
}  # fmt: skip
_GUARD_SECONDS = 5
_WINDOW_SECONDS = 3_600


class Broken(AssertionError):
    """A promise that was not kept, by its number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What somebody typed, and the policy then."""

    requester: str
    email: str
    cents: int
    law: Law


@dataclass(slots=True)
class Invariants:
    """Holds what was seen against the promises. ``law`` is the policy of the process that runs."""

    onlooker: Onlooker
    books: Books
    register: Register
    law: Law
    asks: dict[str, Ask] = field(default_factory=dict)
    """By instruction id."""
    lasting: set[tuple[str, str, str]] = field(default_factory=set)
    """Votes that people were told are recorded: instruction, person, choice."""
    alarms: list[str] = field(default_factory=list)
    sent: list[Arrival] = field(default_factory=list)
    _seen: dict[str, tuple[str, int]] = field(default_factory=dict)
    _stands: dict[str, str] = field(default_factory=dict)
    _last_hash: str = GENESIS
    _rows: int = 0
    _news: int = 0

    # when a request with an effect reaches the service

    def arrived(self, arrival: Arrival) -> None:
        """Hold a request against what the database held when it came; what is wrong is raised by ``check``."""
        self.alarms += self._claimed(arrival)
        if arrival.call.operation in SENDS:
            self.alarms += self._allowed(arrival)
            self.sent.append(arrival)

    def _claimed(self, arrival: Arrival) -> Iterator[str]:
        row, name = arrival.instruction, arrival.call.operation
        if row is None:
            yield f"I12: {name} belongs to no instruction"
            return
        kind = "create" if name == "create_payout" else "commit"
        attempt = arrival.attempts[-1] if arrival.attempts else None
        if attempt is None or attempt["outcome"] != "open" or attempt["kind"] != kind:
            yield f"I12: {name} without an open attempt"
        elif arrival.at - attempt["claimed_at"] / SECOND > _GUARD_SECONDS:
            yield f"I1: {name} left {arrival.at - attempt['claimed_at'] / SECOND} s after its claim"
        if row["state"] != ("creating" if kind == "create" else "sending"):
            yield f"I12: {name} while it is {row['state']}"
        same = [one for one in self.sent if one.instruction is not None and one.instruction["id"] == row["id"]]
        claims = [one for one in arrival.attempts if one["kind"] == "commit" and one["outcome"] != "abandoned"]
        if kind == "commit" and len(same) + 1 > len(claims):
            yield f"I1: {len(same) + 1} requests for {len(claims)} claims"

    def _allowed(self, arrival: Arrival) -> Iterator[str]:
        row = arrival.instruction
        if row is None or row["id"] not in self.asks:
            yield "I2: something is sent that nobody asked for"
            return
        ask = self.asks[row["id"]]
        yield from self._is_what_was_asked(arrival, row, ask)
        able = self.register.approvers(self.law, arrival.at)
        voters = {one["person"] for one in arrival.votes if one["round"] == row["round"]}
        counted = (voters & able) - {ask.requester}
        needed = max(ask.law.quorum(ask.cents), self.law.quorum(ask.cents), row["requirement"]["quorum"])
        if len(counted) < needed:
            yield f"I2: sent with {sorted(counted)} of {sorted(voters)}, needs {needed}"
        if ask.requester in voters and len(voters & able) - 1 < needed:
            yield "I4: the requester was counted"
        if arrival.frozen:
            yield "I2: sent while payments are frozen"
        latest = max((one["at"] for one in arrival.votes), default=0) / SECOND
        if arrival.at - latest > _WINDOW_SECONDS:
            yield f"I2: sent {arrival.at - latest} s after the last approval"
        day = int(arrival.at // 86_400)
        entries = self.onlooker.payments.ledger.entries
        today = sum(one.cents for one in entries if one.kind is EntryKind.PAYOUT and int(one.at // 86_400) == day)
        if today + ask.cents > self.law.daily_cents and not self._somebody_else_paid():
            yield f"I2: {today + ask.cents} cents in a day"

    def _is_what_was_asked(self, arrival: Arrival, row: Record, ask: Ask) -> Iterator[str]:
        payload = row["payload"]
        if (payload["email"], payload["cents"]) != (ask.email, ask.cents):
            yield f"I3: the database holds {payload['email']} {payload['cents']}, asked was {ask.email} {ask.cents}"
        words = {
            "kind": row["kind"],
            "code": row["code"],
            "email": ask.email,
            "amount": f"{ask.cents // 100}.{ask.cents % 100:02d}",
            "description": payload["description"],
        }
        if hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest() != row["digest"]:
            yield "I3: the digest is of something else"
        for card in self.cards(row["reference"]):
            if f"{ask.cents // 100}.{ask.cents % 100:02d} USD to {ask.email}" not in card.text:
                yield f"I3: a card shows something else: {card.text}"
        record = self.onlooker.payments.operations.get(row["remote_id"])
        if record is not None and (record.email, record.cents) != (ask.email, ask.cents):
            yield f"I3: sent is {record.email} {record.cents}, approved was {ask.email} {ask.cents}"
        body = arrival.call.body
        if arrival.call.operation == "one_step_payout" and isinstance(body, dict):
            sent = (body.get("email"), round(float(body.get("amount", 0)) * 100))
            if sent != (ask.email, ask.cents):
                yield f"I3: sent {sent}"

    # after every rule

    def check(self) -> None:
        """Hold everything seen so far against the promises.

        Raises:
            Broken: the first promises that are not kept.
        """
        rows = self.books.instructions()
        problems = [
            *self.alarms,
            *self._money(),
            *self._states(rows),
            *self._truth(rows),
            *self._lasting(),
            *self._audit(rows),
            *self._told(rows),
        ]
        if problems:
            raise Broken("; ".join(problems[:4]))

    def _money(self) -> Iterator[str]:
        payments = self.onlooker.payments
        left = Counter(one.code for one in payments.ledger.entries if one.kind is EntryKind.PAYOUT)
        yield from (f"I1: {code} was paid {count} times" for code, count in left.items() if count > 1)
        if payments.calls_of("cancel_payout"):
            yield "I5: something was canceled"

    def _states(self, rows: list[Record]) -> Iterator[str]:
        for row in rows:
            before, after = self._seen.get(row["id"], ("", 0)), (row["state"], row["version"])
            if before[0] in FINAL and row["state"] != before[0]:
                yield f"I9: {row['reference']} went from {before[0]} to {row['state']}"
            if RANKS.get(row["state"], 0) < RANKS.get(before[0], 0):
                yield f"I9: {row['reference']} fell from {before[0]} to {row['state']}"
            if after[1] < before[1]:
                yield f"I9: {row['reference']} went from version {before[1]} to {after[1]}"
            self._seen[row["id"]] = after
        gone = set(self._seen) - {row["id"] for row in rows}
        yield from (f"I8: {one} vanished" for one in gone | (set(self.asks) - set(self._seen)))

    def _truth(self, rows: list[Record]) -> Iterator[str]:
        """I6, I7: what the database and the cards claim of the service, the service itself has said."""
        for row in rows:
            word = THEIR_WORDS.get(row["state"])
            history = self.onlooker.history.get(row["remote_id"] or "", [])
            if word is not None and word not in history:
                yield f"I7: {row['reference']} is {row['state']}, the service only said {history}"
            for card in self.cards(row["reference"]):
                if "*completed*" in card.text and "completed" not in history:
                    yield f"I6: a card says completed, the service only said {history}"

    def _lasting(self) -> Iterator[str]:
        held = {(row["instruction_id"], row["person"], row["choice"]) for row in self.books.rows("SELECT * FROM vote")}
        yield from (f"I8: the vote {vote} was recorded and is gone" for vote in self.lasting - held)

    def _audit(self, rows: list[Record]) -> Iterator[str]:
        key = derived_key(SECRET_KEY, "audit")
        for row in self.books.audit(self._rows):
            if row.seq != self._rows + 1 or row.previous != self._last_hash or seal(row, key=key) != row.hash:
                yield f"I12: the chain breaks at row {row.seq}"
            self._rows, self._last_hash = row.seq, row.hash
            if row.instruction_id:
                stands = self._stands.get(row.instruction_id, "")
                if row.before != stands:
                    yield f"I12: row {row.seq} begins at {row.before!r}, it stood at {stands!r}"
                self._stands[row.instruction_id] = row.after
                yield from self._authority(row.instruction_id, row.actor, row.action, row.at / SECOND)
        for one in rows:
            if self._stands.get(one["id"]) != one["state"]:
                yield f"I12: {one['reference']} is {one['state']}, the audit says {self._stands.get(one['id'])}"

    def _authority(self, instruction_id: str, actor: str, action: str, at: float) -> Iterator[str]:
        ask = self.asks.get(instruction_id)
        if ask is None:
            return
        if action in ("approve", "retry", "rejected", "closed"):
            if actor == ask.requester:
                yield f"I4: the requester did {action}"
            if actor not in self.register.approvers(self.law, at):
                yield f"I2: {actor} did {action}"
        if action == "withdrawn" and actor not in (ask.requester, OLGA):
            yield f"I2: {actor} did {action}"

    def _told(self, rows: list[Record]) -> Iterator[str]:
        """I6: a final word is said once in a conversation, and after the service has told it."""
        by_reference = {row["reference"]: row for row in rows}
        for reference, row in by_reference.items():
            said = Counter(
                (one.channel, one.thread_ts, word) for one in self.news(reference) for word in _words_in(one.text)
            )
            yield from (
                f"I6: {reference}: {word} was said {n} times in {where}"
                for (where, _, word), n in said.items()
                if n > 1
            )
            if row["state"] not in FINAL and said and any("unknown" not in word for _, _, word in said):
                yield f"I6: {reference} is {row['state']}, but {sorted(word for _, _, word in said)} was said"
        for one in self.onlooker.said[self._news :]:
            self._news += 1
            about = [row for name, row in by_reference.items() if f"({name})" in one.message.text]
            for row in about if one.message.thread_ts else []:
                before = self.onlooker.payments.calls[: one.calls]
                is_told = row["state"] in ("completed", "canceled") and FINAL_WORDS[row["state"]] in one.message.text
                if is_told and not any(row["state"] in reports(call, row["remote_id"]) for call in before):
                    yield f"I6: {row['reference']} was told {row['state']} before it was read"

    # what people see

    def cards(self, reference: str) -> list[Message]:
        """Every copy of a card, as it is now."""
        return [
            message
            for message in self.onlooker.workspace._state.log.everywhere()
            if not message.ephemeral_to and message.text.startswith(f"Payout {reference}:")
        ]

    def news(self, reference: str) -> list[Message]:
        """What was said of an instruction in the threads of its cards."""
        return [
            message
            for message in self.onlooker.workspace._state.log.everywhere()
            if not message.ephemeral_to and f"({reference})" in message.text and message.thread_ts
        ]

    def _somebody_else_paid(self) -> bool:
        ours = {one.instruction["code"] for one in self.sent if one.instruction is not None}
        return any(one.code not in ours for one in self.onlooker.payments.ledger.entries)


def _words_in(text: str) -> list[str]:
    """The final words a piece of news says; bold, so that a reason that quotes one does not count."""
    return [word for word in sorted(set(FINAL_WORDS.values())) if word in text]
