"""Codes of one's own, payouts of elsewhere taken in, and records told whole, each broken once."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/workflows/payments/payout.py tests/flow/test_take_in.py
what changed since it was taken in is committed | the record is compared whole before the commit
-        wrong += changed_since(instruction.payload, operation)
+        wrong += ()
a payout of elsewhere is created once more | what is taken in is never created
-    if instruction.payload.taken:
+    if not instruction.payload:
@ bot/workflows/payments/take_in.py tests/flow/test_take_in.py
each press asks anew | one payout has one request at a time
-        return None if may_be_taken(before) else before
+        return None
@ bot/domain/payments/taken.py tests/flow/test_take_in.py
what is committed already is taken in | only what waits for a commit is taken in
-    if operation.state is not OperationStatus.CREATED:
+    if operation.state is None:
@ bot/domain/payments/sealed.py tests/flow/test_take_in.py
the id of what is taken in is not sealed | a changed row cannot make another payout be committed
-    taken = {"remote_id": instruction.remote_id} if instruction.payload.taken else {}
+    taken: dict[str, object] = {}
@ bot/workflows/payments/sought.py tests/flow/test_codes.py
what has the code is ours, whoever made it | a code that a person chose proves nothing by itself
-    return is_older or hit.reports_to not in (None, callback_folder(ctx))
+    return False
nobody looks whether the code is free | what the service holds under the code ends the request before anything leaves
-    if not search.hits:
-        return True
+    if search.complete:
+        return True
@ bot/workflows/requests/request.py tests/flow/test_codes.py
a code is taken twice | a code belongs to one request
-        if holder is not None and not holder.leaves_its_code:
+        if holder is not None and holder.leaves_its_code:
@ bot/domain/payments/instruction.py tests/flow/test_codes.py
the service gets another code than was chosen | the code that a person chose is the service's too
-        return self.payload.code or self.code
+        return self.code
@ bot/clients/payments/wire.py tests/clients/test_payout_events.py
keys and tokens of an event are told | what may open something is masked
-        if value not in (None, "") and _is_secret(name):
+        if value in (None, "") and _is_secret(name):
@ bot/presentation/payments/operations.py tests/flow/test_records.py
the line of an item is the price of one | each item says what one costs and what the line costs
-            f"together {_NOT_SAID if one.line_cents is None else digits(one.line_cents)}",
+            f"together {_NOT_SAID if one.unit_cents is None else digits(one.unit_cents)}",
@ bot/workflows/payments/sought.py tests/flow/test_take_in.py -k ours_whose
our own payout is taken in while it is looked for | a payout has one request at a time
-    return same if same is not None and is_of(ctx, same, operation) else None
+    return None
@ bot/workflows/payments/own_rows.py tests/flow/test_bulk_operations.py
what may be a row of ours is imported | only a payout that was made elsewhere is imported
-    if (row := own_row(uow, operation)) is not None:
+    if (row := own_row(uow, operation)) is not None and row.is_certain:
what carries our marks is imported | nothing that Switchboard made is imported
-    return Reason(OfRequest.CARRIES_MARK, mark=mark) if mark else None
+    return None
@ bot/workflows/payments/sought.py tests/flow/test_bulk_operations.py
any row that may be ours is no suspect | only a certain row of a bulk payment cannot be the payout that is looked for
-            if row is None or not row.is_certain:
+            if row is None:
rows count as records that hide their code | a bulk payment does not make the search by code unusable
-            return  # a row of a bulk payment has no code, in a list that shows codes, too
+            pass
""")
