"""Base classes of parsed, immutable values. Their validation errors don't quote the input."""

from pydantic import BaseModel


class Value(BaseModel, frozen=True, hide_input_in_errors=True):
    """A stored value. Unknown fields are ignored."""


class Reported(BaseModel, frozen=True, extra="forbid", hide_input_in_errors=True):
    """A value reported by a service, as parsed by our client. An unknown field is a bug of ours."""
