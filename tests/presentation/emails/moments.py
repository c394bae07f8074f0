"""A list of e-mail addresses at every moment."""

from types import MappingProxyType
from typing import Any

from bot.domain.emails.lists import ListProgress, Outcome, RunCount, RunState
from bot.domain.errors import OperatorError
from bot.domain.reasons import Exchange, OfList, Reason, given
from bot.domain.troubles import failed

COUNT = RunCount(
    total=10_000, taken=5_000, rows=12_000, skipped=7,
    outcomes=MappingProxyType({Outcome.ANSWERED: 4_000, Outcome.NO_ANSWER: 3}),
)  # fmt: skip
FULL = RunCount(total=1, taken=1, rows=1, outcomes=MappingProxyType({Outcome.ANSWERED: 1}), repeated=1)


def progress(state: RunState, **changes: Any) -> ListProgress:
    facts = {"file": "people.csv", "column": "email", "whole": False, "requester": "U0MARIA", "count": COUNT}
    return ListProgress(id="01J", state=state, **{**facts, **changes})


_UNPAID = OperatorError(Reason(Exchange.PAYMENT_REQUIRED, status=402), service="email", mend="top up the account")
UNPAID = failed(_UNPAID)
NOT_WORKING = Reason(OfList.NOT_WORKING, why=Reason(Exchange.ANSWERED, status=500))
NO_ADDRESSES = given("the column “name” hardly holds e-mail addresses")
WHOLE: dict[str, Any] = {"whole": True, "count": RunCount(rows=12_000)}
MOMENTS = {
    "preparing": progress(RunState.PREPARING, count=RunCount()),
    "running": progress(RunState.RUNNING),
    "paused": progress(RunState.PAUSED),
    "paused by a failure": progress(RunState.PAUSED, reason=NOT_WORKING),
    "paused by the account": progress(RunState.PAUSED, reason=Reason(OfList.ACCOUNT, why=UNPAID)),
    "stopping": progress(RunState.STOPPING),
    "stopped": progress(RunState.STOPPED),
    "failed": progress(RunState.FAILED, count=RunCount(), reason=NO_ADDRESSES),
    "done": progress(RunState.DONE, count=FULL),
    "done after a restart": progress(RunState.DONE, count=RunCount(total=99, rows=99, repeated=37)),
    "whole, sending": progress(RunState.SENDING, **WHOLE),
    "whole, unknown": progress(RunState.UNKNOWN, **WHOLE, reason=Reason(OfList.ANSWER_LOST)),
    "whole, done": progress(RunState.DONE, **WHOLE),
    "whole, with a receipt": progress(RunState.DONE, **WHOLE, receipt="R-77", said=(("status", "queued"),)),
    "whole, not fetched": progress(
        RunState.DONE, **WHOLE, reason=Reason(OfList.EMPTY_RESULT), said=(("result", "https://results.example.com/77"),)
    ),
    "whole, with an answer": progress(RunState.DONE, **WHOLE, said=(("valid", "9"), ("invalid", "1"))),
}
