"""Rows of the table ``instruction``: instructions as columns, and back."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row

from bot.domain.payments.bulk import BulkPayload, CancelPayload
from bot.domain.payments.bulk_progress import BulkProgress
from bot.domain.payments.instruction import Instruction, Kind, Payload, PayoutPayload, PurchasePayload, Recipient
from bot.domain.requirement import Requirement
from storage.repositories.common import columns

_PAYLOADS: Mapping[Kind, type[Payload]] = {
    Kind.PAYOUT: PayoutPayload,
    Kind.ONE_STEP: PayoutPayload,
    Kind.PURCHASE: PurchasePayload,
    Kind.BULK: BulkPayload,
    Kind.BULK_CANCEL: CancelPayload,
}


def values_of(instruction: Instruction) -> dict[str, Any]:
    """An instruction as column values; models as JSON."""
    values: dict[str, Any] = columns(instruction)
    values["payload"] = instruction.payload.model_dump(mode="json")
    values["requirement"] = instruction.requirement.model_dump(mode="json")
    values["recipient"] = model_of(instruction.recipient)
    values["progress"] = model_of(instruction.progress)
    return values | {"payee_email": instruction.payload.payee, "cents": instruction.payload.cents}


def model_of(found: Recipient | BulkProgress | None) -> dict[str, Any] | None:
    """A model as JSON; None stays None."""
    return found.model_dump(mode="json") if found is not None else None


def read_one(row: Row[Any] | None) -> Instruction | None:
    """The instruction of a row; None: there is no row."""
    return None if row is None else read(row)


def read(row: Row[Any]) -> Instruction:
    """The instruction of a row."""
    return made_of(dict(row._mapping))  # noqa: SLF001 - SQLAlchemy's public accessor, underscored against column names


def made_of(values: dict[str, Any]) -> Instruction:
    """The instruction of column values; ``values`` is changed."""
    recipient, progress = values["recipient"], values["progress"]
    values["payload"] = _PAYLOADS[values["kind"]].model_validate(values["payload"])
    values["requirement"] = Requirement.model_validate(values["requirement"])
    values["recipient"] = None if recipient is None else Recipient.model_validate(recipient)
    values["progress"] = None if progress is None else BulkProgress.model_validate(progress)
    return Instruction(**values)
