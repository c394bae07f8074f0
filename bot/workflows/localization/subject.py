"""Content of the board of a call, and the lines and files of its thread."""

from collections.abc import Mapping

from bot.domain.content import Content
from bot.presentation.localization import calls as texts
from bot.workflows.context import Attachment, Context, Subject
from bot.workflows.localization.request import sight_of

RESULT = "result"
FAILURE = "failure"


class LocalizationSubject(Subject):
    async def board(self, ctx: Context, id: str) -> Content | None:  # noqa: A002 - what it is
        sight = await sight_of(ctx, id)
        return None if sight is None else texts.board(sight)

    async def line(self, ctx: Context, id: str, payload: Mapping[str, object]) -> Content | None:  # noqa: A002
        sight = await sight_of(ctx, id)
        if sight is None:
            return None
        return texts.result(sight) if payload["what"] == RESULT else texts.failure(sight)

    async def file(self, ctx: Context, id: str, payload: Mapping[str, object]) -> Attachment | None:  # noqa: A002
        """A text that is too long for a message."""
        sight = await sight_of(ctx, id)
        if sight is None:
            return None
        name, (alt, comment) = str(payload["name"]), texts.about_text(sight)
        return Attachment(name=name, content=texts.long_text(sight).encode(), title=name, alt=alt, comment=comment)
