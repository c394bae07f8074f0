"""Points of the interface documents: formats, values, names, headers and limits, each broken once."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/clients/payments/calls.py tests/clients/test_payments_sent.py
the secret goes before the partner's id | the credentials are the partner's id, a colon and the secret
-        credentials = f"{self._partner_id}:{self._partner_secret.get_secret_value()}".encode()
+        credentials = f"{self._partner_secret.get_secret_value()}:{self._partner_id}".encode()
a page of operations has twenty | a page has ten operations unless somebody says how many
-        per_page: int = 10,
+        per_page: int = 20,
a 429 slows nobody down | an eleventh request in a second makes everybody wait
-        if reply.status == 429:
+        if reply.status == 428:
@ bot/clients/calls.py tests/clients/test_payments_sent.py
a read says nothing of JSON | every GET and POST says that it speaks JSON
-        headers={**placed.headers, "Content-Type": "application/json", "Accept": "application/json", **headers},
+        headers={**placed.headers, "Accept": "application/json", **headers},
@ bot/clients/payments/wire.py tests/clients/test_payments_answers.py
the last of a page is the first | a page says from which to which operation it goes
-        last=unread.count_or_none(body, names["last"]),
+        last=unread.count_or_none(body, names["first"]),
the country of an account is lost | an account has the country of its holder's ID
-        country=unread.text(body, names["country"]),
+        country="",
@ bot/domain/payments/operation.py tests/domain/payments/test_operation.py
COMPLETED is no status | statuses are compared without regard to case
-    folded = raw.strip().casefold()
+    folded = raw.strip()
@ bot/domain/outcome.py tests/domain/test_outcome.py
what nobody may see is shown | words with displayToUser false are shown to nobody
-        return self.message if self.may_be_shown else ""
+        return self.message
the fields of a refusal are lost | a 422 names each field and what is wrong with it
-    if isinstance(messages, dict):
+    if isinstance(messages, list):
the code of an error is lost | the audit has the code by which the service finds an error
-        whole=f"{said[: MAX_SAID - _CODE]} ({named})" if said and named else said or named,
+        whole=said,
@ bot/domain/localization/catalog.py tests/domain/localization/test_request.py
a film may last fifteen minutes | a video of more than 600 seconds is refused before it is sent
-formats=_VIDEOS, max_seconds=600
+formats=_VIDEOS, max_seconds=900
one rate is gone | each of the four documented sample rates can be chosen
-listed("16000 16000|22050 22050|44100 44100|48000 48000")
+listed("16000 16000|44100 44100|48000 48000")
.m4v is no film | each of the nine documented formats of a video is taken
-"avi", "flv", "m4v")
+"avi", "flv")
@ bot/domain/localization/catalog.py tests/clients/localization/test_operations.py
sound has 16 bits unless somebody chooses | what is not chosen has the documented default
-choices=_WIDTHS, default="32", example="16"
+choices=_WIDTHS, default="16", example="32"
@ bot/domain/localization/request.py tests/domain/localization/test_request.py
a file and an address go together | a call has exactly one of a file and an address
-    if asked.url and asked.file:
+    if asked.url and not asked.file and not asked.capability.media:
@ bot/clients/localization/client.py tests/clients/localization/test_operations.py
the key is no bearer's | every request carries the key as a Bearer credential
-                "Authorization": f"Bearer {self._key.get_secret_value()}",
+                "Authorization": self._key.get_secret_value(),
@ bot/clients/delivery/client.py tests/clients/test_delivery.py
the master key opens everything | operations of a store take the key of that store
-        chosen = key or self._master_key
+        chosen = self._master_key or key
no language is said | every request says in which language it wants its answer
-{"Authorization": f"Bearer {secret}", "content-language": language}
+{"Authorization": f"Bearer {secret}", "x-language": language}
@ handlers/deliver.py tests/flow/test_deliver_stores.py -k 'production'
a form for a pre-booking opens in production | pre-bookings are of the sandbox alone
-        if sandbox and delivery.production:
+        if sandbox and not delivery:
@ bot/clients/emails/client.py tests/clients/test_emails.py
columns are counted from one | the index of the column of addresses is zero-based
-index: str(column)}
+index: str(column + 1)}
""")
