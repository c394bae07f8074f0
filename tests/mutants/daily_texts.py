"""Answers to texts for one person alone, and what a channel remembers."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/workflows/localization/results.py tests/flow/test_localize_privately.py -k 'sqlite and once_and_in_their_name'
a second press posts a second time | a private result is posted in the channel once
-key=SHARED, payload=payload, channel=job.channel, last=True)
-        else:
+key=f"{SHARED}{uow!r}", payload=payload, channel=job.channel, last=True)
+        else:
@ handlers/localize.py tests/flow/test_localize_privately.py -k 'sqlite and once_and_in_their_name'
anybody posts what another one was told | only who asked posts a private answer
-    if sight is None or sight.requester != click.user or not sight.order.private:
+    if sight is None or not sight.order.private:
@ bot/workflows/localization/request.py tests/flow/test_localize_privately.py -k 'sqlite and survives'
the address of an answer is stored as it is | a response URL is stored only sealed
-    sealed = ctx.localization.sealer.seal(response_url, row=job.id, column=REPLY)
+    sealed = response_url
@ bot/workflows/presets.py tests/flow/test_localize_privately.py -k 'sqlite and next_form'
a forged choice of a channel breaks its forms | what was stored is checked before it is used
-    return {name: value for name, value in pairs if isinstance(value, str) and len(value) <= _LONGEST}
+    return dict(pairs)
""")
