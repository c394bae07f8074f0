"""How a person finds a request at the service."""

from bot.domain.payments.instruction import Instruction, Kind
from bot.presentation.blocks.text import quote

_ID_LIMIT = 200


def look_up(instruction: Instruction) -> str:
    """The service's id where we know it; else what we gave it: a code, or of many payments the notes of their rows."""
    if instruction.remote_id:
        return f"The service's id: `{quote(instruction.remote_id.replace('`', ''), _ID_LIMIT)}`"
    match instruction.kind:
        case Kind.BULK:
            return f"Its payments carry notes such as `{instruction.reference}/2` at the service"
        case Kind.BULK_CANCEL:
            return "Its payments are named by their hashes in the file of the thread"
        case _:
            return f"Our code at the service: `{instruction.code}`"
