"""What can be done with a file, in the order in which it is offered."""

from bot.domain.files.dropped import DroppedFile
from bot.workflows.context import Context, OfferedAction


def fitting(ctx: Context, file: DroppedFile) -> list[OfferedAction]:
    """What can be done with this file here, in the order in which it is offered; what is not suggested comes last."""
    fit = [action for action in ctx.file_actions if action.works(ctx) and action.fits(file)]
    return sorted(fit, key=lambda action: not action.suggested(file))


def suggested(ctx: Context, file: DroppedFile) -> list[OfferedAction]:
    """What is offered below this file; *Use this file* has everything that fits."""
    return [action for action in fitting(ctx, file) if action.suggested(file)]
