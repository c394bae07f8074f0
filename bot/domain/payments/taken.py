"""Payouts created elsewhere and not committed yet: which of them may be committed through a request here."""

from enum import StrEnum

from bot.domain.addresses import address
from bot.domain.errors import RuleError
from bot.domain.payments.bulk_operations import named_row
from bot.domain.payments.fields import DESCRIPTION_LIMIT
from bot.domain.payments.instruction import LEAVES_CODE, Instruction, PayoutPayload
from bot.domain.payments.operation import Operation, OperationStatus
from bot.domain.references import CARRIED, OURS, PAYMENTS_CALLBACKS
from bot.domain.text import clean


class NotTaken(StrEnum):
    """Why a payout cannot be imported."""

    NO_PAYOUT = "no payout"
    NOT_CREATED = "not created"
    NO_AMOUNT = "no amount"
    NO_RECIPIENT = "no recipient"
    LONG = "long"
    ABOVE_LIMIT = "above limit"
    MADE_HERE = "made here"


def payload_of(operation: Operation) -> PayoutPayload | NotTaken:
    """Return the payload for approvers, exactly as in the record; all of it must fit on their card."""
    if operation.operation_type != "payout":
        return NotTaken.NO_PAYOUT
    if operation.state is not OperationStatus.CREATED:
        return NotTaken.NOT_CREATED
    if not operation.cents:
        return NotTaken.NO_AMOUNT
    try:
        is_shown_as_it_is = address(operation.email or "").casefold() == (operation.email or "").casefold()
    except RuleError:
        is_shown_as_it_is = False
    if not is_shown_as_it_is:
        return NotTaken.NO_RECIPIENT
    if len(clean(operation.description)) > DESCRIPTION_LIMIT:
        return NotTaken.LONG
    return PayoutPayload(
        email=operation.email or "",
        cents=operation.cents,
        description=operation.description,
        code=operation.code or "",
        taken=operation.id,
    )


def mark_of(operation: Operation) -> str:
    """Return a mark that Switchboard, with any database, created the operation, or an empty string.

    The mark is our callback address, or a code or reference of ours.
    """
    if (operation.reports_to or "").endswith(PAYMENTS_CALLBACKS):
        return PAYMENTS_CALLBACKS
    code, note = operation.code or "", operation.internal_note or ""
    if OURS.fullmatch(code):
        return code.strip()
    if (row := named_row(operation)) is not None:
        return f"{row[0]}/{row[1]}"
    return next((found[0] for text in (code, note, operation.description) if (found := CARRIED.search(text))), "")


def may_be_taken(before: Instruction | None) -> bool:
    """Whether a payout may be requested again after the request ``before``, if any: only if that ended unsent."""
    if before is None:
        return True
    return bool(before.payload.taken) and before.state in LEAVES_CODE and not before.commits
