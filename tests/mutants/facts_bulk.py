"""What bulk payments are told as, whom they go to, what a checked list leaves out, and what may be paid again."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/presentation/words.py tests/flow/test_bulk_states.py -k queued
what the service has queued reads as not sent | what was submitted is not paid a second time
-    return QUEUED if read_status(raw) is OperationStatus.CREATED else status_word(raw)
+    return status_word(raw)
@ bot/domain/payments/bulk_records.py tests/flow/test_bulk_states.py -k 'failed_as_a_whole and sqlite'
a bulk payment whose record is failed reads as sent | a failed bulk payment is told as failed
-    return instruction.kind is Kind.BULK and instruction.progress is not None and instruction.progress.failed
+    return False
@ bot/workflows/payments/bulk.py tests/flow/test_bulk_states.py -k 'leave_out and sqlite'
failures are read only for items that the list calls failed | what the items leave out has an end and a reason
-    if wanting or may_be_over(job):
+    if wanting:
@ bot/workflows/payments/bulk.py tests/workflows/payments/test_bulk_follow.py -k waited_for
an end is told before its reasons could be read | a failed payment is handed out with its reason
-    if state in FINAL and patient and read.unexplained is not None:
+    if False:
@ bot/domain/payments/bulk_records.py tests/domain/payments/test_bulk.py
the list of failures overrules a completed payment | what arrived is never called failed
-            if self._holds_out(row):
+            if False:
a failure of somebody else is given to a row | what fits no row makes none fail
-        free = [row for row in rows if item.cents in (None, row.cents) and row.row not in self._named]
+        free = [row for row in rows if row.row not in self._named]
@ bot/clients/payments/wire.py tests/clients/test_payments_answers.py -k reason
a reason inside an object is not read | a failure is told in the service's words, in whatever shape
-    if isinstance(found, dict) and depth:
+    if isinstance(found, dict) and not depth:
@ bot/clients/unread.py tests/clients/test_unread.py -k another_name
a reason that could not be read is not noted | what cannot be read shows with the line that mends it
-            self.trouble = partly
-            return cast("T", partly.found)
+            self.was_read = True
+            return cast("T", partly.found)
@ bot/workflows/payments/bulk_shown.py tests/flow/test_bulk_elsewhere.py -k 'run_on and sqlite'
rows begin anew on each page | the row that is shown is the one that is canceled
-    first = await _first_row(payments, bulk.remote_id, found)
+    first = 1
@ bot/workflows/payments/bulk_shown.py tests/flow/test_bulk_elsewhere.py -k same_state
the history takes a bulk payment with pending payments for finished | history and show say one state
-        return job.model_copy(update={"pending": known.pending})
+        return job
@ bot/workflows/payments/bulk_cancel.py tests/flow/test_bulk_elsewhere.py -k 'run_on and sqlite'
rows of a bulk payment made elsewhere are one off | the row that is shown is the one that is canceled
-        return {number: item.hash for number, item in enumerate(listed, 1)}
+        return {number: item.hash for number, item in enumerate(listed)}
@ bot/workflows/payments/bulk_again.py tests/flow/test_pay_again.py -k 'unknown and sqlite'
what the service does not call failed now is paid again | a payment of unknown outcome is never paid again
-    rows = [row for row in left if row.row in read.failing]
+    rows = left
@ bot/workflows/payments/bulk_again.py tests/flow/test_pay_again.py -k 'pressed_twice and sqlite'
a second press makes a second request | a failed row is paid again once
-        is_new = wanted.isdisjoint(_taken(uow, first))
+        is_new = True
@ bot/domain/payments/bulk_records.py tests/flow/test_pay_again.py -k on_the_second_card
rows that failed again are offered on two cards | a failed row is offered in one place
-RELEASED: Final = frozenset({State.REJECTED,
+RELEASED: Final = frozenset({State.COMPLETED, State.REJECTED,
@ storage/repositories/requests.py tests/flow/test_pay_again.py -k ended_unpaid
the first card does not follow the second request | both cards say how the failed payments stand
-        if isinstance(row.payload, BulkPayload) and row.payload.again_of:
+        if False:
@ storage/repositories/requests.py tests/flow/test_pay_again.py -k mended_file
what a mended file pays already is not noticed | the same payments need one more approver
-            if (payee, cents) in wanted
+            if False
@ storage/repositories/requests.py tests/flow/test_doors.py -k whatever_both
rows of lists are compared with nothing | a single payout and a row of a list are compared
-if names else []
+if not names else []
@ bot/workflows/requests/earlier.py tests/flow/test_held_back.py -k "second_payout and completed"
what a request was made from is not read at the claim | the first one is read again before the second is sent
-late = [Finding(one.reference, moved=True) for one in chain if reads_as_paid(uow, one)]
+found, late = (), []
@ bot/workflows/requests/earlier.py tests/flow/test_held_back.py -k alert_that
an alert since the reading is not looked at | what reads as paid since holds the second one
-if reads_as_paid(uow, one)]
+if False]
@ bot/workflows/payments/accounts.py tests/workflows/payments/test_bulk_accounts.py
a service that stays silent keeps the approvers waiting for ever | silent look-ups hold up nobody for ever
-        if trouble is not None and held.puts_off < MAX_CREATES:
+        if trouble is not None:
slow look-ups are waited for however long they take | approvers are asked after half an hour
-        if not few or ctx.clock.now() - held.created_at >= WAITS:
+        if not few:
look-ups are kept when all are made | a restart goes on where it stopped
-        uow.lookups.add(held.id, found, uow.now)
+        pass
what a check found out long ago is believed | accounts are looked up again after an hour
-uow.lookups.of(check, since=uow.now - _FRESH)
+uow.lookups.of(check)
look-ups go before what people wait for | everything else goes before look-ups
-lane=Lane.LISTING
+lane=Lane.READ
@ bot/domain/payments/lookups.py tests/domain/payments/test_names.py
a name in the file is not compared | a registered name is compared with the file's
-    fit = [names_fit(registered, name) for name in names if name] or [fits_address(registered, email)]
+    fit = [fits_address(registered, email)]
@ bot/presentation/payments/bulk.py tests/flow/test_bulk_accounts.py -k told_and_stay
what is not fine is forgotten once it is approved | what is not fine stays on the card after the approval
-        return [f"{one}." for one in accounts]
+        return []
@ bot/domain/payments/lookups.py tests/flow/test_checked_lists.py
undeliverable rows are paid | undeliverable rows are left out
-        stays = taken and bool(items) if kind in LEFT_OUT else choice.without_account
+        stays = choice.without_account
@ bot/workflows/payments/bulk_request.py tests/flow/test_checked_lists.py
rows that are taken in are paid before their sum is shown | the sum is shown before anything is asked for
-    if choice != carried.choice:
+    if choice is carried.choice:
@ bot/domain/payments/deliverability.py tests/domain/payments/test_deliverability.py
the status of an invoice is a verdict on its address | a column that may mean something else needs a plain word
-        words = _LOST_IN_VERDICTS if last in _VERDICTS else LOST if last in _STATES else frozenset()
+        words = _LOST_IN_VERDICTS
@ bot/workflows/payments/bulk_check.py tests/flow/test_check_first.py -k interrupted
a check that is interrupted begins anew | each address is asked about once
-    left = [email for payee, email in people.items() if payee not in known]
+    left = list(people.values())
""")
