"""App Home shows each person what they can decide, and is drawn again only when it changes."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/workflows/admin/home.py tests/flow/test_home.py -k 'their_own_side'
App Home offers people their own requests to approve | nobody sees Approve who cannot approve
-        if one.kind in APPROVED and (one.id, one.round) not in voted and refusal_of(uow, one, standing) is None
+        if one.kind in APPROVED and (one.id, one.round) not in voted
@ bot/workflows/admin/home.py tests/flow/test_home.py -k 'typed_there_too'
App Home offers again what somebody has approved | nobody sees Approve who cannot approve
-        if one.kind in APPROVED and (one.id, one.round) not in voted and refusal_of(uow, one, standing) is None
+        if one.kind in APPROVED and refusal_of(uow, one, standing) is None
@ bot/workflows/admin/home.py tests/flow/test_home.py -k 'another_process'
a home is drawn over what another process has drawn since | the process that drew a home last goes on with it
-                    replaced = home.hash if asked is None else ""
+                    replaced = ""
@ bot/workflows/admin/home.py tests/flow/test_home.py -k 'many_changes'
a home is drawn with every change | a home is drawn once in a few seconds
-        due = [(user, home) for user, home in self._open.items() if now - home.looked_at >= _EVERY]
+        due = list(self._open.items())
@ bot/workflows/admin/home.py tests/flow/test_home_places.py -k 'decided_row_stays'
the list of App Home closes up after a decision | a row of App Home keeps its place until its reader refreshes
-    laid = laid if laid.has_rows else laid.turned("")
+    laid = laid.turned("")
@ bot/workflows/admin/home.py tests/flow/test_home_places.py -k 'forged_layout'
a forged layout shows requests of other people | nobody sees a request that their lists would not have
-    own = _paged(uow, opened, laid.own, lambda found: found.requester == user)
+    own = _paged(uow, opened, laid.own, lambda _: True)
@ bot/workflows/admin/home.py tests/flow/test_home_places.py -k 'replaced_view'
a press in an old view brings back its layout | a row of App Home keeps its place until its reader refreshes
-            is_replaced = asked is not None and asked.has_rows and asked.at < home.laid.at
+            is_replaced = False
@ handlers/pay.py tests/flow/test_home.py -k 'whatever_the_button'
a guest learns where a request stands by a forged button of App Home | only full members get an answer about a request
-        await admit(deps, click.user)
+        pass
""")
