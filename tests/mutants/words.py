"""Secrets in what a service says, and what of it is told."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/clients/transport.py tests/clients/test_secrets.py
what a service says keeps our secrets | no secret of ours is repeated to people, log or database
-            return without_secrets(reply, self._secrets, brings=request.brings)
+            return reply
half a secret at the end of a text is kept | a secret is found before a text is cut
-_TEXT_READ: Final = 4 * TEXT_KEPT
+_TEXT_READ: Final = TEXT_KEPT
@ bot/domain/text.py tests/clients/test_secrets.py
secrets stay in the names of fields | no secret of ours is repeated, wherever it stands
-clean[self.hidden(name)] = self.without(value, brings=brings)
+clean[name] = self.without(value, brings=brings)
@ bot/clients/emails/client.py tests/clients/test_emails.py
an e-mail answer keeps our secrets | no secret of ours is repeated to people, log or database
-            return without_secrets(reply, self._secrets)
+            return reply
@ handlers/callbacks.py tests/workflows/bookings/test_store_events.py -k a_secret_in_an_event
an event of a store keeps our secrets | no secret of ours is kept in the database
-self.secrets.hidden_body(body.decode(errors="replace"))
+body.decode(errors="replace")
@ bot/settings.py tests/test_settings.py
the password of the database is no secret of the services | every configured secret is taken out
-        return tuple(one for one in self.secrets() if not any(
+        return tuple(one for one in self.secrets()[:-2] if not any(
@ bot/wiring/services.py tests/flow/test_secrets_in_words.py
a transport knows the secrets of no other service | no service repeats the secret of another
-            secrets=self.secrets,
-        )
+        )
@ bot/app.py tests/flow/test_secrets_in_words.py
kept keys of stores are not known at start | no service repeats the key of a store that the database holds
-            await at_start(partial(database.store.read, delivery.client.learn_keys))
+            delivery.client.learn_keys
@ bot/workflows/localization/running.py tests/flow/test_secrets_in_words.py
what localization says with a 500 is not told | what a service says in a 5xx reaches the person
-reason=Reason(OfCall.UNKNOWN, why=lost.full_reason)
+reason=Reason(OfCall.UNKNOWN, why=lost.reason)
@ bot/clients/payments/calls.py tests/laws/test_outcome.py -k 'reads_once_more and create_payout'
what a list says with a 500 is not told | what a service says in a 5xx reaches the person
-scan.broken_off(error.full_reason)
+scan.broken_off(error.reason)
""")
