"""What localization hands out, whatever its answers are called, and what is said before anything is sent."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/clients/localization/client.py tests/clients/localization/test_outcomes.py
an answer under other names is thrown away | what was made and billed is kept
-        if lacking or (unread and not holds_nothing(body)):
+        if lacking:
@ bot/workflows/localization/results.py tests/flow/test_localize_again.py -k 'sqlite and part_under'
what was handed over is handed over again | reading again adds only what was missing
-        new = [one for one in result.tracks if one.name not in had]
+        new = list(result.tracks)
@ bot/workflows/localization/results.py tests/flow/test_localize_again.py -k 'sqlite and part_under'
a part that is there ends the call | what is still under another name stays kept
-    if progress.answer:
+    if progress.answer == "?":
@ bot/presentation/localization.py tests/flow/test_localize_again.py -k 'sqlite and expired'
a result that expired is run again unasked for its price | running again what was billed is confirmed
-        doubted = sight.state is CallState.UNKNOWN or made
+        doubted = sight.state is CallState.UNKNOWN
@ bot/clients/localization/wire.py tests/clients/localization/test_wire.py
the first of several labels is taken for the strongest | the strongest emotion is told
-    return sorted(labels, key=lambda one: Decimal(-1) if one[1] is None else one[1], reverse=True)
+    return list(labels)
a score below one beside one above it is a share | scores of one answer have one scale
-    return share[0] if share[1] or any(one > 1 for one, _ in of) else share[0] * _HUNDRED
+    return share[0] if share[1] or share[0] > 1 else share[0] * _HUNDRED
what was sent is taken for a result | what a service repeats of the request is no result
-_NO_RESULTS: Final = frozenset({"error", "errors", "detail", "warnings", "input", "request", "meta", "metadata"})
+_NO_RESULTS: Final = frozenset({"detail", "meta"})
@ bot/domain/files/playing.py tests/domain/files/test_playing.py
a movie header of 64 bits is read as one of 32 | the length of a long film is read from its header
-    wide = inside[at] == _WIDE
+    wide = False
@ bot/workflows/localization/running.py tests/workflows/localization/test_timed.py
a video that only its header times is sent | more than 600 seconds are refused before they are sent
-    told = await playing_ms(ctx, info, found.format) if media.max_seconds is not None else info.duration_ms
+    told = info.duration_ms
@ bot/domain/localization/pieces.py tests/domain/localization/test_request.py -k sentences
more than 50 elements are sent | a paraphrase has at most fifty sentences at once
-    most = elements or len(sentences)
+    most = len(sentences)
""")
