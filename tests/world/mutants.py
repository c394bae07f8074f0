"""Changes of the protocol, each a shortcut that loses money or approvals, to prove that the checker finds them.

A mutant is applied in the process that runs a plan; the plans named here are plans of the campaign.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
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

Change = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change, and plans of which at least one must find a violation."""

    change: Change
    plans: tuple[str, ...]
    breaks: str
    """The code of the violated invariant."""


@dataclass(frozen=True, slots=True)
class Hunt:
    """A change that random histories must find; ``without``: rules of the machine that the hunt can do without."""

    change: Change
    breaks: str
    without: tuple[str, ...]


@contextmanager
def _changed(*changes: tuple[Any, str, Callable[[Any], Any]]) -> Iterator[None]:
    """Replace each name of an owner by what a function makes of its value."""
    with ExitStack() as stack:
        for owner, name, make in changes:
            stack.enter_context(replaced(owner, name, make(getattr(owner, name))))
        yield


def _always(answer: Any) -> Callable[[Any], Any]:
    return lambda _: lambda *_, **__: answer


def _twice(original: Any) -> Any:
    async def send(*values: Any, **more: Any) -> Any:
        outcome = await original(*values, **more)
        return await original(*values, **more) if isinstance(outcome, Unknown) else outcome

    return send


def _sent_first(original: Any) -> Any:
    async def attempt_once(ctx: Any, circuit: Any, claim: Any, request: Any, answers: Any, *, name: str) -> None:
        if name == "committed":
            outcome = await request(SimpleNamespace(earlier_unknown=False), lambda: True)
            request = _answering(outcome)(None)
        await original(ctx, circuit, claim, request, answers, name=name)

    return attempt_once


def _answering(outcome: Any) -> Callable[[Any], Any]:
    async def answer(*_: Any, **__: Any) -> Any:
        return outcome

    return lambda _: answer


def _acked_first(original: Any) -> Any:
    async def approve(deps: Any, click: Any) -> Any:
        found, _ = await pay._meant(deps, click)
        deps.ephemerals.begin(decide.approve(deps.ctx, pay._decision(click, found)))
        return Nothing()

    return {**original, cards.APPROVE: approve}


def _uncompared(original: Any) -> Any:
    def _put(self: Instructions, before: Any, to: Any, changes: Any) -> Any:
        now = self.get(before.id)
        assert now is not None
        return original(self, replace(before, state=now.state, version=now.version), to, changes)

    return _put


def _believing(original: Any) -> Any:
    def _apply(uow: Any, row: Any, operation: Any, **more: Any) -> None:
        reported = {CallbackKind.CONFIRMATION: "completed", CallbackKind.CANCEL: "canceled"}.get(row.kind, "failed")
        original(uow, row, operation.model_copy(update={"status": reported}) if operation else None, **more)

    return _apply


def _unstored(original: Any) -> Any:
    async def receive(*values: Any, **more: Any) -> Any:
        try:
            return await original(*values, **more)
        except StorageError:
            return True

    return receive


def _as_if_unasked(original: Any) -> Any:
    return lambda standing, **more: original(standing, **{**more, "requester": ""})


def _counting_all(original: Any) -> Any:
    return lambda votes, *, instruction, **more: original(votes, instruction=replace(instruction, requester=""), **more)


def _never_sent(original: Any) -> Any:
    def lose(uow: Any, sending: Any, attempt: Any, outcome: Any) -> None:
        if attempt.kind is AttemptKind.CREATE:
            original(uow, sending, attempt, outcome)
            return
        uow.attempts.close(attempt.instruction_id, attempt.n, "not_executed", str(outcome.reason), uow.now)
        attempts._put_off(uow, sending, attempt, NotExecuted(again=True, reason=outcome.reason))

    return lose


def _unread(_: Any) -> Any:
    async def reread(_payments: Any, _instruction: Any, outcome: Any) -> Any:
        return outcome

    return reread


def _as_pressed(_: Any) -> Any:
    return lambda _ctx, _instruction, votes, *_, **__: Count(frozenset(vote.person for vote in votes), {})


