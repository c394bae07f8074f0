"""Base of all service panels: calls, faults of requests, and manners that stay on until switched off."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import ClassVar, Generic, TypeVar

from bot.playground.console import panels
from bot.playground.console.panels import Armed, CallBook, CallLine, FaultTarget, Figure, Status
from bot.playground.faults import UNANSWERED, FaultKind, Faults
from bot.playground.simulators.callbacks import CallbackAttempt
from bot.playground.simulators.recorder import Call
from bot.playground.simulators.server import Server

_SUCCESS = range(200, 300)

S = TypeVar("S", bound=Server)


class Panel(ABC):
    """A ``ServicePanel`` that offers faults for its ``requests``."""

    name: ClassVar[str]
    title: ClassVar[str]
    about: ClassVar[str]
    requests: ClassVar[Sequence[FaultTarget]]

    def __init__(self, *, faults: Faults) -> None:
        self._faults = faults
        self._book = CallBook()

    @property
    def operations(self) -> Sequence[FaultTarget]:
        """Everything that can be switched."""
        return self.requests

    def status(self) -> Status:
        """Figures and armed switches."""
        return Status(count=self._book.count, figures=self._figures(), armed=self._armed())

    def calls(self) -> list[CallLine]:
        """The last calls, oldest first."""
        return self._book.all()

    def call(self, call_id: str) -> CallLine | None:
        """Current state of one call."""
        return self._book.get(call_id)

    def arm(self, operation: str, kind: str, times: int | None) -> None:
        """Arm a fault.

        Raises:
            ValueError: It is not offered.
        """
        panels.arm(self._faults, self.requests, operation, kind, times)

    def behave(self) -> None:
        """All faults off."""
        self._faults.clear()

    @abstractmethod
    def follow(self) -> AsyncIterator[str]:
        """Ids of calls that are new or changed; an empty string when only the status changed."""

    @abstractmethod
    def _figures(self) -> Sequence[Figure]:
        """Numbers shown as tiles."""

    def _armed(self) -> list[Armed]:
        return panels.armed(self._faults, self.requests)


class SimulatorPanel(Panel, Generic[S]):
    """The panel of a simulator: its calls, its callbacks if it sends any, and its manners.

    Attributes:
        manners: switches that concern no single request; each choice stays on until switched off.
        lasting: the page's label for that.
        extra_titles: plain words for operations that cannot be made to fail.
    """

    manners: ClassVar[Sequence[FaultTarget]]
    lasting: ClassVar[str] = "– every time"
    extra_titles: ClassVar[Mapping[str, str]] = MappingProxyType({})

    def __init__(self, *, simulator: S) -> None:
        super().__init__(faults=simulator.faults)
        self._simulator = simulator
        self._sent = 0

    @property
    def operations(self) -> Sequence[FaultTarget]:
        """Requests, then manners."""
        return (*self.requests, *(replace(manner, lasting=True) for manner in self.manners))

    def arm(self, operation: str, kind: str, times: int | None) -> None:
        """Arm a fault, or turn a manner on until switched off.

        Raises:
            ValueError: It is not offered.
        """
        manner = next((each for each in self.manners if each.name == operation), None)
        if manner is None:
            super().arm(operation, kind, times)
        elif kind in {choice.kind for choice in manner.faults}:
            self._turn_on(operation, kind, times)
        else:
            raise ValueError(f"{kind!r} is not offered for {operation!r}.")

    def behave(self) -> None:
        """All faults off, the usual manners."""
        super().behave()
        self._be_usual()

    async def follow(self) -> AsyncIterator[str]:
        """Ids of changed calls, as the simulator reports them."""
        with self._simulator.subscribe() as changes:
            async for change in changes:
                yield self._noted(change.subject)

    @abstractmethod
    def _turn_on(self, operation: str, kind: str, times: int | None) -> None:
        """Turn on one of the offered choices of a manner."""

    @abstractmethod
    def _on(self) -> Mapping[str, Mapping[str, bool]]:
        """Choices that are on, by manner."""

    @abstractmethod
    def _be_usual(self) -> None:
        """Turn every manner off."""

    def _armed(self) -> list[Armed]:
        on = self._on()
        lasting = [
            Armed(kind=choice.kind, title=choice.title, when=self.lasting)
            for manner in self.manners
            for choice in manner.faults
            if on[manner.name][choice.kind]
        ]
        return [*super()._armed(), *lasting]

    def _noted(self, subject: object) -> str:
        """Store a change; the id of the call that it concerns."""
        if isinstance(subject, Call):
            return self._book.put(self._line(subject))
        if isinstance(subject, CallbackAttempt):
            self._sent += 1
            return self._book.put(self._sent_line(f"out-{self._sent}", subject))
        return ""

    def _line(self, call: Call) -> CallLine:
        query = "&".join(f"{name}={value}" for name, value in call.query.items())
        unanswered = call.fault in UNANSWERED
        return CallLine(
            id=f"in-{call.n}",
            at=call.at,
            title=self._title(call.operation),
            method=call.method,
            path=f"{call.path}?{query}" if query else call.path,
            operation=call.operation,
            status=call.status,
            ok=call.status is not None and call.status in _SUCCESS,
            pending=call.status is None and not unanswered,
            outcome="no answer" if unanswered else "",
            changes=call.effect,
            fault=self._words(call.fault) if call.fault is not None else "",
            body=self._shown(call.body),
            response=self._shown(call.response),
        )

    def _sent_line(self, call_id: str, delivery: CallbackAttempt) -> CallLine:
        """A callback; its address ends in a secret, which the page does not show."""
        return CallLine(
            id=call_id,
            at=delivery.at,
            title=self._sent_title(delivery),
            method="POST",
            path=f"/{without_secret(delivery.url).partition('://')[2].partition('/')[2]}",
            operation="callback",
            status=delivery.status,
            ok=delivery.delivered,
            outcome="" if delivery.status is not None else delivery.error or "not sent",
            direction="out",
            body=self._shown(delivery.callback.body),
            response=delivery.error,
        )

    def _sent_title(self, _delivery: CallbackAttempt) -> str:
        return "Callback to the bot"

    def _title(self, operation: str) -> str:
        """Title of an operation; without one, its name in words."""
        named = {**{each.name: each.title for each in self.requests}, **self.extra_titles}
        return named.get(operation) or operation.replace("_", " ").capitalize()

    def _words(self, kind: FaultKind) -> str:
        choices = (choice for each in self.requests for choice in each.faults)
        return next((choice.title for choice in choices if choice.kind == kind.value), kind.value)

    def _shown(self, value: object) -> object:
        """JSON without secrets, for the page."""
        return value


def without_secret(url: str) -> str:
    """An address without its last part."""
    head, slash, _ = url.rpartition("/")
    return f"{head}{slash}…" if slash else url
