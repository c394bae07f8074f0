"""Good rows of a file are requested without the bad ones, once, and only as they were shown."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/workflows/payments/bulk_request.py tests/flow/test_good_rows.py -k 'come_back and sqlite'
rows of which only some are good are requested without being asked | a bad row is left out by a person
-    leaves_out = choice.good and bool(items)
+    leaves_out = bool(items)
@ bot/domain/payments/bulk_file.py tests/flow/test_good_rows.py -k 'come_back and sqlite'
approvers are not told which rows were left out | what is left out of a file stands on the card
-        return tuple(sorted(doubtful | {one.row for one in self.skipped}))
+        return tuple(sorted(doubtful))
@ handlers/bulk.py tests/flow/test_good_rows.py -k 'fixed_or_is_gone and sqlite'
a file that changed since its rows were shown is not said to have | what changed is said before it is requested
-    changed = bool(seen) and seen != found.fingerprint
+    changed = False
@ bot/presentation/payments/bad_rows.py tests/presentation/payments/test_bad_rows.py
the file of bad rows lacks its last column | bad rows come back with the columns of the file
-    kept = len(header) - 1 if header[-1:] == [PROBLEM] else len(header)  # of a file that was handed out before
+    kept = len(header) - 1
""")
