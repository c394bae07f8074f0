"""What is believed absent, and what is believed refused."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/domain/proof.py tests/laws/test_outcome.py -k second_list
one list proves absence | a list that lags behind does not prove that nothing was paid
-LOOKS_NEEDED = 2
+LOOKS_NEEDED = 1
@ bot/workflows/requests/look_again.py tests/laws/test_outcome.py -k second_list
lists in one breath count as several | lists that prove absence lie apart
-looks = instruction.reads + 1
+looks = instruction.reads + 2
what was sent is looked for once | what the second list shows was there all the time
-    elif not absent or asks_people_already(instruction):
+    elif asks_people_already(instruction):
it is created again after one look | what the second list shows was created
-    elif absent and not asked and instruction.creates < MAX_CREATES:
+    elif look.shows_nothing and not asked and instruction.creates < MAX_CREATES:
@ bot/workflows/requests/look_again.py tests/workflows/payments/test_absent.py -k two_looks
it is sent again after one look | a new attempt waits for two looks where there was none before
-        if absent:
-            return True
-
+        if look.shows_nothing:
+            return True
+
@ bot/workflows/requests/look_again.py tests/workflows/requests/test_look_again.py -k third_read
still created is believed after one read | after an outage of reading, one read does not prove that nothing was paid
-    if silence_is_proven(instruction, reads=reads, quiet=uow.quiet, now=uow.now):
+    if silence_is_proven(instruction, reads=3, quiet=uow.quiet, now=uow.now):
@ bot/workflows/payments/bulk.py tests/workflows/payments/test_absent.py -k held_before
the history before a submission is forgotten | what the history held before is not taken for ours
-        if job.id in known or await
+        if await
@ bot/workflows/payments/bulk.py tests/flow/test_bulk_queue.py -k reads_no_history
those that wait do not look whether another one is in flight | one that waits reads nothing
-    if uow.bulk_flights.flying() in (None, instruction.id):
+    if True:
@ storage/repositories/payments.py tests/flow/test_bulk_queue.py -k unknown_holds
two bulk payments are in flight | the next bulk payment is sent when the one before it has its answer, not before
-            return holder == instruction_id
+            return True
@ bot/workflows/payments/sought.py tests/domain/payments/test_evidence.py
a list without codes proves absence | a list proves nothing that would not have shown our code
-        return Reason(OfRequest.NO_CODES) if hides_all or hides_the_latest else
+        return Reason(OfRequest.NO_CODES) if hides_the_latest and not hides_the_latest else
who paid the same under no code is not noticed | a record that may be ours keeps a new attempt away
-            self.suspects.append(operation)
-
+            pass
+
@ bot/domain/payments/instruction.py tests/domain/payments/test_evidence.py
a code in another case is another code | services write codes as they like
-    return "".join((code or "").split()).casefold()
+    return code or ""
@ bot/workflows/requests/decide.py tests/laws/test_outcome.py -k keeps_retry_away
a new attempt is voted for beside what may be ours | nothing is sent again while a record stands that may be ours
-        if found.suspect is not None:
-
+        if found.suspect == found.id:
+
@ bot/workflows/payments/payout.py tests/laws/test_outcome.py -k done_refused
a refused commit is believed unread | what was done and refused is not told as not paid
-        return await reread(payments, instruction, outcome)
+        return outcome
@ bot/workflows/payments/payout.py tests/laws/test_outcome.py -k raises_one_alert
what was refused is not watched | a refused payout that is paid after all raises an alert
-State.MISMATCH, State.REFUSED})
+State.MISMATCH})
@ bot/workflows/payments/payout.py tests/workflows/payments/test_refused.py -k another_amount
what was created with another amount is left alone | a payout that is not what was asked is watched
-        end(uow, instruction, State.MISMATCH, together(wrong), remote_id=operation.id)
+        end(uow, instruction, State.MISMATCH, together(wrong))
@ bot/workflows/requests/attempt.py tests/laws/test_outcome.py -k 'done_refused or refusal_ends'
a refusal that nothing agrees with is believed unread | what was done and refused is not told as not paid
-            lose(uow, under_way, attempt, outcome.in_doubt())
+            _put_off(uow, under_way, attempt, outcome)
@ bot/workflows/requests/announce.py tests/laws/test_outcome.py -k raises_one_alert
what was refused without an id is not looked for | a refused one-step payout that is paid after all raises an alert
-    unnamed = state is State.REFUSED and known is None and bool(sent)
+    unnamed = state is State.CLOSED and known is None and bool(sent)
@ bot/workflows/payments/callbacks.py tests/workflows/payments/test_refused.py -k kept_until
a callback about a refused payout is swallowed | a hint is kept until what it is about was read
-        elif unread and uow.now - row.received_at < _PATIENCE:
+        elif False:
""")
