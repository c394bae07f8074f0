"""What is nearly right is read as it was meant, or offered; nothing is requested twice, and nobody else is paid."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ handlers/incoming.py tests/flow/test_mistakes.py
each press of an offer is a request of its own | an offer pressed twice makes one request
-        return f"command:{self.asked_as or self.trigger_id}"
+        return f"command:{self.trigger_id}"
@ bot/domain/money.py tests/domain/test_money.py
a comma before three digits is read as thousands | whether 1,500 means thousands is asked
-    if found is None or _ONE_GROUP.fullmatch(number):
+    if found is None:
@ handlers/grammar/arguments.py tests/flow/test_mistakes.py
swapped arguments are read only without any doubt | a swapped amount that is asked about is offered in its place
-    if not second.may_be(words[0]) or at >= len(words) or not first.takes(words[at]):
+    if not second.takes(words[0]) or at >= len(words) or not first.takes(words[at]):
@ bot/domain/approvals.py tests/flow/test_mistakes.py
people of other workspaces are paid by name | who does not work here is not paid by name
-    if no is not None:
-        return {No.ELSEWHERE
+    if no is not None and no is not No.ELSEWHERE:
+        return {No.ELSEWHERE
@ bot/domain/payments/recipient.py tests/domain/payments/test_recipient.py tests/flow/test_no_account.py
a domain that was paid is asked about | only a domain that was never paid is asked about
-    if domain in known or domain in USUAL_DOMAINS:
+    if domain in USUAL_DOMAINS:
@ storage/repositories/requests.py tests/flow/test_mistakes.py
a reference is found with its letter alone | a reference is found without its letter
-        return (self._named(word) or self._without_letter(word)) if word else None
+        return self._named(word) if word else None
""")
