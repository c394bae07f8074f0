"""A payout's card: who withdraws through the menu, who reads behind it, what is posted first, and who is told."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ handlers/pay.py tests/flow/test_card_menu.py
the question of the requester is asked of everybody | who did not request it is asked for a reason
-            if click.user == found.requester:
+            if found.requester:
@ bot/workflows/requests/announce.py tests/flow/test_card_menu.py
the first message does not wait for the recipient | the first message says what is to be decided
-        due_at=None if prepared else uow.now + _PREPARED_WITHIN,
+        due_at=None,
who withdrew it is told so | people are not told what they did themselves
-    own = instruction.state is State.WITHDRAWN and instruction.decided_by == instruction.requester
+    own = False
@ bot/workflows/requests/announce.py tests/workflows/requests/test_announce.py
approvers are told what their card says | an end is told once, where it was requested
-        news_of(uow, instruction, asked_in(uow.ctx, instruction), topic)
+        news_of(uow, instruction, places(uow.ctx, instruction)[0], topic)
@ bot/presentation/payments/cards.py tests/presentation/payments/test_cards.py
a finished card keeps its menu | a finished request has no button left on any copy
-    if instruction.state in FINAL:
-        return []
-    words = KINDS[instruction.kind]
+    words = KINDS[instruction.kind]
@ handlers/pay_again.py tests/flow/test_card_menu.py
the account behind the menu is shown to everybody | only people with a role read what stands behind it
-    if no is not None and user != found.requester:
+    if no is not None and user == found.requester:
""")
