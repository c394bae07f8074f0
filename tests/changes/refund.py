"""``/pay refund`` in a copy of the tree: a kind of request of its own, sent once after approval.

The simulator knows no refunds, so the route has the path of payouts in one step, and the answer is of one.
"""

from typing import Final

from tests.changes.plan import Change, Edit

_ROUTE = """\
[payments.refund]
method      = "POST"
path        = "/payouts/one-step"
parameters  = "body"
mark        = "A2"
moves_money = true
fields      = { email = "email", description = "description", amount = "amount", code = "code", confirmation_uri = "confirmation_uri", failure_uri = "failure_uri", cancel_uri = "cancel_uri" }
reply       = "operation"

"""  # noqa: E501 - a line of the file as it is
_CALL = """\
    async def refund(self, new: NewPayout, **sending: Unpack[EffectOptions]) -> Outcome[Operation]:
        return await self._change("refund", new.values(), partial(wire.read_one_step, code=new.code), **sending)

"""
_STEPS = '''\
"""A refund from request to end: one request, sent once after approval, found by its code after a lost answer."""

from dataclasses import replace
from operator import methodcaller

from bot.clients.payments import PaymentsClient
from bot.clients.transport import Guard
from bot.domain.payments.instruction import Instruction, Kind, State
from bot.domain.payments.operation import Operation
from bot.domain.references import Letter
from bot.workflows.context import Context
from bot.workflows.payments.payout import ONE_STEP, PAID, new_payout
from bot.workflows.requests.announce import prepared
from bot.workflows.requests.attempt import Claimed, Outcome, attempt_once
from bot.workflows.requests.send import not_now, sending


async def prepare(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    payments.require("refund")
    await prepared(ctx, instruction)


async def give_back(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    if await not_now(ctx, instruction):
        return

    async def refund(_: Claimed, guard: Guard) -> Outcome[Operation]:
        return await payments.refund(new_payout(ctx, instruction), earlier_unknown=False, guard=guard)

    claim = sending(ctx, instruction, name="claim_commit")
    await attempt_once(ctx, payments.circuit, claim, refund, PAID, name="committed")


KIND = replace(
    ONE_STEP,
    kind=Kind.REFUND,
    letter=Letter.REFUND,
    steps={**ONE_STEP.steps, State.NEW: prepare, State.APPROVED: give_back},
    ready=methodcaller("require", "refund"),
)
'''
_WORDS = '''\
"""What refunds say."""

from dataclasses import replace
from typing import Final

from bot.domain.payments.instruction import Instruction
from bot.presentation.payments.payouts import ONE_STEP


def _text(instruction: Instruction, asker: str) -> list[str]:
    lead, *rest = ONE_STEP.text(instruction, asker)
    return [f"Refund: {lead}", *rest]


REFUND: Final = replace(ONE_STEP, noun="refund", text=_text)
'''
_VERB = """\
_REFUND = Verb(
    "refund",
    "give a buyer's money back; it is sent once enough people have approved it",
    partial(_payout, kind=Kind.REFUND),
    example=\'refund ana@example.com 25.00 "Order 7"\',
    arguments=_SEND.arguments,
)
"""

REFUND: Final = Change(
    plan="`/pay refund`",
    story="tests/changes/refund_story.py",
    edits=(
        Edit(
            file="bot/clients/routes.toml", old="[payments.cancel_payout]\n", new=_ROUTE + "[payments.cancel_payout]\n"
        ),
        Edit(
            file="bot/clients/payments/client.py",
            old="    async def payout_events(",
            new=_CALL + "    async def payout_events(",
        ),
        Edit(
            file="bot/domain/payments/instruction.py",
            old='    PURCHASE = "purchase"\n    """Asks',
            new='    REFUND = "refund"\n    PURCHASE = "purchase"\n    """Asks',
        ),
        Edit(
            file="bot/domain/payments/instruction.py",
            old="    Kind.ONE_STEP: PayoutPayload,\n",
            new="    Kind.ONE_STEP: PayoutPayload,\n    Kind.REFUND: PayoutPayload,\n",
        ),
        Edit(
            file="bot/domain/payments/moves.py",
            old="    Kind.PURCHASE: {\n",
            new=(
                "    Kind.REFUND: {\n"
                "        _NEW: {_AWAITING, _WITHDRAWN, _EXPIRED, _COMMIT_UNKNOWN},\n"
                "        _AWAITING: {*_DECIDED, _COMMIT_UNKNOWN},\n"
                "        _APPROVED: {*_BEFORE_SENDING, *_ON_RECORD, _REFUSED, _COMMIT_UNKNOWN},\n"
                "        _SENDING: {*_ON_RECORD, _APPROVED, _COMMIT_UNKNOWN},\n"
                "        _COMMIT_UNKNOWN: {*_ON_RECORD, _NEEDS_HUMAN, _REFUSED},\n"
                "        _NEEDS_HUMAN: {*_ON_RECORD, _APPROVED, _CLOSED},\n"
                "        **_FOLLOWED,\n"
                "    },\n"
                "    Kind.PURCHASE: {\n"
            ),
        ),
        Edit(
            file="bot/domain/references.py",
            old='    PREBOOKING = "V"\n',
            new='    PREBOOKING = "V"\n    REFUND = "R"\n',
        ),
        Edit(file="bot/workflows/payments/refund.py", new=_STEPS),
        Edit(
            file="bot/wiring/workers.py",
            old="bulk.KIND, bulk_cancel.KIND)\n",
            new="bulk.KIND, bulk_cancel.KIND, refund.KIND)\n",
            imports="from bot.workflows.payments import refund",
        ),
        Edit(file="bot/presentation/payments/refunds.py", new=_WORDS),
        Edit(
            file="bot/presentation/payments/kinds.py",
            old="    Kind.ONE_STEP: ONE_STEP,\n",
            new="    Kind.ONE_STEP: ONE_STEP,\n    Kind.REFUND: REFUND,\n",
            imports="from bot.presentation.payments.refunds import REFUND",
        ),
        Edit(file="handlers/pay.py", old="COLLECT = Verb(\n", new=_VERB + "COLLECT = Verb(\n"),
        Edit(file="handlers/pay.py", old="    (_SEND, _NOW, COLLECT,", new="    (_SEND, _NOW, _REFUND, COLLECT,"),
    ),
)
