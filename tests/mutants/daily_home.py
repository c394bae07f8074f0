"""App Home shows each person what they can decide, and is drawn again only when it changes."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/workflows/admin/home.py tests/flow/test_home.py -k 'their_own_side'
App Home offers people their own requests to approve | nobody sees Approve who cannot approve
-        if one.kind in APPROVED and one.requester != user and (one.id, one.round) not in voted
+        if one.kind in APPROVED and (one.id, one.round) not in voted
@ bot/workflows/admin/home.py tests/flow/test_home.py -k 'typed_there_too'
App Home offers again what somebody has approved | nobody sees Approve who cannot approve
-        if one.kind in APPROVED and one.requester != user and (one.id, one.round) not in voted
+        if one.kind in APPROVED and one.requester != user
@ bot/workflows/admin/home.py tests/flow/test_home.py -k 'another_process'
a home is drawn over what another process has drawn since | the process that drew a home last goes on with it
-                    replaced = "" if asked else home.hash
+                    replaced = ""
@ bot/workflows/admin/home.py tests/flow/test_home.py -k 'many_changes'
a home is drawn with every change | a home is drawn once in a few seconds
-        due = [(user, home) for user, home in self._open.items() if now - home.looked_at >= _EVERY]
+        due = list(self._open.items())
@ handlers/pay.py tests/flow/test_home.py -k 'whatever_the_button'
a guest learns where a request stands by a forged button of App Home | only full members get an answer about a request
-        await admit(deps, click.user)
+        pass
""")
