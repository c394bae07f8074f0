"""The invariants of what people read: cards, news in their threads, and alerts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bot.playground.simulators.recorder import Call
from bot.playground.workspace import Message
from tests.support.rig import ALERTS, APPROVALS, is_card
from tests.world.books import Record

if TYPE_CHECKING:
    from tests.world.world import World

Finding = tuple[str, str]
"""The code of an invariant, and the observation."""

FINAL = frozenset({
    "completed", "canceled", "failed", "rejected", "withdrawn", "expired", "refused", "mismatch", "closed",
})  # fmt: skip
OVER = FINAL | {"needs_human"}
SETTLED = frozenset({"completed", "canceled", "failed"})
_WORDS = {
    "completed": "paid",
    "refused": "failed",
    "mismatch": "failed",
    "closed": "failed",
    "needs_human": "needs a decision",
    "commit_unknown": "not confirmed yet",
    "pending_escrow": "waiting for sign-up",
}
"""Words of cards and news for a state, where they differ from its name."""
_FINAL_WORDS = frozenset(f"*{_WORDS.get(state, state).capitalize()}*" for state in FINAL)
"""Bold, so that a reason that quotes one does not count."""
_REMINDERS = 3


class Conversation:
    def __init__(self, world: World) -> None:
        self._world = world
        self._read = 0

    def shown(self, row: Record) -> Iterator[Finding]:
        ask = self._world.asked(row["id"])
        if ask is None:
            return
        for card in self._world.cards(row["reference"]):
            for version in self._world.workspace.versions(card.channel, card.ts):
                if f"${ask.cents / 100:,.2f} " not in version.text or ask.email not in version.text:
                    yield "I3", f"a card does not show {ask.cents} to {ask.email}: {version.text[:200]}"

    def told(self, rows: list[Record]) -> Iterator[Finding]:
        """A final word is told once in a conversation, when the request is final, and after a read has said so."""
        for row in rows:
            said = Counter(
                (one.channel, word)
                for one in self._replies(row)
                for word in _FINAL_WORDS
                if one.thread_ts and word in one.text
            )
            for (channel, word), count in said.items():
                if count > 1:
                    yield "I6", f"{row['reference']}: {word} was told {count} times in {channel}"
            if said and row["state"] not in FINAL:
                yield "I6", f"{row['reference']} is {row['state']}, but {sorted(word for _, word in said)} was told"
        new = self._world.witness.said[self._read :]
        self._read += len(new)
        for row in rows if new else ():
            if row["state"] in SETTLED:
                for message in new:
                    if self._is_reply(message, row) and _told(row["state"]) in message.text:
                        yield from self._confirmed(row, message)

    def _confirmed(self, row: Record, message: Message) -> Iterator[Finding]:
        before = self._world.payments.calls[: self._world.witness.calls_before[message.channel, message.ts]]
        if not any(
            record.get("id") == row["remote_id"] and str(record.get("status", "")).casefold() == row["state"]
            for call in before
            for record in _records_in(call)
        ):
            yield "I6", f"{row['state']} was told before the service's record said so"

    def ended(self, row: Record) -> Iterator[Finding]:
        cards = [card for card in self._world.cards(row["reference"]) if card.thread_ts in ("", card.ts)]
        by_channel = Counter(card.channel for card in cards)
        own = sum(count for channel, count in by_channel.items() if channel != APPROVALS)
        if by_channel[APPROVALS] > 1 or own > 1:
            yield "C1", f"cards: {dict(by_channel)}"
        if (not cards or (own == 0 and self._asked_elsewhere(row))) and not self._world.gave_up:
            yield "C1", "the requester has no card"
        for card in cards:
            yield from self._card(card, row)
        if row["state"] in OVER:
            yield from self._news(row)
        alerts = self._world.workspace.messages(ALERTS)
        if row["state"] in ("needs_human", "mismatch") and not any(row["reference"] in one.text for one in alerts):
            yield "I10", f"nobody was called for {row['reference']}, {row['state']}"

    def repeated(self, rows: list[Record]) -> Iterator[Finding]:
        """No news and no alert twice, where neither people nor the policy change meanwhile."""
        steps = self._world.books.audit()
        for row in rows:
            own = [one for one in steps if one.instruction_id == row["id"]]
            entered = Counter(step.after for step in own if step.after != step.before)
            most = max(1, entered["commit_unknown"], entered[row["state"]])
            for (_, text), count in Counter((one.channel, one.text) for one in self._replies(row)).items():
                if count > (_REMINDERS if text.startswith(":bell:") else most):
                    yield "I6", f"the same news {count} times: {text[:60]}"
        asked = sum(one.after == "needs_human" != one.before for one in steps)
        for text, count in Counter(one.text for one in self._world.workspace.messages(ALERTS)).items():
            if count > (asked if "couldn't be confirmed" in text else 1):
                yield "C1", f"the same alert {count} times: {text[:120]}"

    def _card(self, card: Message, row: Record) -> Iterator[Finding]:
        word = _WORDS.get(str(row["state"]), str(row["state"])).capitalize()
        if not card.text.startswith(f"{word}: "):
            yield "C2", f"a card in {card.channel} does not say {word}: {card.text[:300]}"
        if row["state"] in FINAL and card.buttons:
            yield "C2", f"a final card in {card.channel} has buttons"
        for vote in self._world.books.votes(row["id"]):
            if vote["round"] == row["round"] and f"<@{vote['person']}>" not in approved_by(card):
                yield "I8", f"the vote of {vote['person']} is not on the card in {card.channel}"
        if row["state"] == "needs_human" and card.channel == APPROVALS:
            # Only Close, with where to look, when the service holds a record that may be this one.
            offered = {button.text for button in card.buttons}
            if offered != ({"Close as not paid"} if row["suspect"] else {"Retry", "Close as not paid"}):
                yield "C2", f"a card that needs a decision offers {sorted(offered)}"
            if row["suspect"] and row["suspect"] not in card.text:
                yield "C2", "a card does not say which record a person should look at"

    def _news(self, row: Record) -> Iterator[Finding]:
        """The state is told once, where it was requested; nobody is told what they did, or what an alert calls for."""
        steps = [one for one in self._world.books.audit() if one.instruction_id == row["id"]]
        entered = Counter(step.after for step in steps if step.after != step.before)
        times, word = entered[row["state"]], _told(row["state"])
        if row["state"] == "needs_human" or (row["state"] == "withdrawn" and row["decided_by"] == row["requester"]):
            times = 0
        replies = self._replies(row)
        elsewhere = self._asked_elsewhere(row)
        told = Counter(one.channel == APPROVALS for one in replies if word in one.text)
        for approvers, expected in ((True, 0 if elsewhere else times), (False, times if elsewhere else 0)):
            if told[approvers] != expected:
                who = "approvers" if approvers else "requester"
                yield "I6", f"{word} was told {told[approvers]} times to the {who}"

    def _asked_elsewhere(self, row: Record) -> bool:
        """Whether the requester has a card of their own: who asks where approvers decide reads theirs."""
        ask = self._world.asked(row["id"])
        return ask is None or ask.channel != APPROVALS

    def _replies(self, row: Record) -> list[Message]:
        return [one for one in self._world.workspace._state.log.everywhere() if self._is_reply(one, row)]

    def _is_reply(self, message: Message, row: Record) -> bool:
        """Cards have a headline, or are a line; news have neither."""
        return (
            row["reference"] in message.text
            and not message.ephemeral_to
            and message.channel != ALERTS
            and not is_card(message)
            and (message.channel != APPROVALS or message.thread_ts not in ("", message.ts))
        )


def _told(state: str) -> str:
    return f"*{_WORDS.get(state, state).capitalize()}*"


def roots(world: World, channel: str) -> list[Message]:
    return [one for one in world.workspace.messages(channel) if one.thread_ts in ("", one.ts) and not one.ephemeral_to]


def approved_by(card: Message) -> str:
    return card.text.partition("Approved by ")[2]


def _records_in(call: Call) -> list[dict[str, Any]]:
    if call.operation not in ("get_operation", "list_operations") or not isinstance(call.response, dict):
        return []
    listed = call.response.get("data", [call.response])
    return listed if isinstance(listed, list) else []
