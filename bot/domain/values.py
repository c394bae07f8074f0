"""Bases of immutable values that are parsed. Errors of parsing do not quote what was given."""

from pydantic import BaseModel


class Value(BaseModel, frozen=True, hide_input_in_errors=True):
    """What we store. Unknown fields are ignored."""


class Reported(BaseModel, frozen=True, extra="forbid", hide_input_in_errors=True):
    """What a service told, as our client read it. Unknown fields are mistakes of ours."""
