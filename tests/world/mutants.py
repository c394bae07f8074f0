"""Changes of the protocol, each a shortcut that loses money or approvals, to prove that the checker finds them.

A mutant is applied in the process that runs a plan; the plans named here are plans of the campaign.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace
from typing import Any

from bot.clients.payments import PaymentsClient
from bot.domain.approvals import Count
from bot.domain.outcome import NotExecuted, Unknown
from bot.domain.payments.instruction import AttemptKind, CallbackKind
from bot.presentation.payments import cards
from bot.slack.messenger import Messenger
from bot.workflows.payments import callbacks, sought
from bot.workflows.payments import payout as two_steps
from bot.workflows.requests import attempt as attempts
from bot.workflows.requests import authority, decide
from bot.workflows.requests import send as sending
from handlers import pay
from handlers.replies import Nothing
from storage.errors import StorageError
from storage.repositories.requests import Instructions
from tests.support.replaced import replaced


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change, and plans of which at least one must find a violation."""

    change: Callable[[], Any]
    plans: tuple[str, ...]
    breaks: str
    """The code of the violated invariant."""


@dataclass(frozen=True, slots=True)
class Hunt:
    """A change that random histories must find; ``without``: rules of the machine that the hunt can do without."""

    change: Callable[[], Any]
    breaks: str
    without: tuple[str, ...]


@contextmanager
def _blind_resend() -> Iterator[None]:
    """A request that moves money and whose outcome is unknown is sent again at once."""

    def twice(original: Callable[..., Any]) -> Callable[..., Any]:
        async def send(*values: Any, **more: Any) -> Any:
            outcome = await original(*values, **more)
            return await original(*values, **more) if isinstance(outcome, Unknown) else outcome

        return send

    with (
        replaced(PaymentsClient, "commit_payout", twice(PaymentsClient.commit_payout)),
        replaced(PaymentsClient, "one_step_payout", twice(PaymentsClient.one_step_payout)),
    ):
        yield


@contextmanager
def _sent_before_claimed() -> Iterator[None]:
    """The commit leaves before its attempt is stored."""
    original = attempts.attempt_once

    async def attempt_once(ctx: Any, circuit: Any, claim: Any, request: Any, answers: Any, *, name: str) -> None:
        if name != "committed":
            await original(ctx, circuit, claim, request, answers, name=name)
            return
        outcome = await request(SimpleNamespace(earlier_unknown=False), lambda: True)

        async def already(*_: Any) -> Any:
            return outcome

        await original(ctx, circuit, claim, already, answers, name=name)

    with replaced(two_steps, "attempt_once", attempt_once):
        yield


@contextmanager
def _acked_before_stored() -> Iterator[None]:
    """A vote is acknowledged before it is stored."""

    async def approve(deps: Any, click: Any) -> Any:
        found, _ = await pay._meant(deps, click)
        deps.ephemerals.begin(decide.approve(deps.ctx, pay._decision(click, found)))
        return Nothing()

    with replaced(pay, "BUTTONS", {**pay.BUTTONS, cards.APPROVE: approve}):
        yield


@contextmanager
def _no_comparison() -> Iterator[None]:
    """A transition does not check that the row is unchanged since the decision."""
    original = Instructions._put

    def _put(self: Instructions, before: Any, to: Any, changes: Any) -> Any:
        now = self.get(before.id)
        assert now is not None
        return original(self, replace(before, state=now.state, version=now.version), to, changes)

    with replaced(Instructions, "_put", _put):
        yield


@contextmanager
def _no_search() -> Iterator[None]:
    """A post of unknown outcome is sent again without looking for it."""

    async def find(*_: Any, **__: Any) -> None:
        return None

    with replaced(Messenger, "find", find):
        yield


@contextmanager
def _body_believed() -> Iterator[None]:
    """The body of a callback is believed, without reading the operation."""
    original = callbacks._apply

    def _apply(uow: Any, row: Any, operation: Any, **more: Any) -> None:
        reported = {CallbackKind.CONFIRMATION: "completed", CallbackKind.CANCEL: "canceled"}.get(row.kind, "failed")
        original(uow, row, operation.model_copy(update={"status": reported}) if operation else None, **more)

    with replaced(callbacks, "_apply", _apply):
        yield


@contextmanager
def _callback_unstored() -> Iterator[None]:
    """A callback is answered 200 although the database was busy."""
    original = callbacks.receive

    async def receive(*values: Any, **more: Any) -> Any:
        try:
            return await original(*values, **more)
        except StorageError:
            return True

    with replaced(callbacks, "receive", receive):
        yield


