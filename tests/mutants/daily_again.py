"""A payout that was not paid is sent again by its requester, once, and never one that may have been paid."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/workflows/payments/payout_again.py tests/flow/test_send_again.py
each press makes another request | two presses of one message make one request
-    key, is_new = f"{_KEY}{instruction_id}", False
+    key, is_new = f"{_KEY}{instruction_id}{ctx.clock.boottime()}", False
anybody sends it again | only its requester sends it again
-    if found.requester != person:
+    if not person:
@ bot/domain/payments/moves.py tests/flow/test_send_again.py
what was sent and is not known to have failed is sent again | a payout that may be paid is never sent again
-    return one.state in (State.FAILED, State.REFUSED) or (
+    return one.state in (State.COMMITTED, State.FAILED, State.REFUSED) or (
""")
