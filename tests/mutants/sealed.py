"""What is sent is what the sealed audit says was asked and approved."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/workflows/requests/send.py tests/workflows/requests/test_sealed_claims.py
the claim does not ask the audit | nothing is sent that the audit does not know
-    if not may_send(uow, instruction):
-        return None
-
@ bot/workflows/requests/attempt.py tests/workflows/requests/test_sealed_claims.py
the claim of a create does not ask the audit | nothing is sent that the audit does not know
-        if not may_send(uow, instruction):
-            return None
-
@ bot/workflows/payments/bulk_cancel.py tests/workflows/requests/test_sealed_claims.py
the claim of a cancellation does not ask the audit | nothing is sent that the audit does not know
-if not may_send(uow, instruction) or not as_approved(uow, instruction):
+if not as_approved(uow, instruction):
@ bot/workflows/requests/decide.py tests/workflows/requests/test_sealed_authority.py -m 'not postgres'
people decide on what the audit does not know | a decision seals no state that was forged
-        if not may_decide_on(uow, found):
-
+        if False:
+
@ bot/workflows/requests/advance.py tests/workflows/requests/test_sealed_authority.py -m 'not postgres'
a step does not ask the audit | what disagrees is held, with an alert
-    instruction = await authority.checked(ctx, claimed)
-
+    instruction: Instruction | None = claimed
+
@ bot/workflows/requests/authority.py tests/workflows/requests/test_sealed_authority.py -m 'not postgres'
a gap in the chain is no reason | a deleted audit row does not bring back what was decided
-return () if gap is None else (Disagreement(Odd.GAP, (str(gap),)),)
+return ()
a flag alone lifts a freeze | a freeze is lifted by approvers
-return flag or sealed
+return flag
@ bot/workflows/requests/authority.py tests/writer/test_writer.py -k has_named
what a cancellation has named is not compared | an outcome that is not known is not made known by a changed row
-return found if sent == named else (*found, Disagreement(Odd.ITEMS))
+return found
@ bot/workflows/requests/authority.py tests/workflows/requests/test_changed_items.py -k sqlite
payments that were changed hold nothing | a bulk payment whose payments were changed is held as it stands
-            _held(uow, instruction, odd(uow, instruction))
+            _held(uow, instruction, _odd_row(uow, instruction))
payments that are still changed count as put back | a request that is held says so once
-        if has_code(instruction.reason, OfRequest.ON_HOLD) and not has_its_items(uow, instruction):
+        if False:
@ bot/domain/payments/sealed.py tests/domain/payments/test_sealed.py
a vote for another attempt leaves what was named before | what was approved again is sent
-            found.clear()
-
+            pass
+
what was asked is not compared | nothing is sent that the audit does not know
-    if not (same and instruction.intact() and content in (None, content_of(instruction.payload))):
-
+    if False:
+
who asked is not compared | nobody becomes somebody else's requester
-    if instruction.requester != first.actor or instruction.created_at != first.at:
+    if instruction.created_at != first.at:
fewer approvals are enough for what asked for more | a policy holds back, never hurries
-        requirement.quorum >= quorum
-
+        True
+
a state counts as it stands | what ended stays ended
-    if last.after != instruction.state:
-
+    if False:
+
a story may jump | a forged state is not sealed by the next row
-    if any(one.before != before.after for before, one in pairwise(entries)):
-
+    if False:
+
attempts may be fewer than were sent | what was sent is not sent again as if it were new
-    return len(attempts) == len(sends) and all(
+    return all(
another operation may be committed | what was created for it is committed
-        return instruction.remote_id == named[-1]
-
+        return True
+
the window may be longer | what was not sent in time after its approval is not sent
-latest = at + timedelta(seconds=instruction.requirement.execute_within_seconds)
+latest = at + 2 * timedelta(seconds=instruction.requirement.execute_within_seconds)
anybody's row is the row of a vote | each counted vote has its person's own row
-        if (one.actor, one.action, one.at) == (vote.person, vote.choice.value, vote.at)
-
+        if (one.action, one.at) == (vote.choice.value, vote.at)
+
votes of the ballot before count | a new attempt needs new approvals
-    ballot = entries[begun:]
+    ballot = entries
a vote counts in any round | a vote that became void stays void
-    if own.detail.get("round") == number:
-        return True
-
+    if number:
+        return True
+
a row need not be sealed | a row is what was written with the key
-if row.entry is None or not row.is_intact)
-    if changed:
+if row.entry is None)
+    if changed:
the last request may have been sent at any time | the quiet period is not shortened
-    return instruction.sent_at == last.at + timedelta(microseconds=moved)
-
+    return True
+
what is over moves along with the clock | a request that agrees is not held
-if before not in FINAL and isinstance(by, int):
+if isinstance(by, int):
a clock that was set before the approval moves its deadline | a deadline is no later than its approval allows
-if row.seq > since and row.is_intact
+if row.is_intact
a forged step of the clock moves a deadline | a deadline is no later than its approval allows
-if row.seq > since and row.is_intact
+if row.seq > since
@ storage/walked.py tests/storage/test_walked.py -m 'not postgres'
rows need not follow each other in the chain | a row that was taken away is missed
-(not span.head or row.previous == span.head)
+True
a request's own rows may be fewer than were walked | a row that was taken away is missed
-return None if there == held else
+return None if True else
the end of the chain is not compared with its note | a row that was taken away is missed
-                _require((later.last, later.head) == end, at=min(later.last, end[0]) + 1)
-
@ bot/workflows/reading_only.py tests/workflows/requests/test_sealed_authority.py -m 'not postgres'
a flag alone ends reading only | an operator ends it
-        rows = tx.audit.since(_ENTERED, RESUMED)
+        rows = []
@ bot/workflows/payments/bulk.py tests/workflows/requests/test_sealed_authority.py -m 'not postgres'
what the history held may be changed | what is in the history is not called absent
-return known if not sealed or sealed[0] == known_digest(known) else None
+return known
""")
