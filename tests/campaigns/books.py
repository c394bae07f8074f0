"""Invariants after processes were killed, checked from the ledger, the workspace and the database by plain SQL."""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg

from bot.playground.simulators.ledger import EntryKind
from tests.campaigns.traffic import EMAIL, Typed
from tests.process.approver import Approver
from tests.process.scene import Scene, stored
from tests.support.rig import APPROVALS, FINANCE

_REFERENCE = re.compile(r"\b[A-Z]-[0-9A-Z]{6}\b")
_BULK = "bulk"
Record = dict[str, Any]


async def broken(scene: Scene, url: str, *, typed: Sequence[Typed], approver: Approver) -> list[str]:
    book = _Book(url)
    found = [*_money(scene, book, typed), *_requests(book, typed), *_conversation(scene, book)]
    found += [*_votes(book, approver), *_queues(book), *_histories(book)]
    _, verdict = await stored(url)
    return [*found, *([f"audit: {verdict.problem}"] if verdict.bad_seq is not None else [])]


class _Book:
    def __init__(self, url: str) -> None:
        self._url = url
        self.requests = self._rows("SELECT id, reference, kind, code, payload, state FROM instruction ORDER BY id")
        for one in self.requests:
            one["payload"] = json.loads(one["payload"]) if isinstance(one["payload"], str) else one["payload"]
        self.items = self._rows("SELECT instruction_id, email, cents, status FROM bulk_item")
        self.votes = self._rows("SELECT instruction_id, person FROM vote")
        self.outbox = self._rows("SELECT key, state, last_error FROM outbox")
        self.inbox = self._rows("SELECT id, state FROM inbox")
        self.audit = self._rows('SELECT instruction_id, "after" FROM audit ORDER BY seq')

    def paid(self) -> Iterator[tuple[str, int]]:
        for one in self.requests:
            if one["kind"] == _BULK:
                mine = (item for item in self.items if item["instruction_id"] == one["id"])
                yield from ((item["email"], item["cents"]) for item in mine if item["status"] == "completed")
            elif one["state"] == "completed":
                yield one["payload"]["email"], one["payload"]["cents"]

    def asked(self) -> Iterator[int]:
        for one in self.requests:
            if one["kind"] == _BULK:
                yield from (item["cents"] for item in self.items if item["instruction_id"] == one["id"])
            else:
                yield one["payload"]["cents"]

    def _rows(self, query: str) -> list[Record]:
        if self._url.startswith("sqlite"):
            with closing(sqlite3.connect(Path(self._url.partition("///")[2]))) as connection:
                connection.row_factory = sqlite3.Row
                return [dict(row) for row in connection.execute(query)]
        with psycopg.connect(self._url, row_factory=psycopg.rows.dict_row) as connection:
            return [dict(row) for row in connection.execute(query.encode())]


def _money(scene: Scene, book: _Book, typed: Sequence[Typed]) -> Iterator[str]:
    left = [one for one in scene.payments.ledger.entries if one.kind is EntryKind.PAYOUT]
    wanted = {cents for one in typed for cents in one.cents}
    for cents, times in Counter(one.cents for one in left).items():
        if times > 1:
            yield f"paid {times} times: {cents} cents"
        if cents not in wanted:
            yield f"paid and never asked for: {cents} cents"
    for one in left:
        if one.email.casefold() != EMAIL:
            yield f"paid to somebody else: {one.email}"
    ledger, stored = {(one.email, one.cents) for one in left}, set(book.paid())
    yield from (f"paid and not known as completed: {one}" for one in sorted(ledger - stored))
    yield from (f"told as completed and not paid: {one}" for one in sorted(stored - ledger))


def _requests(book: _Book, typed: Sequence[Typed]) -> Iterator[str]:
    stored = Counter(book.asked())
    for one in typed:
        for cents in one.cents:
            if one.accepted and not stored[cents]:
                yield f"acknowledged and lost: {one.kind} {cents} cents"
            if stored[cents] > 1:
                yield f"asked once, stored {stored[cents]} times: {cents} cents"
    yield from (f"not ended: {one['reference']} {one['state']}" for one in book.requests if one["state"] != "completed")


def _conversation(scene: Scene, book: _Book) -> Iterator[str]:
    references = {one["reference"] for one in book.requests}
    for channel in (FINANCE, APPROVALS):
        cards = Counter(_reference(card.text) for card in scene.cards(channel))
        ends = Counter(_reference(text) for text in scene.news(channel) if _tells_the_end(text))
        for name, found, where in (("card", cards, True), ("news of the end", ends, channel == FINANCE)):
            missing = sorted(references - set(found)) if where else []
            yield from (f"no {name} in {channel}: {one}" for one in missing)
            most = 1 if where else 0
            yield from (f"{times} times {name} in {channel}: {one}" for one, times in found.items() if times > most)
        yield from (f"a button is left in {channel}: {card.text[:60]}" for card in scene.cards(channel) if card.buttons)


def _tells_the_end(text: str) -> bool:
    return re.search(r"\*(Paid|All \d+ paid)\*", text) is not None


def _votes(book: _Book, approver: Approver) -> Iterator[str]:
    ids = {one["reference"]: one["id"] for one in book.requests}
    voted = {one["instruction_id"] for one in book.votes if one["person"] == approver.user}
    for text in approver.acknowledged:
        reference = _reference(text)
        if ids.get(reference) not in voted:
            yield f"an acknowledged approval is lost: {reference}"


def _queues(book: _Book) -> Iterator[str]:
    yield from (
        f"not posted: {one['key']} {one['state']} {one['last_error']}" for one in book.outbox if one["state"] != "sent"
    )
    yield from (f"a callback without an end: {one['id']}" for one in book.inbox if one["state"] == "received")


def _histories(book: _Book) -> Iterator[str]:
    last = {one["instruction_id"]: one["after"] for one in book.audit if one["after"]}
    for one in book.requests:
        if last.get(one["id"]) != one["state"]:
            yield f"the audit says {last.get(one['id'])}, the database {one['state']}: {one['reference']}"


def _reference(text: str) -> str:
    found = _REFERENCE.search(text)
    return found[0] if found else text[:40]