_blind_resend = partial(
    _changed, (PaymentsClient, "commit_payout", _twice), (PaymentsClient, "one_step_payout", _twice)
)
"""A request that moves money and whose outcome is unknown is sent again at once."""
_body_believed = partial(_changed, (callbacks, "_apply", _believing))
"""The body of a callback is believed, without reading the operation."""
_own_vote_counts = partial(_changed, (authority, "may_decide", _as_if_unasked), (authority, "counting", _counting_all))
"""The requester may approve."""
_COMMIT = "callback: payments/commit_payout#1="
_POST = "callback: slack/chat.postMessage#"

MUTANTS: Mapping[str, Mutant] = {
    "blind resend": Mutant(_blind_resend, (f"{_COMMIT}done_dropped", f"{_COMMIT}done_500"), "I1"),
    # The service's record is not compared before the commit.
    "no re-read": Mutant(partial(_changed, (two_steps, "_is_not_as_approved", _always(False))), ("external:",), "I1"),
    # The commit leaves before its attempt is stored.
    "sent before claimed": Mutant(partial(_changed, (two_steps, "attempt_once", _sent_first)), ("polling:",), "I12"),
    # A vote is acknowledged before it is stored.
    "acknowledged before stored": Mutant(
        partial(_changed, (pay, "BUTTONS", _acked_first)),
        ("callback: write/approve#1=crash_before", "callback: write/approve#1=busy"),
        "I8",
    ),
    # A transition does not check that the row is unchanged since the decision.
    "no comparison": Mutant(partial(_changed, (Instructions, "_put", _uncompared)), ("overtaken:",), "I9"),
    # A post of unknown outcome is sent again without looking for it.
    "no search": Mutant(
        partial(_changed, (Messenger, "find", _answering(None))), (f"{_POST}1=done_dropped", f"{_POST}3=done_500"), "C1"
    ),
    "body believed": Mutant(_body_believed, ("callback:",), "I6"),
    # A callback is answered 200 although the database was busy.
    "callback not stored": Mutant(
        partial(_changed, (callbacks, "receive", _unstored)), ("quorum: write/callback#1=busy",), "I6"
    ),
    # A request answered with 422 is treated as not executed, without reading.
    "refusal believed": Mutant(partial(_changed, (two_steps, "reread", _unread)), ("commit refused:",), "I6"),
    # A list with neither our codes nor recipients counts as proof of absence.
    "any list believed": Mutant(
        partial(_changed, (sought.Listing, "doubt", lambda _: None), (sought, "_nobody_elses", _always([]))),
        ("one step hidden:",),
        "I6",
    ),
    "own vote counts": Mutant(_own_vote_counts, ("quorum:",), "I4"),
    # A request that a dead process was sending is treated as never sent, and sent again.
    "unknown taken for unsent": Mutant(
        partial(_changed, (attempts, "lose", _never_sent)), (f"{_COMMIT}done_dropped", f"{_COMMIT}crash_after"), "I6"
    ),
}

_NEEDLESS = ("light_the_fuse", "restart", "arm", "move", "stop", "decide_on_the_unknown", "people_change")
_NOBODY_LEAVES = (*_NEEDLESS, "somebody_leaves_before_it_is_sent")
_ALL_IS_KNOWN = ("freeze", "tamper", "nobody_knows_what_became_of_it")

HUNTED: Mapping[str, Hunt] = {
    "own vote counts": Hunt(_own_vote_counts, "I4", _NOBODY_LEAVES),
    # Before sending, what was counted when people pressed is believed.
    "votes not counted again": Hunt(
        partial(_changed, (sending, "count", _as_pressed)), "I2", (*_NEEDLESS, *_ALL_IS_KNOWN)
    ),
    "blind resend": Hunt(_blind_resend, "I1", _NOBODY_LEAVES),
    "body believed": Hunt(_body_believed, "I7", (*_NOBODY_LEAVES, *_ALL_IS_KNOWN, "wait", "approve")),
    # The amount that is typed to confirm is not compared.
    "any amount": Hunt(
        partial(_changed, (decide, "_is_amount", _always(True))),
        "I2",
        (*_NOBODY_LEAVES, *_ALL_IS_KNOWN, "lie_in_a_callback"),
    ),
    # Payments that are frozen are sent.
    "never frozen": Hunt(partial(_changed, (sending, "frozen", _always(None))), "I2", _NOBODY_LEAVES),
}
