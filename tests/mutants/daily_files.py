"""Offers that become statuses, and files dropped together."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/workflows/localization/request.py tests/flow/test_localize_files.py -k turns_into
what is pressed below a file gets a message of its own | the offer turns into the status: no message besides
-    return post_job(uow, job, directly=order.private, shown_in=offer)
+    return post_job(uow, job, directly=order.private)
@ bot/workflows/localization/batches.py tests/flow/test_files_together.py -k thirty
the failed ones again sends what may be billed | a file that may have been done is not sent again with the others
-    calls = [one for one in calls if is_certain(one)] or calls
+    calls = list(calls)
@ bot/workflows/localization/batches.py tests/flow/test_files_together.py -k stop
a stopped batch goes on | Stop ends what was not begun
-        uow.jobs.end_waiting(batch, CallState.CANCELED, detail=CallProgress(by=by).detail(), now=uow.now)
+        pass
@ bot/domain/files/together.py tests/domain/files/test_together.py
a name leads into another folder | nothing is unpacked elsewhere
-    last = re.split(r"[/\\\\]", name)[-1]
+    last = name
@ bot/workflows/localization/archive.py tests/flow/test_files_together.py -k too_much
an archive of any size | the results of one run are bounded
-        if uow.results.size(batch) + len(piece) > MOST_BYTES:
+        if False:
""")
