"""Localization, delivery and e-mail."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/domain/localization/languages.py tests/domain/localization/test_languages.py
the end of the list of languages is gone | more than a hundred languages are offered
-cy Welsh|xh Xhosa|yi Yiddish|yo Yoruba|zu Zulu
-
a line in the middle of the languages is gone | the languages of the world's large countries are offered
-mr Marathi|mn Mongolian|ne Nepali|no Norwegian|or Odia|om Oromo|ps Pashto|fa Persian|pl Polish|
a line of the locales is gone | voices of large countries are offered
-de-DE German (Germany)|el-GR Greek|gu-IN Gujarati|he-IL Hebrew|hi-IN Hindi|hu-HU Hungarian|
Japanese is taken for Chinese | a text whose letters are of one language alone is of that language
-        names[_KANA[0]] = kana + names.pop(_HAN, 0)
+        names[_KANA[0]] = kana
Latin letters are English | a text in Latin letters is of no language until somebody says of which
-        "ARMENIAN": ("hy",),
+        LATIN: ("en",),
+        "ARMENIAN": ("hy",),
@ bot/presentation/localization.py tests/presentation/localization/test_localization.py
an emotion has no face | each of the seven documented emotions is shown as itself
-    "Sadness": ":cry:",
-
an unknown call is repeated without a warning | who repeats an unknown call is told that both may be billed
-"It may have been done already. Both may be billed." if doubted else
+"Nothing was done." if doubted else
@ bot/domain/localization/progress.py tests/presentation/localization/test_localization.py
an unknown call cannot be repeated | people can run again what nobody knows the end of
-frozenset({CallState.FAILED, CallState.UNKNOWN, CallState.CANCELED, CallState.INTERRUPTED})
+frozenset({CallState.FAILED, CallState.CANCELED, CallState.INTERRUPTED})
@ bot/workflows/localization/running.py tests/flow/test_localize_calls.py -k 'restart or interrupted'
a call that was cut off starts over by itself | what may have been done and billed is not sent again unasked
-        case CallState.WAITING:
-            await
+        case CallState.WAITING | CallState.RUNNING:
+            await
@ bot/domain/bookings/record.py tests/domain/bookings/test_booking.py
a booking leaves its end | a booking that has ended stays as it ended
-    if before and is_final(before):
+    if before == "?" and is_final(before):
a new word for canceled is no end | whatever begins with canceled is over
-    return read_status(text) in _FINAL or is_canceled(text)
+    return read_status(text) in _FINAL
a driver who left is no news | a search that starts over is told
-    if known in _WITH_DRIVER and seen in _SEARCHING:
+    if known in _SEARCHING and seen in _WITH_DRIVER:
@ bot/workflows/bookings/book.py tests/workflows/bookings/test_book.py
one reading proves that nothing was booked | a booking is lost after three readings, not one
-    if absent and reads >= _LEAST_READS and uow.quiet.over(sent_at=since, now=uow.now):
+    if absent and uow.quiet.over(sent_at=since, now=uow.now):
a booking is lost before the quiet period is over | a request may travel slowly
-    if absent and reads >= _LEAST_READS and uow.quiet.over(sent_at=since, now=uow.now):
+    if absent and reads >= _LEAST_READS:
@ bot/workflows/bookings/book.py tests/workflows/bookings/test_once.py
a booking without an answer is sent again | a delivery is booked once
-            lose(uow, current, outcome)
-
+            _back(uow, current, NotExecuted(again=True, reason=outcome.reason))
+
@ bot/workflows/effect.py tests/workflows/test_effect.py
a claim never grows old | a process that was frozen does not book what somebody else may have booked
-return self._ctx.clock.boottime() - self._claimed_at <= GUARD_SECONDS
+return self._ctx.clock.boottime() >= self._claimed_at
@ bot/workflows/bookings/observe.py tests/workflows/bookings/test_states.py
an older reading wins | what is shown is the newest that was read
-    if current is None or current.version != booking.version:
+    if current is None:
@ bot/workflows/bookings/observe.py tests/workflows/bookings/test_store_events.py
a driver nobody verified is shown as read | what a webhook says is marked as reported
-        detail["driver_reported"] = True
+        detail["driver_reported"] = False
@ bot/workflows/bookings/events.py tests/workflows/bookings/test_store_events.py
a store's webhook moves another store's booking | a store's address stands for that store alone
-    return found if found is not None and found.store == store else None
+    return found
@ bot/domain/emails/lists.py tests/domain/emails/test_lists.py
addresses differ by the case of their domain | an address is asked once
-return f"{local}@{domain.lower()}"
+return f"{local}@{domain}"
@ bot/workflows/emails/work.py tests/workflows/emails/test_emails.py tests/flow/test_emails.py
a whole file is sent by two | a whole file goes out once
-        if current is None or current.state != RunState.PREPARING:
+        if current is None:
a whole file without an answer is sent again | what the service may have is not sent again
-    if job.state == RunState.SENDING:
+    if job.closed_at:
@ bot/workflows/services.py tests/workflows/emails/test_emails.py
nobody goes slower when asked to | a service that asks for fewer requests gets fewer
-        self.room = max(1, min(self.room, in_use) // 2)
+        self.room = max(1, min(self.room, in_use))
@ bot/workflows/emails/run.py tests/workflows/emails/test_emails.py
an address without an answer is asked for ever | a run comes to its end
-        if self._tries[number] >= _TRIES and not self._trouble:
+        if self._tries[number] < 0 and not self._trouble:
@ bot/domain/unread.py tests/domain/test_unread.py tests/clients/test_unread.py
names that look like values are kept | nothing of the values of an answer is kept
-    return MASKED if is_value else name
+    return name
@ bot/clients/unread.py tests/domain/test_unread.py tests/clients/test_unread.py
an answer that cannot be noted is an error | what is noted of an answer never changes its outcome
-    except Exception as failed:  # noqa: BLE001
+    except ZeroDivisionError as failed:  # noqa: BLE001
""")