@contextmanager
def _own_vote_counts() -> Iterator[None]:
    """The requester may approve."""

    def but(original: Callable[..., Any]) -> Callable[..., Any]:
        return lambda standing, **more: original(standing, **{**more, "requester": ""})

    def counting(votes: Any, *, instruction: Any, **more: Any) -> Any:
        return count(votes, instruction=replace(instruction, requester=""), **more)

    count = vars(authority)["counting"]
    with (
        replaced(authority, "may_decide", but(vars(authority)["may_decide"])),
        replaced(authority, "counting", counting),
    ):
        yield


@contextmanager
def _no_recovery() -> Iterator[None]:
    """A request that a dead process was sending is treated as never sent, and sent again."""

    original = attempts.lose

    def lose(uow: Any, sending: Any, attempt: Any, outcome: Any) -> None:
        if attempt.kind is AttemptKind.CREATE:
            original(uow, sending, attempt, outcome)
            return
        uow.attempts.close(attempt.instruction_id, attempt.n, "not_executed", str(outcome.reason), uow.now)
        attempts._put_off(uow, sending, attempt, NotExecuted(again=True, reason=outcome.reason))

    with replaced(attempts, "lose", lose):
        yield


@contextmanager
def _refusal_believed() -> Iterator[None]:
    """A request answered with 422 is treated as not executed, without reading."""

    async def reread(_payments: Any, _instruction: Any, outcome: Any) -> Any:
        return outcome

    with replaced(two_steps, "reread", reread):
        yield


@contextmanager
def _any_list_believed() -> Iterator[None]:
    """A list with neither our codes nor recipients counts as proof of absence."""
    with replaced(sought.Listing, "doubt", None), replaced(sought, "_nobody_elses", lambda *_: []):
        yield


@contextmanager
def _votes_not_counted_again() -> Iterator[None]:
    """Before sending, what was counted when people pressed is believed."""

    def count(_ctx: Any, _instruction: Any, votes: Any, _standings: Any, **_more: Any) -> Count:
        return Count(frozenset(vote.person for vote in votes), {})

    with replaced(sending, "count", count):
        yield


_no_reread = partial(replaced, two_steps, "_is_not_as_approved", lambda *_: False)
"""The service's record is not compared before the commit."""
_any_amount = partial(replaced, decide, "_is_amount", lambda *_: True)
"""The amount that is typed to confirm is not compared."""
_never_frozen = partial(replaced, sending, "frozen", lambda _: None)
"""Payments that are frozen are sent."""
_COMMIT = "callback: payments/commit_payout#1="
_POST = "callback: slack/chat.postMessage#"

MUTANTS: Mapping[str, Mutant] = {
    "blind resend": Mutant(_blind_resend, (f"{_COMMIT}done_dropped", f"{_COMMIT}done_500"), "I1"),
    "no re-read": Mutant(_no_reread, ("external:",), "I1"),
    "sent before claimed": Mutant(_sent_before_claimed, ("polling:",), "I12"),
    "acknowledged before stored": Mutant(
        _acked_before_stored, ("callback: write/approve#1=crash_before", "callback: write/approve#1=busy"), "I8"
    ),
    "no comparison": Mutant(_no_comparison, ("overtaken:",), "I9"),
    "no search": Mutant(_no_search, (f"{_POST}1=done_dropped", f"{_POST}3=done_500"), "C1"),
    "body believed": Mutant(_body_believed, ("callback:",), "I6"),
    "callback not stored": Mutant(_callback_unstored, ("quorum: write/callback#1=busy",), "I6"),
    "refusal believed": Mutant(_refusal_believed, ("commit refused:",), "I6"),
    "any list believed": Mutant(_any_list_believed, ("one step hidden:",), "I6"),
    "own vote counts": Mutant(_own_vote_counts, ("quorum:",), "I4"),
    "unknown taken for unsent": Mutant(_no_recovery, (f"{_COMMIT}done_dropped", f"{_COMMIT}crash_after"), "I6"),
}

_NEEDLESS = ("light_the_fuse", "restart", "arm", "move", "stop", "decide_on_the_unknown", "people_change")
_NOBODY_LEAVES = (*_NEEDLESS, "somebody_leaves_before_it_is_sent")
_ALL_IS_KNOWN = ("freeze", "tamper", "nobody_knows_what_became_of_it")

HUNTED: Mapping[str, Hunt] = {
    "own vote counts": Hunt(_own_vote_counts, "I4", _NOBODY_LEAVES),
    "votes not counted again": Hunt(_votes_not_counted_again, "I2", (*_NEEDLESS, *_ALL_IS_KNOWN)),
    "blind resend": Hunt(_blind_resend, "I1", _NOBODY_LEAVES),
    "body believed": Hunt(_body_believed, "I7", (*_NOBODY_LEAVES, *_ALL_IS_KNOWN, "wait", "approve")),
    "any amount": Hunt(_any_amount, "I2", (*_NOBODY_LEAVES, *_ALL_IS_KNOWN, "lie_in_a_callback")),
    "never frozen": Hunt(_never_frozen, "I2", _NOBODY_LEAVES),
}
