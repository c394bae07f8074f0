"""Facts of deliveries: who is called, what is concluded of a lost answer, what is read and shown."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/domain/bookings/booking.py tests/workflows/bookings/test_notified.py
who canceled a booking is called for it | nobody is called for what they did themselves
-        return self.requester if over and not self.is_own_cancellation else ""
+        return self.requester if over else ""
a booking that was not delivered calls nobody | the requester is called for what needs a person
-_NEEDS_A_PERSON: Final = (Status.NOT_DELIVERED, Status.PROVIDER_NOT_FOUND)
+_NEEDS_A_PERSON: Final = (Status.PROVIDER_NOT_FOUND,)
@ bot/workflows/bookings/follow.py tests/workflows/bookings/test_notified.py -k in_vain
who asked in vain has canceled it | a cancellation that was refused is nobody's
-"cancel": {**wish, "done": True} if done else {}}
+"cancel": wish}
@ bot/workflows/bookings/book.py tests/flow/test_prebookings.py -k nobody_concludes
a pre-booking that cannot be asked for was not made | of a pre-booking without an answer nothing is concluded
-        action = "undecided" if booking.is_undecided else "lost"
+        action = "lost"
a pre-booking that is taken in late stays closed | what a person finds goes on, days later, too
-        closed_at=None,
-
@ bot/workflows/bookings/prebookings.py tests/flow/test_prebookings.py -k 'taken_in or two_of_ours'
another request's pre-booking is taken in | a pre-booking belongs to one request
-    if made.external_id not in ("", booking.external_id):
+    if made.external_id == booking.external_id * 2:
two requests take in one pre-booking | a pre-booking belongs to one request
-        if other is not None and other.id != booking.id:
+        if other is not None and other.id == booking.id:
@ bot/workflows/bookings/follow.py tests/flow/test_show_bookings.py
ten stores are searched and no more | a booking of any store is found
-    for start in range(0, len(asked_for), _AT_ONCE):
+    for start in range(0, min(len(asked_for), _AT_ONCE), _AT_ONCE):
a store that says nothing ends the search | one silent store holds up no other
-                    silent = silent or answer
+                    raise answer
what could not be read is shown as it is now | a stored state is said to be that
-    return seen.booking, seen.trouble
+    return seen.booking, None
@ bot/domain/bookings/record.py tests/flow/test_show_bookings.py -k picture
the picture of the driver goes with the next state | what is known of a driver stays
-        same = all(said[name] in ("", before.get(name)) for name in ("name", "mobile"))
+        same = False
@ bot/clients/delivery/wire.py tests/clients/test_delivery_wire.py -k calls_to_providers
a key among the fields of an order is shown | what is called like a secret is hidden
-            shown = HIDDEN if _SECRET.search(path) else _address(text) or said
+            shown = _address(text) or said
""")
