"""A reason of each code, with facts as they are stored."""

from collections.abc import Mapping
from typing import Final

from bot.domain.reasons import (
    SUBJECTS,
    Code,
    Exchange,
    Fact,
    Failed,
    OfBooking,
    OfList,
    OfRequest,
    Reason,
)

NO_ANSWER: Final = Reason(Exchange.NO_ANSWER, failure="timed out")

_USUAL: Final[Mapping[str, Fact]] = {
    "text": "the bank called", "parts": (Reason(OfRequest.OTHER_ID), Reason(OfRequest.OTHER_CODE)), "status": 500,
    "failure": "timed out", "fields": ("amount", "e-mail"), "problem": "no amount", "page": 3, "type": "payout",
    "asked": 2, "came": 1, "most": 20, "told": 7, "shown": 6, "bytes": 3000, "why": NO_ANSWER, "error": "missing_scope",
    "what": "person", "needed": "users:read", "service": "payments", "mend": "list the stores", "wait": 30.0,
    "advice": True, "again": True, "since": "2026-11-20T09:00+00:00", "no": "gone", "sent_before": False,
    "void": ("gone", "too_old"), "missing": 2, "person": "U0OLGA", "needs": 2, "can": 1, "left": 2_000, "limit": 5_000,
    "held": Reason(OfRequest.RESTORED), "state": "rejected", "other": "eve@example.com", "records": "payouts",
    "ids": tuple(f"bulk-{number}" for number in range(1, 7)), "theirs": "25.01", "ours": "25.00", "doubles": 1,
    "different": 2, "strangers": 3, "id": "op-77", "contradicted": 1, "unplaced": 2, "reference": "L-4F7K2M", "row": 2,
    "mark": "P-4F7K2M", "before": "completed", "count": 10, "completed": 10, "pending": 0, "failed": 0,
    "kind": "cancel", "under_way": 1, "answer": Reason(Exchange.ANSWERED, status=500).saying("try again later"),
    "refusal": Reason(Exchange.REFUSED, status=422, fields=()).saying("the limit is reached"), "is_purchase": False,
    "given": "INV-7", "listed": "payout", "store": "Centro", "times": 3, "name": "name", "addresses": 1, "filled": 20,
    "flaw": "empty", "rows": (), "names": (), "allowed": 0, "counts": (), "more": 0, "example": "email",
    "rule": "the file has too many columns",
}  # fmt: skip
"""By the name of the fact."""
_OTHERS: Final[Mapping[Code, Mapping[str, Fact]]] = {
    Exchange.OTHER_TYPE_LISTED: {"asked": "payout", "came": "purchase"}, Exchange.REFUSED: {"status": 422},
    Exchange.RESULT_NOT_HANDED: {"why": 503}, Exchange.SLACK_FILE_KEPT: {"why": 503},
    Exchange.SLACK_FILE_REFUSED: {"why": "TimeoutError"},
    Failed.NEVER: {"why": Reason(Exchange.REFUSED, status=404, fields=()), "status": 404},
    Failed.NOT_EXECUTED: {"why": Reason(Exchange.TOO_MANY), "wait": None},
    Failed.UNKNOWN: {"why": Reason(Exchange.ANSWERED, status=500).saying("try again later")},
    OfRequest.EARLIER_NOT_UNPAID: {"found": [("P-4F7K2M", True, "completed", ()), ("L-4F7K2M", False, "", (2, 4))]},
    OfRequest.ON_HOLD: {"found": (("changed", ()), ("changed row", ("7", "9")))},
    OfRequest.NOT_CONFIGURED: {"missing": ("PAYMENTS_BASE_URL", "PAYMENTS_API_KEY")},
    OfRequest.UNDECIDED: {"held": Reason(OfRequest.RESTORED)},
    OfRequest.DISAGREES: {"found": (("state", ("needs_human",)),)},
    OfRequest.MISCOUNTED: {"theirs": 9, "ours": 10}, OfRequest.SAYS: {"status": "pending"},
    OfRequest.UNASKED: {"status": "committed"}, OfRequest.CONTRADICTED: {"status": "failed"},
    OfRequest.PAID_AS: {"status": "done"}, OfRequest.OTHER_KIND: {"is_purchase": True},
    OfBooking.JOINED: {"reference": "B-4F7K2M"}, OfList.FILE_LATER: {"why": Reason(Exchange.SLACK_FILE_KEPT, why=503)},
}  # fmt: skip
"""Of the codes that mean something else by that name, or say it in another way."""

_CODES: Final[list[Code]] = [code for subject in SUBJECTS for code in subject.__members__.values()]
FACTS: Final[Mapping[Code, Mapping[str, Fact]]] = {
    code: {**{name: _USUAL[name] for name in code.facts if name not in _OTHERS.get(code, {})}, **_OTHERS.get(code, {})}
    for code in _CODES
    if code.facts
}


def sample(code: Code) -> Reason:
    return Reason(code, **FACTS.get(code, {}))
