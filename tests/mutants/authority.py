"""Who asks, who decides, and what the policy wants."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/workflows/requests/attempt.py tests/flow/test_slow_slack.py
a claim takes of people what a click takes |
who left between the vote and the claim does not count, however slow Slack is
-await involved_in(ctx, instruction.id), patient=True)
+await involved_in(ctx, instruction.id))
@ bot/slack/people.py tests/slack/test_people.py
a click takes what was known two minutes ago | what is known of a person serves for a minute
-if known and self._monotonic() - known[0] <= wanted.oldest:
+if known and self._monotonic() - known[0] <= 2 * wanted.oldest:
@ bot/slack/people.py tests/workflows/requests/test_authority_at_the_claim.py
an answer from memory is as young as the question | votes are counted with people as they were within the last minute
-min(person[0], members[0])
+self._monotonic()
@ bot/domain/approvals.py tests/domain/test_approvals.py
the requester counts | nobody approves their own request
-    if standing.person.id == requester:
+    if standing.person.id == f"{requester}?":
votes of an earlier round count | a new attempt needs new approvals
-        if vote.round != instruction.round:
-            continue
-
guests count | a guest never counts
-return No.GUEST if person.guest else None
+return None
deactivated people count | who has left never counts
-    if person.deleted:
-        return No.GONE
-
@ bot/domain/approvals.py tests/flow/test_policy_in_force.py
an approval without the amount counts | where the amount must be typed, everybody who approves types it
-if flaw is None and instruction.requirement.typed_amount and not vote.typed:
+if False:
@ bot/domain/approvals.py tests/flow/test_who_counts.py
an approver whom the request pays counts | nobody approves money to themselves
-    if profile_address(standing.person) in payees:
+    if False:
@ bot/domain/policy.py tests/flow/test_who_counts.py
the extra approver of a repeat is never given up | a request stays approvable
-if not self.extra or able >= self.quorum:
+if True:
@ bot/domain/approvals.py tests/workflows/payments/test_unknown.py
approvals never grow old | an approval of another attempt counts no longer than an approval
-elif flaw is None and vote.at < since:
+elif False:
@ bot/domain/policy.py tests/domain/test_policy.py
a rule begins at its own limit | over 1000.00 means above it
-facts.cents > self.over)
+facts.cents >= self.over)
the day is counted without the request itself | a daily limit counts what is about to be sent
-facts.sent_today + facts.cents > self.daily_over
+facts.sent_today > self.daily_over
everybody may approve | approvers are named
-        for role in ("approvers", "admins"):
+        for role in ("admins",):
@ bot/workflows/requests/authority.py tests/workflows/requests/test_authority_at_the_claim.py
the requester votes for a retry | nobody approves another attempt at their own request
-may_decide(standing, requester=instruction.requester,
+may_decide(standing, requester="" if instruction.state is State.NEEDS_HUMAN else instruction.requester,
@ bot/workflows/requests/decide.py tests/workflows/requests/test_requester_before_sending.py
who asked is not looked at when somebody approves | who asked must still be allowed to ask
-    if (no := refusal_of_requester(uow.ctx, found, people)) is not None:
+    if (no := None) is not None:
@ bot/workflows/requests/decide.py tests/workflows/requests/test_decide.py -k withdrawn_while
an admin withdraws without a reason | an admin who withdraws another's request says why
-        if decision.person != found.requester and not clean(reason):
+        if False:
@ bot/workflows/requests/decide.py tests/flow/test_no_account.py
an account that is not fine is approved without a form | an approver confirms what is not fine about an account
-        if needs_confirming(found) and not confirmed:
+        if False:
@ bot/workflows/requests/send.py tests/workflows/requests/test_claims.py -k very_end
the window is not looked at in the claim | what was not sent in time after its approval is not sent
-    if instruction.exec_deadline is not None and uow.now >= instruction.exec_deadline:
-        _expire(uow, instruction)  # what is frozen, too
-        return None
-
@ bot/workflows/requests/send.py tests/workflows/requests/test_authority_at_the_claim.py
people may have been read at any time before the claim |
votes are counted with people as they were within the last minute
-    require_fresh(uow.ctx, [instruction.requester, *(vote.person for vote in votes)], standings)
-
@ bot/workflows/requests/send.py tests/workflows/requests/test_requester_before_sending.py
who asked is not looked at before sending | who asked must still be allowed to ask
-    if (no := refusal_of_requester(uow.ctx, tightened, standings)) is not None:
+    if (no := None) is not None:
approvals from before who asked was gone count | it is approved anew once who asked may ask again
-instruction.round + 1 if votes else instruction.round
+instruction.round
@ bot/workflows/requests/send.py tests/workflows/requests/test_claims.py -k "every_page or policy_makes_shorter"
a stricter policy holds only the first page of open requests | a stricter policy applies to open requests
-    while end is not None:
-
+    while False:
+
a shorter time to send is for new requests alone | a stricter policy applies to open requests
-before.execute_within_seconds - wanted.execute_within_seconds
+0.0
@ bot/workflows/requests/send.py tests/flow/test_policy_in_force.py
a shorter time to decide is for new requests alone | a stricter policy applies to open requests
-before.expires_seconds - wanted.expires_seconds
+0.0
a stricter policy takes the extra approver from a duplicate |
a duplicate needs one more approver than the policy of the day
-requirement_of(uow.policy, facts, payload, repeats)
+requirement_of(uow.policy, facts, payload)
@ bot/domain/approvals.py tests/flow/test_policy_in_force.py
a stricter policy takes the extra approver from a list with repeated rows |
a duplicate needs one more approver than the policy of the day
-return found.with_one_more(doubt, repeats) if doubt or repeats else found
+return found.with_one_more(doubt, repeats) if repeats else found
@ bot/workflows/payments/bulk_cancel.py tests/flow/test_bulk.py -k time_is_over
the window of a cancellation is not looked at in the claim | what was not sent in time after its approval is not sent
-late = instruction.exec_deadline is not None and uow.now >= instruction.exec_deadline
+late = False
@ bot/workflows/payments/bulk_cancel.py tests/workflows/requests/test_authority_at_the_claim.py
a cancellation ends with what was approved once | what is left of a cancellation waits for the approvals it lost
-instruction.state is State.NEEDS_HUMAN and not lost and left
+False and left
@ bot/workflows/payments/payout.py tests/workflows/requests/test_requester_before_sending.py
something is created for whoever asked once | nothing is created for somebody who may no longer ask
-    no = await read_refusal(ctx, instruction)
-
+    no = None
+
@ bot/workflows/requests/authority.py tests/flow/test_damaged_rows.py
payments flow where whether they are can't be read frozen | nothing is sent where it cannot be read whether it may
-    except (RowUnreadable, ValueError, TypeError, KeyError):
-        return _UNREADABLE
-
+    except (RowUnreadable, ValueError, TypeError, KeyError):
+        return None
+
@ storage/repositories/payments.py tests/flow/test_damaged_rows.py
votes that cannot be read are left out | a request whose votes cannot be read is held
-return self._whole(_VOTE, _OF_ROUND, wanted=instruction_id, wanted_round=round)
+return self._all(_VOTE, select(vote).filter_by(instruction_id=instruction_id, round=round))
@ handlers/pay.py tests/handlers/test_bad_input.py
the form of a payout asks for any kind | a stored request can be read back
-    if about.get("kind") not in _KINDS:
-
+    if False:
+
@ bot/wiring/slack.py tests/wiring/test_staffing.py
who may ask is counted among those who approve it | production does not start with a rule that nobody can meet
-len(found) - (1 if may_ask else 0)
+len(found)
@ bot/workflows/requests/reach.py tests/workflows/requests/test_reach.py
the requester counts among those who could approve | a quorum that nobody can reach is told
-may_decide(one, requester=requester, people
+may_decide(one, requester="", people
who leaves is not noticed | a group that shrinks is noticed within two minutes
-(asked == self._counted and now < self._due_at)
+asked == self._counted
@ bot/cli/doctor.py tests/test_doctor.py::test_a_request_that_too_few_people_can_approve_is_named
doctor names no request that too few people can approve | a quorum that nobody can reach is told
-    yield from out_of_reach(tx)
+    yield from ()
@ bot/domain/payments/recipient.py tests/flow/test_no_account.py
an address without an account goes to the approvers at once | the requester is asked before approvers are called
-    return bool(recipient.instead) or has_no_account(recipient)
+    return False
@ bot/workflows/payments/recipient.py tests/flow/test_no_account.py
anybody says that an address is right | only who asked sends anyway or edits
-    if found.requester != decision.person:
+    if False:
an edited request leaves the one it replaces | an edit replaces the request
-        finish(uow, found, State.WITHDRAWN, decision.person, Reason(OfRequest.EDITED))
-
""")
