"""Confirming a file that was shown with its sum: exactly what was seen is requested, anything else is shown again."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto

from bot.domain.payments.bulk_file import Carried, Checked, Preview
from bot.domain.payments.instruction import Instruction
from bot.workflows.context import Context
from bot.workflows.payments.bulk_reading import preview
from bot.workflows.payments.bulk_request import requested_before


class Why(Enum):
    """Why a file is shown again."""

    NOT_COUNTED = auto()
    """No sum was shown before."""
    CHANGED = auto()
    """The file has other content than when it was shown."""
    CHOSEN = auto()
    """Other columns were chosen."""


@dataclass(frozen=True, slots=True)
class ShownAgain:
    """Nothing is requested: the person has not seen this."""

    preview: Preview
    why: Why


async def look(ctx: Context, carried: Carried, chosen: Mapping[str, int]) -> Instruction | Preview:
    """The file as it reads now, or the request that was made from it before.

    Raises:
        PersonError, TableProblem, ServiceTrouble, OperatorError: see
            :func:`bot.workflows.payments.bulk_reading.read_file`.
    """
    return await requested_before(ctx, carried.key) or await preview(ctx, carried.file, chosen)


async def confirm(ctx: Context, carried: Carried, chosen: Mapping[str, int]) -> Instruction | Checked | ShownAgain:
    """What to request; or the request that was made from it before; or what to show instead.

    Args:
        ctx: what a workflow is given.
        carried: what was shown.
        chosen: our column -> its place.

    Raises: as :func:`look`.
    """
    seen = await look(ctx, carried, chosen)
    if isinstance(seen, Instruction):
        return seen
    if seen.fingerprint != carried.seen:
        return ShownAgain(seen, Why.CHANGED)
    if not carried.counted:
        return ShownAgain(seen, Why.NOT_COUNTED)
    if chosen != dict(carried.places) or seen.checked is None:
        return ShownAgain(seen, Why.CHOSEN)
    return seen.checked
