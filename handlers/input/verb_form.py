"""The form of a verb that was typed without the arguments it needs: one field for each."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bot.domain.errors import PersonError
from bot.presentation import mistakes, views
from handlers.dependencies import Dependencies
from handlers.incoming import Command, Submission
from handlers.input.grammar import Verb, read_argument
from handlers.replies import FieldErrors, MistakesError, Private, Replace, Reply
from handlers.router import Router


def register(router: Router, commands: Mapping[str, Sequence[Verb]]) -> None:
    """The form by its callback id. ``commands``: the verbs of each, by its name."""

    async def submit(deps: Dependencies, form: Submission) -> Reply:
        about = json.loads(form.metadata)
        verbs = commands.get(about["command"], ())
        return await _submit(deps, form, about, next((one for one in verbs if one.name == about["verb"]), None))

    router.views[views.VERB] = submit


async def _submit(deps: Dependencies, form: Submission, about: Mapping[str, str], verb: Verb | None) -> Reply:
    """Read the fields like a command line, and run the verb; its answer replaces the form."""
    if verb is None:
        raise LookupError(f"the form of a verb that is gone: {about['command']} {about['verb']}")
    values, errors = _read(verb, form)
    if errors:
        return FieldErrors(errors)
    command = Command(
        name=deps.spelled(about["command"]),
        text="",
        user=form.user,
        channel=about["channel"],
        trigger_id=form.view_id,
        response_url="",
    )
    try:
        reply = await verb.run(deps, command, values)
    except MistakesError as broken:
        first = verb.arguments[0].name
        known = {argument.name for argument in verb.arguments}
        return FieldErrors(
            {one.argument if one.argument in known else first: mistakes.at_field(one) for one in broken.errors}
        )
    if isinstance(reply, Private):
        title = views.short_title(f"{command.name} {verb.name}")
        return Replace(
            views.result(title, reply.content.blocks)
            if reply.content.blocks
            else views.notice(title, reply.content.text)
        )
    return reply


def _read(verb: Verb, form: Submission) -> tuple[dict[str, Any], dict[str, str]]:
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for argument in verb.arguments:
        text = form.values.get(argument.name, "").strip()
        try:
            values[argument.name] = read_argument(argument, text) if text or not argument.optional else None
        except PersonError as broken:
            errors[argument.name] = mistakes.at_field(broken)
    return values, errors
