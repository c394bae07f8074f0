"""Mistakes of the samples that change nothing anybody could see, each with the reason; found by their text.

What could be seen, however seldom, does not belong here: it gets a test.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.mutants.sample.planting import Planted

_CHANGE = r"((?:^[^-+\n].*\n)+)((?:^-.*\n)+)((?:^\+.*\n)*)"


@dataclass(frozen=True, slots=True)
class Equivalent:
    """One such mistake: the lines before and after it, and the function where the same line stands in several."""

    file: str
    before: str
    after: str
    reason: str
    scope: str = ""

    def is_it(self, one: Planted) -> bool:
        """Whether this is the planted mistake, wherever it moved in its file."""
        same = (self.file, _plain(self.before), _plain(self.after)) == (one.file, _plain(one.before), _plain(one.after))
        return same and self.scope in ("", one.scope)

    def stands_in(self, source: str) -> bool:
        """Whether the file still says what is changed."""
        return _plain(self.before) in _plain(source)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _changes(text: str) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield file, function, reason, old and new lines of each change in a text like a diff."""
    for part in re.split(r"^@ ", text, flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        assert re.fullmatch(f"(?:{_CHANGE})+", body, re.MULTILINE), head
        file, _, scope = head.partition(" ")
        for words, old, new in re.findall(_CHANGE, body, re.MULTILINE):
            yield file, scope, " ".join(words.split()), _without_signs(old), _without_signs(new)


def _without_signs(lines: str) -> str:
    return "\n".join(line[1:] for line in lines.splitlines())


EQUIVALENT = tuple(
    Equivalent(file, before, after, reason, scope)
    for file, scope, reason, before, after in _changes("""
@ bot/tables/package.py
the size of the pieces in which a part is read: all pieces together are the same bytes
-_BLOCK = 64 * 1024
+_BLOCK = 64 * 512
@ storage/migrations/versions/0001_baseline.py
the order of two columns: every statement names the columns it reads and writes
-*required(sa.Text, "payee_email"),
-    *required(sa.BigInteger, "cents"),
+*required(sa.BigInteger, "cents"),
+    *required(sa.Text, "payee_email"),
the order in which columns or constraints are named: every statement names the columns it reads and writes
-of_instruction("reservation"),
-    sa.PrimaryKeyConstraint("instruction_id", "n", name=op.f("pk_reservation")),
+sa.PrimaryKeyConstraint("instruction_id", "n", name=op.f("pk_reservation")),
+    of_instruction("reservation"),
the name of a key that no statement and no later migration refers to
-sa.PrimaryKeyConstraint("key", name=op.f("pk_flag")),
+sa.PrimaryKeyConstraint("key"),
@ bot/workflows/payments/payout.py
how many leftovers are read side by side: each is read daily at most, and none waits for another for long
-WATCH = polling("orphans", kind=ORPHAN, slots=20, read=_read, apply=_left_behind, stored_as="orphan")
+WATCH = polling("orphans", kind=ORPHAN, slots=10,
+    read=_read, apply=_left_behind, stored_as="orphan")
how many leftovers are read side by side: each is read daily at most, and none waits for another for long
-WATCH = polling("orphans", kind=ORPHAN, slots=20, read=_read, apply=_left_behind, stored_as="orphan")
+WATCH = polling("orphans", kind=ORPHAN, slots=21,
+    read=_read, apply=_left_behind, stored_as="orphan")
@ bot/workflows/payments/payout.py observe
what is answered about a request that goes on: its callback asks whether the request is over, and no one else asks
-return False
+return True
@ bot/workflows/emails/lists.py
addresses stored in one transaction while a list is taken in: all transactions together store the same rows
-_AT_ONCE = 2_000
+_AT_ONCE = 2001
@ handlers/localize.py
an ack without an answer either way; the type checker refuses it
-return Nothing()
+return None
@ bot/wiring/http.py
sets the limit that is in force already
-if soft != resource.RLIM_INFINITY and soft < most:
+if soft != resource.RLIM_INFINITY and soft <= most:
@ bot/presentation/payments/operations.py
one character more of a text that is cut 500 before Slack would
-while told and len(told[-1]) < room:
+while told and len(told[-1]) <= room:
one character more of a text that is cut 500 before Slack would
-_EVENT_CHARACTERS = 3_500
+_EVENT_CHARACTERS = 3501
@ handlers/slack_http.py
one of fifty thousand signatures, a spare capacity: the database remembers them all
-while self._seen and (len(self._seen) > _REMEMBERED or next(iter(self._seen.values())) < now - _REPLAY_WINDOW):
+while self._seen and (len(self._seen) >= _REMEMBERED or next(iter(self._seen.values())) < now - _REPLAY_WINDOW):
@ storage/tables/queues.py
the order in which columns or constraints are named: every statement names the columns it reads and writes
-Column("id", Text, primary_key=True),
-Column("kind", Text, nullable=False),
+Column("kind", Text, nullable=False),
+Column("id", Text, primary_key=True),
@ storage/tables/instructions.py
the order in which columns or constraints are named: every statement names the columns it reads and writes
-Column("due_at", Moment),
-*leased("instruction"),
-Column("closed_at", Moment),
+Column("closed_at", Moment),
+*leased("instruction"),
+Column("due_at", Moment),
the order in which columns or constraints are named: every statement names the columns it reads and writes
-instruction_id(),
-Column("kind", Named(CallbackKind), nullable=False),
+Column("kind", Named(CallbackKind), nullable=False),
+instruction_id(),
the migrations make the table, and every statement that adds a row of the audit gives its number
-Column("seq", BigInteger, primary_key=True, autoincrement=False),
+Column("seq", BigInteger, primary_key=True, autoincrement=True),
@ storage/repositories/unread.py
of two equal moments either is the newest
-newest = sa.case((unread.c.last_seen > last, unread.c.last_seen), else_=last)
+newest = sa.case((unread.c.last_seen >= last, unread.c.last_seen), else_=last)
@ bot/tables/formats.py
a format with @ and no digits shows a number as General does, and disguises nothing
-49: "@",
+49: "@x",
@ storage/repositories/leased.py
the names are those of the statement's columns: as many as a row has
-dict(zip(query.names, row, strict=True))
+dict(zip(query.names, row, strict=False))
@ bot/workflows/bookings/follow.py
where a record was taken, the lease has ended already: there is none to release
-if seen is None:
+if True:
@ handlers/lists.py
the size of the pieces in which a file is sent: all pieces together are the same bytes
-_PIECE: Final = 64 * 1024
+_PIECE: Final = 32 * 1024
@ bot/slack/messenger.py
the time of a message is a text in every answer of Slack, which names the message by it
-return None if found is None else Posted(stretch.channel, str(found["ts"]))
+return None if found is None else Posted(stretch.channel, (found["ts"]))
@ bot/domain/payments/recipient.py
a distance is the same in both directions
-found = sorted((distance(domain, one), one) for one in known if is_near(domain, one))
+found = sorted((distance(one, domain), one) for one in known if is_near(domain, one))
@ bot/presentation/payments/purchases.py
the largest sum of a purchase has 15 characters: none is cut
-Column(title="USD", most=30, align="right"),
+Column(title="USD", most=60, align="right"),
@ bot/workflows/bookings/book.py
how many bookings are sent or searched for side by side: one that finds no place waits for the next free one
-slots=50,
+slots=51,
@ bot/workflows/emails/run.py
one answer more or less that is stored with its group: the others are stored with the next, a moment later
-while self._under_way and len(self._answers) * _GROUP < len(self._under_way):
+while self._under_way and len(self._answers) * _GROUP <= len(self._under_way):
@ bot/domain/addresses.py
a host that is not empty gets a name or is refused: only an address without a host has none
-host = URL.build(scheme="http", host=host).raw_host or ""
+host = URL.build(scheme="http", host=host).raw_host or "x"
@ bot/workflows/payments/bulk.py
how many bulk payments are read side by side: one that finds no place waits for the next free one
-POLLS = polling("bulk polls", kind=BULK, slots=8, read=_read, apply=_polled, stored_as="bulk_polled")
+POLLS = polling("bulk polls", kind=BULK, slots=9, read=_read, apply=_polled, stored_as="bulk_polled")
@ bot/workflows/bookings/stores.py
a name that is the store's own is not free: it is the store's
-if folded(name) != row.folded and free:
+if True and free:
a store that is removed makes nothing due: workers that are woken find nothing more to do
-await ctx.write(give_up, name="stores_settled", wakes=False)
+await ctx.write(give_up, name="stores_settled", wakes=True)
@ bot/clients/limiter.py
a slot is answered after it left, which sets it
-self._left = 0.0
+pass
@ bot/workflows/workers.py
no kind of work has as many slots, of which the smaller number counts
-room: Callable[[Context], int] = lambda _: 1_000
+room: Callable[[Context], int] = lambda _: 1001
@ bot/workflows/admin/damage.py
the key of the only such table is one column long
-by = uow.steps.hold(_BELONGS[found.table], found.key[:1], number=number)
+by = uow.steps.hold(_BELONGS[found.table], found.key[:2], number=number)
@ bot/domain/text.py
a secret that is escaped three times stands in no line: two is the most of what is written
-for _ in range(2):  # e.g. a dictionary's repr in a line of JSON
+for _ in range(3):  # e.g. a dictionary's repr in a line of JSON
@ bot/domain/payments/bulk_records.py
words of the same rank before the end: each rank has one status and one spelling, and the same word is no news
-return old is None or (new is not None and rank(new) >= rank(old))
+return old is None or (new is not None and rank(new) > rank(old))
""")
)
