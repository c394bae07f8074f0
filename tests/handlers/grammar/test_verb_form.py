"""The form of a verb: what the verb itself finds wrong stands beside the field it is about."""

import json
from typing import Any

import pytest

from bot.domain.errors import PersonError
from handlers.grammar.verbs import Argument, SlashCommand, Verb, submit
from handlers.incoming import Submission
from handlers.replies import FieldErrors, MistakesError


class Spelled:
    """What a form needs of its dependencies."""

    def spelled(self, command: str) -> str:
        return f"/{command}"


@pytest.mark.parametrize(("argument", "field"), [("amount", "amount"), ("note", "email")])
async def test_a_mistake_stands_beside_its_field_or_else_the_first(argument: str, field: str) -> None:
    async def run(*_: object) -> Any:
        raise MistakesError([PersonError(argument=argument, rule="it is too much", example="")])

    arguments = [Argument(name=name, rule="", read=str) for name in ("email", "amount")]
    values = {"email": "ana@example.com", "amount": "9"}
    about = json.dumps({"command": "pay", "verb": "send", "channel": "C1"})
    form = Submission(callback_id="verb", view_id="V1", metadata=about, values=values, user="U0MARIA")
    deps: Any = Spelled()
    pay = SlashCommand("pay", "pays", (Verb("send", "sends", run, arguments=arguments),))
    reply = await submit(deps, form, commands={"pay": pay})
    assert isinstance(reply, FieldErrors)
    assert reply.errors == {field: "It is too much."}
