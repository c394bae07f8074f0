"""What can be done with a file, in the order in which it is offered."""

from bot.domain.files.dropped import DroppedFile
from bot.workflows.context import Context, FileAction


def fitting(ctx: Context, file: DroppedFile) -> list[FileAction]:
    """What can be done with this file here, in the order in which it is offered; what is not suggested comes last."""
    fit = [use for use in ctx.file_actions if use.works(ctx) and use.fits(file)]
    return sorted(fit, key=lambda use: not use.suggested(file))


def suggested(ctx: Context, file: DroppedFile) -> list[FileAction]:
    """What is offered below this file; *Use this file* has everything that fits."""
    return [use for use in fitting(ctx, file) if use.suggested(file)]
