"""What the e-mail service says of addresses is whole, and what it says of our account is no verdict."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/clients/emails/client.py tests/clients/test_emails.py
no credit is a verdict on an address | what is wrong with our account is no verdict
-_ACCOUNT: Final = frozenset({401, 402, 403})
+_ACCOUNT: Final = frozenset({401, 403})
one that may not be asked about counts as our account | a single refusal is no reason to pause
-certain=status != HTTPStatus.FORBIDDEN
+certain=True
@ bot/workflows/emails/run.py tests/flow/test_emails.py -k 'credit and sqlite'
a refused account does not pause | a list stops after a few refusals in a row
-        if (self._denials if certain else len(self._denied)) >= _DENIALS:
+        if False:
@ bot/workflows/emails/run.py tests/flow/test_emails.py -k 'single_address and sqlite'
refusals are never forgotten | only refusals in a row pause a list
-                    self._denied.clear()
+                    pass
@ bot/clients/emails/wire.py tests/clients/test_emails.py
fields are left out without a mark | what is cut says so
-    return (*found.items(), ("left out", f"{more:,} more fields")) if more else tuple(found.items())
+    return tuple(found.items())
a list of objects is one field | nested answers have columns
-        value = _numbered(found) if isinstance(found, list) and listed else found
+        value = found
@ bot/workflows/emails/subject.py tests/workflows/emails/test_emails.py -k columns
columns beyond the limit are dropped | every field is in the result
-shared = every[:_COLUMNS], frozenset(every[_COLUMNS:])
+shared = every[:_COLUMNS], frozenset()
@ bot/domain/emails/lists.py tests/domain/emails/test_lists.py
a process counts on what others hold | all processes together keep to the recommended pace
-    return max(min(fair, room - sum(held for _, held in others)), 0)
+    return fair
@ bot/workflows/emails/pace.py tests/workflows/emails/test_pace.py
the dead hold their share for ever | what a dead process held is free after a while
-            if abs(now - at) <= _OLD:
+            if True:
""")
