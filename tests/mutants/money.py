"""Amounts, outcomes, proofs of silence and bulk payments."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/domain/money.py tests/domain/test_money.py
a single digit of cents is read as it stands | 25.5 pays 25.50, not 25.05
-int((found["cents"] or "0").ljust(2, "0"))
+int(found["cents"] or "0")
cents below ten lose their zero | what is shown and sent is the amount that was asked for
-{abs(cents) // 100}.{abs(cents) % 100:02d}
+{abs(cents) // 100}.{abs(cents) % 100}
fractions of a cent are cut off | an amount that is no number of cents is not taken for another one
-        or amount * 100 != (amount * 100).to_integral_value()
-
@ bot/domain/payments/instruction.py tests/domain/payments/test_evidence.py
an unreadable amount counts as the right one | nothing is committed whose amount the service does not state
-    if operation.cents != instruction.cents:
+    if operation.cents is not None and operation.cents != instruction.cents:
another recipient counts as the right one | money goes to nobody but who stands on the card
-        found.append(Reason(OfRequest.OTHER_RECIPIENT))
+        found.clear()
@ bot/domain/payments/instruction.py tests/domain/payments/test_evidence.py tests/workflows/payments/test_create.py
escrow ranks below committed | what is recorded never goes back
-_RANKS = {State.COMMITTED: 1, State.PENDING_ESCROW: 2}
+_RANKS = {State.COMMITTED: 2, State.PENDING_ESCROW: 1}
@ bot/domain/proof.py tests/domain/payments/test_evidence.py
one read proves that nothing was paid | 'still created' is believed after three reads, not one
-READS_NEEDED = 3
+READS_NEEDED = 1
reads in one breath count as several | reads that prove silence lie apart
-now - instruction.last_read_at >= quiet.spacing * 0.9
+now >= instruction.last_read_at
silence is proven before the quiet period is over | a request may travel slowly
-reads >= READS_NEEDED and quiet.over(sent_at=instruction.sent_at, now=now)
+reads >= READS_NEEDED
@ bot/workflows/requests/look_again.py tests/laws/test_outcome.py -k 'vanished and lost'
looks count while the request may be on its way | a request may travel slowly
-    counts = over and counts_as_read
+    counts = counts_as_read
one look is believed | 'the list does not show it' is believed after two looks
-    return counted, looks >= LOOKS_NEEDED
+    return counted, True
@ bot/workflows/requests/send.py tests/flow/test_policy_in_force.py -k frozen_payments
a freeze is not looked at in the claim | nothing is sent while payments are frozen
-    if stopped is not None:
-        _hold_back(
+    if stopped is not None and not stopped.reason:
+        _hold_back(
@ bot/domain/outcome.py tests/domain/test_outcome.py
a conflict counts as a refusal | 409 may be the answer to what was executed
-frozenset({400, 401, 403, 404, 422})
+frozenset({400, 401, 403, 404, 409, 422})
a time-out counts as not sent | a silent service may have paid
-frozenset({Failure.NOT_CONNECTED, Failure.NOT_SENT, Failure.NOT_ASKED})
+frozenset({Failure.NOT_CONNECTED, Failure.NOT_SENT, Failure.NOT_ASKED, Failure.TIMEOUT})
a refusal after an unknown attempt is believed | a refusal of the second request says nothing about the first
-    if earlier_unknown or not (again
+    if not (again
a page of HTML with 200 counts as done | a 2xx that cannot be read is unknown, never repeated
-        return Unknown(reason=Reason(code, status=status), status=status)
+        return NotExecuted(again=True, reason=Reason(Exchange.PAGE), status=status)
@ bot/domain/payments/operation.py tests/domain/payments/test_operation.py
a British spelling is an unknown status | a canceled payout is told as canceled
-    if folded == "cancelled":
-        folded = "canceled"
-
failed is not final | a failed payment stays failed
-{OperationStatus.COMPLETED, OperationStatus.CANCELED, OperationStatus.FAILED, OperationStatus.CONFIRMED}
+{OperationStatus.COMPLETED, OperationStatus.CANCELED, OperationStatus.CONFIRMED}
@ bot/domain/payments/bulk.py tests/domain/payments/test_bulk.py
failed items of a bulk payment never settle | a bulk payment with failed items comes to its end
-return self.completed + self.failed + self.canceled
+return self.completed + self.canceled
amounts are left out of a cancellation's digest | what is taken back is what was approved, to the cent
-json.dumps(sorted(amounts.items()))
+json.dumps(sorted(amounts))
one request names every hash there is | a cancellation goes out in chunks
-        if len(everything) > CHUNK:
+        if len(everything) > 100 * CHUNK:
notes are left out of the digest of a file | what is submitted is what was approved, row by row
-json.dumps([item.row, item.email, plain(item.cents), item.note])
+json.dumps([item.row, item.email, plain(item.cents)])
@ bot/domain/payments/bulk_records.py tests/domain/payments/test_bulk.py
an item leaves its final status | what was final in a list stays as it was
-    if old is not None and old.is_final:
-        return False
-
a row that is paid twice is not noticed | two payments for one row raise an alert
-            self.doubles += 1
-
a bulk payment with failures reads as canceled | failed and canceled are different words
-if tally.canceled and not tally.failed else
+if tally.canceled else
@ bot/workflows/payments/bulk_cancel.py tests/workflows/payments/test_bulk_cancel_steps.py tests/laws/test_before.py
a cancellation does not read the items again | what is no longer pending is left out of a cancellation
-_claim(uow, instruction, standings, reported)
+_claim(uow, instruction, standings, {})
a cancellation sends what was changed behind our back | exactly the approved items are canceled
-return instruction.intact() and has_its_items(tx, instruction)
+return instruction.intact()
a cancellation is verified by one look | an item that still reads as pending is looked at again
-if waiting and instruction.reads + 1 < READS_NEEDED:
+if waiting and instruction.reads > READS_NEEDED:
@ bot/workflows/payments/bulk_cancel.py tests/flow/test_return_money.py
a payout that was taken is canceled | only a payout in escrow is canceled
-    if operation.state is not OperationStatus.PENDING:
+    if False:
@ bot/domain/payments/moves.py tests/domain/payments/test_moves.py
an unknown commit may be approved again by itself | only people send again what may have been paid
-        _COMMIT_UNKNOWN: {_COMMITTED, _NEEDS_HUMAN, _REFUSED},
-
+        _COMMIT_UNKNOWN: {_COMMITTED, _NEEDS_HUMAN, _REFUSED, _APPROVED},
+
@ bot/domain/payments/moves.py tests/domain/payments/test_moves.py tests/storage/test_instructions.py
a purchase may be sent | each kind of request goes its own ways alone
-        _NEEDS_HUMAN: {_OPEN, _MISMATCH, _CLOSED},
-
+        _NEEDS_HUMAN: {_OPEN, _MISMATCH, _CLOSED},
+        _APPROVED: {_SENDING},
+
@ bot/domain/payments/instruction.py tests/domain/payments/test_instruction.py
the recipient is left out of the digest | approvals are bound to who is paid
-{"email": self.email, "amount": plain(self.cents), "description": self.description, **chosen}
-
+{"amount": plain(self.cents), "description": self.description, **chosen}
+
the code is left out of the digest | approvals are bound to one request
-{"kind": kind.value, "code": code, **payload.canonical()}
+{"kind": kind.value, **payload.canonical()}
@ bot/presentation/words.py tests/presentation/payments/test_cards.py
a sent payout is told as completed | sent and confirmed are different words
-State.COMMITTED: "sent",
+State.COMMITTED: "completed",
an unknown outcome is told as failed | unknown is a word of its own
-State.COMMIT_UNKNOWN: UNKNOWN,
+State.COMMIT_UNKNOWN: "failed",
@ bot/workflows/payments/bulk_request.py tests/flow/test_bulk_form.py
what changed since it was shown is asked for | a dropped file is asked for as its form showed it
-    if seen.fingerprint != carried.seen:
+    if False:
@ bot/clients/payments/wire.py tests/clients/test_payments_answers.py
another answer counts as canceled | the answer to a cancellation has to say canceled
-    if operation.state is not OperationStatus.CANCELED:
+    if False:
""")
