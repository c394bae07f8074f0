"""Facts of the delivery service's words, stores and certification."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/clients/routes_file.py tests/clients/test_words.py
a word stands twice for two states | a word of the service means one state
-            if same in written:
+            if same in ():
@ bot/clients/delivery/client.py tests/flow/test_states_of_bookings.py -k file_alone
a kitchen waits a thousand times too long | the cook time goes out in the unit of the service
-request.cook_minutes * self._dialect.a_minute("cook_time") or None
+request.cook_minutes * 60_000 or None
webhooks are registered by our names alone | a webhook is registered under the service's name
-        return self._dialect.kinds(kind.value)
+        return (kind.value,)
@ bot/clients/delivery/wire.py tests/flow/test_states_of_bookings.py -k restart
a line that explains a state explains nothing | with the line and a restart it goes on
-        status=states(word),
+        status=word,
@ bot/workflows/bookings/follow.py tests/flow/test_states_of_bookings.py -k restart
what was explained is read in an hour | after a restart an explained state is read at once
-            uow.bookings.hasten(one, uow.now)
+            uow.bookings.hasten(one, uow.now.max)
@ bot/workflows/bookings/observe.py tests/flow/test_states_of_bookings.py -k 'told_once or a_day'
admins hear of each booking in an unknown state | the line to add is told once a word
-        if is_new:
-            alarm(
+        if word:
+            alarm(
nobody is asked about a state that never changes | after a day somebody is asked
-uow.now - _changed_at(booking, booking.detail) >= _A_DAY
+uow.now - _changed_at(booking, booking.detail) >= _A_DAY * 365
@ bot/workflows/bookings/follow.py tests/flow/test_states_of_bookings.py -k a_day
a button of an alert acts on any booking | an alert's button is for its booking
-uow.outbox.posted(booking.subject, channel=channel, ts=ts)
+board is None
@ bot/clients/delivery/client.py tests/clients/test_delivery.py -k suspended_workspace
only a refusal can say that the workspace is suspended | a 200 that holds an error is one
-    if reply.is_success and not isinstance(reply.json, dict | str):
+    if reply.is_success:
every suspended thing is the workspace | a street without deliveries suspends nobody
-    if reply.status in _CLOSED_DOORS:
+    if reply.status:
@ handlers/stores.py tests/flow/test_deliver_stores.py -k can_be_saved
what a store never had is demanded | a store without an e-mail address or a phone can be saved
-            readers[name] = partial(_as_it_was, readers[name])
+            readers[name] = readers[name]
@ bot/workflows/bookings/observe.py tests/workflows/bookings/test_observed.py -k 'interpreted or end_users'
the first state proves that all are understood | states are interpreted when they show all there is
-    if told_by(states) != {*Told} or any(is_unknown(one.status) for one in states):
+    if not states:
the end alone is the end user's view | the end user saw the way, too
-    return len(states) > 1 and not any(
+    return bool(states) and not any(
""")
