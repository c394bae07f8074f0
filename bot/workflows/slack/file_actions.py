"""Actions on a file, in the order in which they are offered."""

from bot.domain.files.dropped import DroppedFile
from bot.workflows.context import Context, OfferedAction


def fitting(ctx: Context, file: DroppedFile) -> list[OfferedAction]:
    """Actions that fit this file here, in the order in which they are offered; those not suggested come last."""
    fit = [action for action in ctx.file_actions if action.works(ctx) and action.fits(file)]
    return sorted(fit, key=lambda action: not action.suggested(file))


def suggested(ctx: Context, file: DroppedFile) -> list[OfferedAction]:
    """Actions offered below this file; *Use this file* has every action that fits."""
    return [action for action in fitting(ctx, file) if action.suggested(file)]
