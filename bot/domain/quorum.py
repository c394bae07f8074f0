"""How many people can approve a request, beside how many have to."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Short:
    """What a request needs, and what there is.

    Attributes:
        needs: approvals.
        can: people who could give one, at most as many as are needed.
        told: how often too few were told.
    """

    needs: int
    can: int
    told: int = 0

    @property
    def is_short(self) -> bool:
        """Whether too few people can approve it."""
        return self.can < self.needs
