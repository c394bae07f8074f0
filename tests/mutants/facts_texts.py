"""Texts in pieces, and the language of a text."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/domain/localization/pieces.py tests/flow/test_localize_texts.py
a subtitle loses its number and time | subtitles keep their numbers and times
-        "".join(piece.before + _placed(piece, one, way, cued=cued) + piece.after for piece, one in found)
+        "".join(_placed(piece, one, way, cued=cued) + piece.after for piece, one in found)
sixty sentences are paraphrased at once | at most 50 elements are paraphrased at once
-    return cut(text, limit=limit, elements=capability(operation).most_elements) if text.strip() else []
+    return cut(text, limit=limit) if text.strip() else []
@ bot/workflows/localization/documents.py tests/flow/test_localize_texts.py
the rest again sends what may be billed | a piece that may have been done is not sent again with the others
-(only_unknown or is_certain(old))
+True
a canceled text goes on | nothing is begun after Cancel
-        uow.jobs.end_waiting(document, CallState.CANCELED, detail=CallProgress(by=by).detail(), now=uow.now)
+        pass
@ bot/tables/prose.py tests/flow/test_localize_texts.py
a document may define entities | no document with a DOCTYPE is read
-parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = self._text, self._doctype
+parser.CharacterDataHandler = self._text
@ bot/domain/localization/detection.py tests/domain/localization/test_detection.py
a doubtful text is refused | a doubt is no refusal
-    no_english = best != ENGLISH and share >= _LIKELY and found.get(ENGLISH, 0.0) < _NO_ENGLISH and not is_short
+    no_english = best != ENGLISH
""")
