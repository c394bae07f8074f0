"""What the policy asks of one request before it may be sent."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Requirement(BaseModel):
    """What the policy asked of one request when it was made (a snapshot: later changes do not soften it)."""

    model_config = ConfigDict(frozen=True)

    quorum: Annotated[int, Field(ge=1)]
    typed_amount: bool = False
    reasons: tuple[str, ...] = ()
    """Why the quorum is what it is, in words for the card."""
    expires_seconds: float = 86_400.0
    execute_within_seconds: float = 3_600.0

    def tightened(self, other: "Requirement") -> "Requirement":
        """This one, with whatever ``other`` asks more: a later policy may hold open requests back, never hurry them."""
        needs_more = other.quorum > self.quorum or other.typed_amount > self.typed_amount
        wanted = self.model_copy(
            update={
                "quorum": max(self.quorum, other.quorum),
                "typed_amount": self.typed_amount or other.typed_amount,
                "reasons": (needs_more and other.reasons) or self.reasons,
                "expires_seconds": min(self.expires_seconds, other.expires_seconds),
                "execute_within_seconds": min(self.execute_within_seconds, other.execute_within_seconds),
            }
        )
        return self if wanted == self else wanted
