"""An outside service, configured or not."""

from dataclasses import dataclass
from typing import Generic, TypeVar

C = TypeVar("C")


@dataclass(frozen=True, slots=True, kw_only=True)
class Service(Generic[C]):
    """An outside service.

    Attributes:
        client: None when the service is not configured.
        missing: names of the variables without which it is not; empty when it is.
    """

    client: C | None
    missing: tuple[str, ...] = ()

    @property
    def is_configured(self) -> bool:
        """Whether it can be asked."""
        return self.client is not None

    def required(self) -> C:
        """The client, where the caller knows that there is one.

        Raises:
            RuntimeError: the service is not configured.
        """
        if self.client is None:
            raise RuntimeError(f"not configured: {', '.join(self.missing)}")
        return self.client
