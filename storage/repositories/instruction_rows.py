"""Rows of the table ``instruction``: instructions as columns, and back."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel

from bot.domain.payments.bulk import BulkPayload, CancelPayload
from bot.domain.payments.bulk_progress import BulkProgress
from bot.domain.payments.instruction import Instruction, Kind, Payload, PayoutPayload, PurchasePayload, Recipient
from bot.domain.requirement import Requirement
from storage.damage import Broken, Shape
from storage.repositories.common import columns
from storage.tables.instructions import instruction as table

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


def _made(**values: Any) -> Instruction:
    for copied in ("payee_email", "cents"):
        values.pop(copied, None)
    models: dict[str, type[BaseModel]] = {
        "payload": _PAYLOADS[values["kind"]],
        "requirement": Requirement,
        "recipient": Recipient,
        "progress": BulkProgress,
    }
    for name, model in models.items():
        if values[name] is not None:
            try:
                values[name] = model.model_validate(values[name])
            except ValueError as wrong:
                raise Broken(name) from wrong
    return Instruction(**values)


SHAPE: Final = Shape(table, _made, called="reference")
