"""Where to look up a request at the service, and what is said of a status that Switchboard does not know."""

from bot.domain.payments.bulk import CancelPayload
from bot.domain.payments.instruction import Instruction, Kind
from bot.domain.payments.operation import read_status
from bot.presentation.blocks.text import quote

_ID_LIMIT = 200
_STATUS_LIMIT = 100


def look_up(instruction: Instruction) -> str:
    """The service's id where we know it; else what we gave it: a code, or of many payments the notes of their rows."""
    if instruction.remote_id:
        return f"The service's id: `{quote(instruction.remote_id.replace('`', ''), _ID_LIMIT)}`"
    match instruction.kind:
        case Kind.BULK:
            return f"Its payments carry notes such as `{instruction.reference}/2` at the service"
        case Kind.BULK_CANCEL if isinstance(instruction.payload, CancelPayload) and instruction.payload.payout_to:
            return f"The payout's id at the service: `{quote(instruction.payload.bulk_remote_id)}`"
        case Kind.BULK_CANCEL:
            return "Its payments are named by their hashes in the file of the thread"
        case _:
            return f"Our code at the service: `{instruction.code}`"


def said_raw(instruction: Instruction) -> str:
    """The service's own word for an unknown status: a sentence with a space before it. No decision depends on it."""
    said = instruction.remote_status
    if not said or read_status(said) is not None:
        return ""
    return f" The service calls this “{quote(said, _STATUS_LIMIT)}”, a status Switchboard does not know."
