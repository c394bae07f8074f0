"""What the database must hold, and the audit."""

from tests.mutants.mutant import mutants

MUTANTS = mutants(r"""
@ storage/engine.py tests/storage/test_engine.py
the database file itself is not locked | one process works on a SQLite file
-        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
-        names
+        names
@ storage/maintenance.py tests/storage/test_keys.py -k 'not postgres'
garbled anchors pass for a power failure | the key is not changed where anchors were changed
- or anchors.forged or anchors.unreadable:
+ or anchors.forged:
@ bot/domain/anchors.py tests/storage/test_anchors.py
any half a line before an anchor passes for a power failure | an anchor that was changed is found
- and torn_hash(lines[number - 2]) == found.torn
@ bot/domain/anchors.py tests/domain/test_anchors.py
a forged anchor is believed | nobody without the key writes an anchor
-            hmac.compare_digest(written.strip().encode(), line(found, key=one).encode())
-
+            written.strip() and line(found, key=one)
+
@ bot/workflows/admin/clocks.py tests/workflows/admin/test_clocks.py
each process moves the rows of a clock that was set | what waits is moved once
-        if steps != known:
-            return steps
-
@ storage/repositories/admin.py tests/workflows/admin/test_clocks.py
deadlines stay where a clock that was set put them | an approval and its window are as long as the policy says
-("posted_at", "expires_at", "exec_deadline", "sent_at", "unknown_since", "last_read_at")
+()
the quiet period begins where a clock that was set put it |
nothing is sent again while the first request may be on its way
-"sent_at", "unknown_since"
+"unknown_since"
@ bot/workflows/slack/outbox.py tests/workflows/admin/test_clocks.py
a lost post is looked for by the clock as it was then | messages go out once
-on_any_clock(begun, ctx.clock.now(), steps)
+(begun, ctx.clock.now())
@ bot/workflows/slack/outbox.py tests/workflows/slack/test_busy_channel.py
a search after a lost post begins anew | a lost post is found however slowly Slack lets us look
-        if stretch is not None and cursor:
-
+        if False:
+
a search goes on where one before the last post stopped | what is posted again is looked for where it may stand
-    await ctx.write(lambda uow: uow.outbox.note(row.id, payload), name="searched", wakes=False)
-    return replace(row, payload=payload)
-
+    return row
+
a wait that Slack asked for is an attempt | nothing is posted twice because Slack was busy
-    counted = asked is None and cursor in ("", known)
-
+    counted = True
+
@ bot/workflows/slack/outbox.py tests/workflows/slack/test_conversations.py
posts of a conversation do not wait for each other | what is posted in one conversation comes in its order
-    await turn.begin()
-
@ bot/workflows/payments/sought.py tests/workflows/admin/test_clocks.py
what may be ours is compared with the time that our clock said then | a record that may be ours keeps a new attempt away
-uow.now, uow.audit.every(CLOCK_SET))
+uow.now, [])
@ storage/peers.py tests/storage/test_slots.py
the shared second is halved | several processes send no more than ten requests a second together
-_SECOND = 1.001
+_SECOND = 0.5
of several processes a request without an answer counts for a second |
a request that may still be under way counts against the ten
-UNANSWERED = 2.0
+UNANSWERED = 1.07
@ storage/peers.py tests/storage/test_peers.py
nobody looks who is gone when a lock is | what a dead process worked on goes on at once
-        if missing:
-            self.ends += 1
+        if missing:
+            self.ends += 0
@ storage/repositories/payments.py tests/storage/test_money.py -k 'not postgres'
each payment has the daily limit to itself | a day's payments stay below the daily limit together
-        if self.sum(day) + cents > limit_cents:
+        if cents > limit_cents:
money that was given back still counts | what was not sent does not use the daily limit up
-where(reservation.c.day == day, reservation.c.released.is_(False))
+where(reservation.c.day == day)
a closed attempt is closed again | the first outcome of an attempt is its outcome
- attempt.c.n == n, attempt.c.outcome == AttemptOutcome.OPEN)
+ attempt.c.n == n)
votes of every round are read | a new attempt needs new approvals
-vote.c.instruction_id == bindparam("wanted"), vote.c.round == bindparam("wanted_round")
+vote.c.instruction_id == bindparam("wanted"), vote.c.round <= bindparam("wanted_round")
@ storage/repositories/payments.py tests/storage/test_queues.py -k 'not postgres'
what changed is read as seldom as what never does | a bulk payment that goes on is read soon again
-counted = {"polls": 0} if afresh else {}
+counted: dict[str, int] = {}
@ storage/repositories/callbacks.py tests/storage/test_queues.py -k 'not postgres'
an address of a callback never expires | an old address opens nothing
-    sa.or_(token.c.expires_at.is_(None), token.c.expires_at > sa.bindparam("now", type_=Moment)),
+    sa.or_(token.c.expires_at.is_(None), sa.bindparam("now", type_=Moment).is_not(None)),
@ storage/repositories/leased.py tests/storage/test_queues.py -k 'not postgres'
a lease keeps nobody off | two processes never work on one thing
-    due = sa.and_(*which, table.c.due_at <= now, free(table, now), table.
+    due = sa.and_(*which, table.c.due_at <= now, table.
@ storage/repositories/slack.py tests/storage/test_queues.py -k 'not postgres'
later news overtakes earlier news | what is posted in one place comes in its order
-        free_to_go=~sa.exists().where(_EARLIER.c.subject == outbox.c.subject, *_BEHIND),
-
a post is held beyond its lease | who was too slow does not post what somebody else may be posting
-*same, outbox.c.lease_until > now, OPEN,
+*same, OPEN,
a post without an answer is sent again | news is looked for before it is posted again
-sending, dead, state=OutboxState.UNKNOWN,
+sending, dead, state=OutboxState.NEW,
@ bot/slack/pace.py tests/slack/test_client.py
Slack is called within the time it asked us to wait | no call is made into a wait that is known
-        wait = self._pace.begin(api_method, channel)
-        if wait:
-
+        wait = self._pace.begin(api_method, channel)
+        if False:
+
@ storage/repositories/requests.py tests/storage/test_instructions.py -k 'not postgres'
a transition does not ask for the version | nothing is decided on a row that has changed
-        table.c.version == bindparam("same_version"),
-
+        table.c.version <= bindparam("same_version") + bindparam("same_version"),
+
what is being sent is handed to a second worker | a request that is under way is nobody else's
-CLAIMED = frozenset(State) - EFFECT_UNDER_WAY
+CLAIMED = frozenset(State)
@ bot/workflows/workers.py tests/workflows/test_workers.py
a step that takes long loses its lease | what a living process works on is nobody else's
-                with ctx.leases.kept(work.table, key):
+                if key:
@ bot/workflows/admin/resume.py tests/workflows/admin/test_takeover.py
who lost its connection for a moment is called dead | a slow but living process loses nothing
-    gone = missing & (await _gone(ctx, peers) or set())
+    gone = missing
after a restart of the server everybody is called dead | a slow but living process loses nothing
-    if peers.connected_for() < _SETTLED:
+    if peers.connected_for() < 0:
what a dead process worked on is not let go | the steps of a process that was killed go on at once
-    return uow.steps.expire(owner, uow.now)
+    return 0
@ storage/sealing.py tests/storage/test_sealing.py
a sealed key opens in another row | the key of one store is of no use to another
-f"{_VERSION}|{self.key_id}|{column}|{row}".encode()
+f"{_VERSION}|{self.key_id}|{column}".encode()
@ storage/anchors.py tests/storage/test_anchors.py
an anchor is written behind half a line | a power cut costs one anchor, not two
-text = ("\n" if half else "") + line
+text = line
@ bot/domain/audit.py tests/domain/test_audit.py
a changed audit row is not noticed | the audit shows every change
-        if row.seq != seq or row.previous != previous or seal(row, key=keys.at(seq)) != row.hash:
+        if row.seq != seq or row.previous != previous:
an audit row may follow any other | rows of two chains cannot be mixed
-        if row.seq != seq or row.previous != previous or seal(row, key=keys.at(seq)) != row.hash:
+        if row.seq != seq or seal(row, key=keys.at(seq)) != row.hash:
who did it is not sealed | the audit shows who really did it
-"actor":{quoted(row.actor)},"after"
+"after"
a cut end of the audit is not noticed | rows cut off at the end are missed
-    if end is not None and type(end[0]) is int and end[0] > count:
+    if end is not None and type(end[0]) is int and end[0] < 0:
an anchored row may be replaced | another database in place of ours is noticed
-            if anchor.head != row.hash:
+            if not anchor.head:
""")
