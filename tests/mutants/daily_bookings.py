"""A booking says little; customers are those of one's stores; short links lead to public addresses only."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/workflows/bookings/observe.py tests/flow/test_dispatchers.py -k 'to_the_door and sqlite'
each step of a driver is a reply | a booking has one line for the driver and one for the end
-    if change is StatusChange.RESTARTED or (stored.known_status not in _QUIET and not stored.is_own_cancellation):
+    if not stored.is_own_cancellation:
@ bot/workflows/bookings/observe.py tests/workflows/bookings/test_notified.py -k 'did_themselves and sqlite'
who cancels a booking is told that it is canceled | people are not told what they did themselves
-(stored.known_status not in _QUIET and not stored.is_own_cancellation)
+(stored.known_status not in _QUIET)
@ bot/workflows/bookings/customers.py tests/flow/test_dispatchers.py -k 'who_may_deliver and sqlite'
a form is filled in from a booking of any store | customers are those of the stores that one may use
-    if found is None or found.request is None or found.stage is Stage.QUOTED or found.store not in names:
+    if found is None or found.request is None or found.stage is Stage.QUOTED:
@ bot/clients/short_links.py tests/clients/test_short_links.py -k 'nowhere_inside'
a redirect may go on on this machine | only the first step of a link of our own service is private
-            url, own = urljoin(url, await self._next(url)), ()
+            url = urljoin(url, await self._next(url))
@ bot/domain/bookings/fields.py tests/clients/test_short_links.py -k 'texts_are_short'
any address is opened that somebody types | short links are those of known hosts
-    return url if is_short and sound and _of_link(url) is None else ""
+    return url if sound and _of_link(url) is None else ""
""")
