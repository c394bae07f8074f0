"""Every kind of request at every moment, each of its states with what the workflows store in it, and its cards then."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from bot.domain.approvals import No, Void
from bot.domain.content import Content
from bot.domain.payments.bulk import BulkProgress, tally
from bot.domain.payments.instruction import Instruction, Kind, State, Vote
from bot.domain.payments.moves import MACHINES
from bot.domain.policy import Requirement
from bot.domain.reasons import Exchange, OfRequest, Reason, given, stored, together
from bot.presentation.payments import cards, purchases
from tests.domain.made import NOW, bulk, cancellation, instruction, purchase, vote
from tests.presentation.checks import check_message

NAMES: Final = {"U0MARIA": "Maria Quispe", "U0ADA": "Ada Okafor", "U0LIN": "Lin Chen"}
_SAID: Final = Reason(Exchange.REFUSED, status=422, fields=()).saying("the limit is reached")
_NO_ANSWER: Final = {"commits": 1, "reason": Reason(Exchange.NO_ANSWER, failure="timed out")}
_REFUSED: Final = {"commits": 1, "refusal": _SAID, "reason": _SAID}
_NO_CODE: Final = Reason(OfRequest.MAY_BE_OURS, id="op-77")
_SPOKE: Final = Reason(Exchange.ANSWERED, status=500).saying("try again later")
_PAGES_REPEAT: Final = Reason(OfRequest.LIST_UNUSABLE, why=given("its pages repeat"))
_DIFFERENCES: Final = (Reason(OfRequest.OTHER_AMOUNT, theirs="26.00", ours="25.00"), Reason(OfRequest.OTHER_RECIPIENT))
_CHANGED: Final = Reason(OfRequest.CHANGED_HERE, is_purchase=False)

_DECIDED: Final[Mapping[str, Mapping[str, Any]]] = {
    "new": {},
    "awaiting": {},
    "awaiting, one of two": {"requirement": Requirement(quorum=2, typed_amount=True, reasons=("over $1,000.00",))},
    "awaiting again": {"reason": Reason(OfRequest.VOTES_VOID, void=[No.NOT_APPROVER, Void.TOO_OLD], missing=1)},
    "awaiting, stopped": {"stopped": "0badcafe"},
    "approved": {},
    "approved, frozen": {"reason": Reason(OfRequest.FROZEN, why=given("the books are being audited"), person="U0OLGA")},
    "approved, over the limit": {"reason": Reason(OfRequest.OVER_TODAY, left=2_000, limit=5_000)},
    "approved, held": {"reason": Reason(OfRequest.HELD, no=No.GONE, sent_before=False)},
    "approved, no answer": {"reason": Reason(OfRequest.UNANSWERED, service="payments", since=NOW.isoformat())},
    "sending": {"commits": 1},
    "committed": {"commits": 1},
    "rejected": {"reason": given("the invoice is wrong"), "decided_by": "U0ADA"},
    "withdrawn": {"decided_by": "U0MARIA"},
    "withdrawn, by an admin": {"reason": given("asked for twice"), "decided_by": "U0TOM"},
    "expired": {"reason": Reason(OfRequest.UNDECIDED, held=None)},
    "expired, late": {"reason": Reason(OfRequest.NOT_SENT_IN_TIME, held=None)},
    "closed": {"commits": 1, "reason": given("the service shows no payment"), "decided_by": "U0ADA"},
}
"""What people decide, and what follows: the same for every kind that is approved."""
_PLAINLY: Final = {name: facts for name, facts in _DECIDED.items() if name in tuple(State)}

_MONEY: Final[Mapping[str, Mapping[str, Any]]] = {
    "commit_unknown": _NO_ANSWER, "commit_unknown, it spoke": {"commits": 1, "reason": _SPOKE},
    "commit_unknown, refused": _REFUSED, "pending_escrow": {"commits": 1},
    "completed": {"commits": 1, "svc_hash": "a1b2c3"}, "canceled": {"commits": 1},
    "failed": {"commits": 1, "reason": given("the account is closed")}, "refused": _REFUSED,
}  # fmt: skip

_PAYOUT: Final[Mapping[str, Mapping[str, Any]]] = {
    **_DECIDED,
    "new": {"recipient": None, "remote_id": None},
    "new, stopped": {"recipient": None, "remote_id": None, "stopped": "0badcafe"},
    "creating": {"recipient": None, "remote_id": None},
    "create_unknown": {"remote_id": None},
    "create_unknown, it spoke": {"remote_id": None, "reason": _SPOKE},
    "create_unknown, refused": {"remote_id": None, "refusal": _SAID, "reason": _SAID},
    **_MONEY,
    "committed, as it calls it": {"commits": 1, "remote_status": "On <Hold>"},
    "refused, never sent": {"reason": _SAID},
    "mismatch": {"reason": together(_DIFFERENCES)},
    "needs_human": {"commits": 1, "reason": Reason(OfRequest.STILL_NOT_COMMITTED)},
    "needs_human, never created": {"remote_id": None, "reason": Reason(OfRequest.CREATED_IN_VAIN)},
    "needs_human, one of two": {
        "commits": 1,
        "reason": Reason(OfRequest.NEW_ATTEMPT_NOT_SENT, held=None),
        "requirement": Requirement(quorum=2),
    },
}

_ONE_STEP: Final[Mapping[str, Mapping[str, Any]]] = {
    "new": {"recipient": None, "remote_id": None},
    **_MONEY,
    "commit_unknown, suspect": {**_NO_ANSWER, "remote_id": None, "suspect": "op-77", "reason": _NO_CODE},
    "needs_human": {"commits": 1, "remote_id": None, "reason": Reason(OfRequest.NOT_LISTED)},
    "needs_human, suspect": {"commits": 1, "remote_id": None, "suspect": "op-77", "reason": _NO_CODE},
    "needs_human, refused": {
        "commits": 1,
        "remote_id": None,
        "refusal": _SAID,
        "reason": Reason(OfRequest.AFTER_REFUSAL, refusal=_SAID, why=_PAGES_REPEAT),
    },
}
"""What differs from a payout that is created first."""

_PURCHASE: Final[Mapping[str, Mapping[str, Any]]] = {
    "new": {}, "creating": {}, "create_unknown": {}, "create_unknown, refused": {"refusal": _SAID, "reason": _SAID},
    "needs_human": {"reason": _PAGES_REPEAT}, "open": {}, "open, stopped": {"stopped": "0badcafe"},
    "open, as it calls it": {"remote_status": "On <Hold>"},
    "completed": {}, "completed, by another": {"reason": Reason(OfRequest.PAID_BY, other="eve@example.com")},
    "canceled": {}, "failed": {"reason": given("card declined")}, "refused": {"reason": _SAID},
    "mismatch": {"reason": Reason(OfRequest.OTHER_AMOUNT, theirs="120.00", ours="119.50")},
    "closed": {"reason": Reason(OfRequest.NOT_LISTED)}, "withdrawn": {"decided_by": "U0MARIA"},
    "withdrawn, by an admin": {"reason": given("asked for twice"), "decided_by": "U0TOM"},
}  # fmt: skip

_LOOKED_UP: Final = BulkProgress(looked_up=9, to_look_up=9, inactive=1, inactive_emails=("eve@example.com",))


def _stands(*lines: tuple[str, int, int], over: bool = True) -> dict[str, Any]:
    return {"commits": 1, "progress": _LOOKED_UP.model_copy(update={"tally": tally(lines), "over": over})}


_BULK: Final[Mapping[str, Mapping[str, Any]]] = {
    **{name: {**facts, "progress": _LOOKED_UP} for name, facts in _PLAINLY.items()},
    "new": {"progress": BulkProgress(looked_up=4, to_look_up=9)},
    "commit_unknown": {**_NO_ANSWER, "progress": _LOOKED_UP},
    "commit_unknown, refused": {**_REFUSED, "progress": _LOOKED_UP},
    "needs_human": {"commits": 1, "reason": Reason(OfRequest.NOT_IN_HISTORY), "progress": _LOOKED_UP},
    "committed": _stands(("completed", 3, 20_000), ("", 7, 105_000), over=False),
    "committed, not read": _stands(("", 10, 125_000), over=False),
    "pending_escrow": _stands(("completed", 7, 110_000), ("failed", 1, 5_500), ("pending", 2, 9_500)),
    "completed": _stands(("completed", 10, 125_000)),
    "completed, some failed": _stands(("completed", 7, 110_000), ("failed", 1, 5_500), ("canceled", 2, 9_500)),
    "failed": _stands(("failed", 10, 125_000)),
    "canceled": _stands(("canceled", 10, 125_000)),
    "refused": {**_REFUSED, "progress": _LOOKED_UP},
    "mismatch": {"reason": _CHANGED, "progress": _LOOKED_UP},
}

_CANCEL: Final[Mapping[str, Mapping[str, Any]]] = {
    **_PLAINLY,
    "commit_unknown": _NO_ANSWER,
    "needs_human": {"commits": 1, "unknown_since": NOW, "reason": Reason(OfRequest.STILL_PENDING)},
    "needs_human, not all sent": {
        "commits": 1,
        "reason": Reason(OfRequest.VOTES_VOID, void=[No.NOT_APPROVER], missing=1),
    },
    "committed": {"commits": 1},
    "committed, refused": {"commits": 1, "reason": _SAID},
    "completed": _stands(("canceled", 1, 4_500), ("completed", 1, 5_000)),
    "failed": _stands(("completed", 1, 4_500), ("failed", 1, 5_000)),
    "mismatch": {"reason": _CHANGED},
}

_MADE: Final[Mapping[Kind, tuple[Callable[..., Instruction], Mapping[str, Mapping[str, Any]]]]] = {
    Kind.PAYOUT: (instruction, _PAYOUT), Kind.ONE_STEP: (instruction, _ONE_STEP), Kind.PURCHASE: (purchase, _PURCHASE),
    Kind.BULK: (bulk, _BULK), Kind.BULK_CANCEL: (cancellation, _CANCEL),
}  # fmt: skip


def reachable(kind: Kind) -> set[State]:
    """Every state that the arrows of this kind lead to."""
    found, left = set(), [State.NEW]
    while left:
        state = left.pop()
        if state not in found:
            found.add(state)
            left += MACHINES[kind].arrows.get(state, ())
    return found


def moments(kind: Kind) -> dict[str, Instruction]:
    """Name of the moment -> the request then. A name is the state, and how this one differs."""
    made, known = _MADE[kind]
    common: dict[str, Any] = {"kind": kind, "expires_at": NOW + timedelta(days=1)}
    return {
        name: made(**{**common, "state": State(name.partition(",")[0].partition(" ")[0]), **facts})
        for name, facts in known.items()
    }


def facts_of(one: Instruction) -> dict[str, Any]:
    """What the outbox keeps of the moment."""
    return {
        **{name: getattr(one, name) for name in ("state", "decided_by", "svc_hash")},
        "reason": stored(one.reason),
        "refusal": stored(one.refusal),
        "voters": ["U0LIN"] if one.commits else [],
        "tally": one.progress.tally.model_dump(mode="json") if one.progress is not None else None,
    }


def card(one: Instruction, *, approvers: bool = True, votes: Sequence[Vote] = ()) -> Content:
    if one.kind is Kind.PURCHASE:
        return purchases.card(one, link="https://pay.example.com/checkout/op-1")
    return cards.card(
        one, votes, for_approvers=approvers, approvals_channel="C0APPROVE", names=NAMES,
        approvers=["U0ADA", "U0LIN", "S0TREASURY"],
    )  # fmt: skip


def cards_of(kind: Kind, *, approvers: bool = True) -> dict[str, Content]:
    """Moment -> the card then."""
    found = {}
    for name, one in moments(kind).items():
        # A request that needs a decision begins without a voice.
        sent = one.commits and one.state not in (State.NEEDS_HUMAN, State.CLOSED)
        votes = [vote("U0LIN")] if sent or "one" in name or one.state is State.APPROVED else []
        found[name] = card(one, approvers=approvers, votes=votes)
        check_message(found[name])
    return found
