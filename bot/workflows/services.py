"""External services in the context: for each its client, or the names of the missing variables."""

import asyncio
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pydantic import SecretStr

from bot.clients.circuit import Circuit
from bot.clients.delivery import DeliveryClient
from bot.clients.delivery.client import SERVICE
from bot.clients.emails import EmailsClient
from bot.clients.localization import LocalizationClient, Upload
from bot.clients.results import Results
from bot.clients.short_links import ShortLinks
from bot.domain.bookings.record import NO_DESK, Desk, StoreState
from bot.domain.emails.lists import CONCURRENCY_LIMIT, Answer, Busy, Checked, Denied, Dropped, Outcome, fair_shares
from bot.domain.errors import OperatorError
from bot.domain.reasons import OfBooking, OfList, Reason
from bot.domain.text import Secrets
from bot.domain.tracking import back_off
from bot.domain.troubles import failed
from storage.repositories.bookings import folded
from storage.rows import STORE_KEY, StoreRow
from storage.sealing import Sealer, SealError
from storage.store import Store
from storage.transaction import Tx

C = TypeVar("C")

_ADD_KEY = "list the stores (the master key brings their keys along) or add it to DELIVERY_STORE_KEYS"
_FIRST_HOLD = 1.0
_LONGEST_HOLD = 60.0
_GROWTH = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Service(Generic[C]):
    """An external service. ``missing``: variables that still have to be set; empty if the service is configured."""

    client: C | None
    missing: tuple[str, ...] = ()

    @property
    def is_configured(self) -> bool:
        return self.client is not None

    def required(self) -> C:
        """Return the client, for callers that know it is configured; otherwise raise RuntimeError."""
        if self.client is None:
            raise RuntimeError(f"not configured: {', '.join(self.missing)}")
        return self.client


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryService:
    """The delivery client with the keys of its stores.

    Attributes:
        given_keys: ``DELIVERY_STORE_KEYS``: store name -> key, for stores not created by the bot.
        production: whether this is production, where pre-bookings don't exist.
        links: resolves short links of maps.
        desk: links to the service's dashboard and support.
        secrets: redacted from everything that a service returns; every opened key is added.
    """

    client: DeliveryClient
    sealer: Sealer = field(repr=False)
    given_keys: Mapping[str, SecretStr] = field(repr=False)
    production: bool
    links: ShortLinks
    desk: Desk = NO_DESK
    secrets: Secrets = field(default_factory=Secrets, repr=False)

    def learn_keys(self, tx: Tx) -> None:
        """Open every stored key, so that all of them are redacted."""
        for row in tx.stores.all():
            self.unsealed(row)

    def store_names(self, tx: Tx) -> list[str]:
        """Return the sorted names of all stores that have a key."""
        names = {folded(name): " ".join(name.split()) for name in self.given_keys}
        for row in tx.stores.all():
            if row.state is StoreState.READY and row.sealed_key:
                names.setdefault(row.folded, row.name)
        return [names[key] for key in sorted(names)]

    def spelled(self, tx: Tx, name: str) -> str | None:
        """Return the store's name as stored, ignoring case and spacing of ``name``; None if the store is unknown."""
        wanted = folded(name)
        return next((one for one in self.store_names(tx) if folded(one) == wanted), None)

    def key(self, tx: Tx, name: str) -> SecretStr | None:
        """Return the key of a store; None if it has none or the key can't be opened."""
        wanted = folded(name)
        for given, key in self.given_keys.items():
            if folded(given) == wanted:
                return key
        row = tx.stores.get(name)
        return self.unsealed(row) if row is not None else None

    async def key_of(self, store: Store, name: str) -> SecretStr:
        """Return the key of a store. Raises OperatorError if it has none or the key can't be opened."""
        key = await store.read(lambda tx: self.key(tx, name))
        if key is None:
            raise no_key(name)
        return key

    def unsealed(self, row: StoreRow) -> SecretStr | None:
        """Return the key in a row; None if it has none or if another ``SECRET_KEY`` sealed it."""
        if not row.sealed_key:
            return None
        try:
            key = self.sealer.open(row.sealed_key, row=row.id, column=STORE_KEY)
        except SealError:
            return None
        self.secrets.learn(key)
        return SecretStr(key)

    def sealed(self, key: SecretStr, *, row: str) -> str:
        return self.sealer.seal(key.get_secret_value(), row=row, column=STORE_KEY)


def no_key(store: str) -> OperatorError:
    return OperatorError(Reason(OfBooking.NO_KEY, store=store), mend=_ADD_KEY, service=SERVICE)


@dataclass(slots=True)
class PendingRequest:
    """A localization request without an answer yet: its upload, once that starts, and whether it was ended."""

    upload: Upload | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def percent(self) -> int | None:
        """Percentage of the file that was sent; None if unknown or if there is no file."""
        if self.upload is None or not self.upload.size:
            return None
        return min(self.upload.sent * 100 // self.upload.size, 100)


@dataclass(slots=True, kw_only=True)
class Calls:
    """The localization requests of this process without an answer yet, by job id.

    Attributes:
        circuit: the service's circuit.
        beat_seconds: interval of the check whether a call is still wanted, which also shows its elapsed time.
        look_seconds: how long a shared file can stay invisible while Slack processes it.
    """

    circuit: Circuit
    beat_seconds: float = 5.0
    look_seconds: float = 30.0
    sending: dict[str, PendingRequest] = field(default_factory=dict)

    @contextmanager
    def made(self, job_id: str) -> Iterator[PendingRequest]:
        """Register one request for the duration of the block."""
        self.sending[job_id] = one = PendingRequest()
        try:
            yield one
        finally:
            del self.sending[job_id]


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalizationService(Service[LocalizationClient]):
    """The localization service. ``results`` fetches its results without its key; ``calls`` are requests in progress.

    ``characters`` is the maximum for one request; longer texts are split. ``sealer`` seals Slack's response URLs.
    """

    sealer: Sealer = field(repr=False)
    results: Results
    calls: Calls
    characters: int


class Pressure:
    """The limit of requests in flight for all lists of a process, within the share set by :mod:`.emails.pace`.

    The service recommends a ceiling and may still ask for less. Then all runs pause for its Retry-After and continue
    with half as many requests. Each round of answers raises the limit again by a twentieth.

    Args:
        clock: returns monotonic seconds.
        limit: maximum number of requests in flight.
    """

    def __init__(self, *, clock: Callable[[], float], limit: int = CONCURRENCY_LIMIT) -> None:
        self.room = limit
        """Requests in flight that all runs together may have."""
        self.holds = 0
        """Consecutive times the service has asked to wait, without an answer in between."""
        self._clock = clock
        self._limit = limit
        self._held_until = float("-inf")
        self._answers = 0
        self._allowed = limit
        self._wants: dict[Hashable, int] = {}
        self._used: dict[Hashable, int] = {}
        self._shares: dict[Hashable, int] = {}

    def join(self, run: Hashable, *, wants: int) -> None:
        """Add a run, or change the number of requests in flight that it can use."""
        self._wants[run] = wants
        self._divide()

    def leave(self, run: Hashable) -> None:
        """Remove a run and give its share to the others."""
        self._wants.pop(run, None)
        self._used.pop(run, None)
        self._divide()

    @property
    def wants(self) -> int:
        """Requests in flight that this process can use."""
        return min(sum(self._wants.values()), self.room)

    @property
    def used(self) -> int:
        return sum(self._used.values())

    def use(self, run: Hashable, count: int) -> None:
        """Record that ``count`` requests of this run are in flight."""
        self._used[run] = count

    def allow(self, room: int) -> None:
        """Set how many requests in flight this process may have, given those of other processes."""
        if room != self._allowed:
            self._allowed = room
            self._divide()

    def share(self, run: Hashable) -> int:
        """Return how many requests this run may have in flight; at least one, or it would never progress."""
        return max(1, self._shares.get(run, 0))

    def rest(self) -> float:
        """Return the seconds until the next request may be sent."""
        return max(0.0, self._held_until - self._clock())

    def busy(self, retry_after: float | None) -> None:
        """Pause and halve the limit because the service asked to wait. Such answers during the pause don't count."""
        now = self._clock()
        if now < self._held_until:
            return
        self.holds += 1
        wait = back_off(first=_FIRST_HOLD, attempts=self.holds - 1, ceiling=_LONGEST_HOLD, named=retry_after)
        self._held_until = now + min(wait.total_seconds(), _LONGEST_HOLD)
        in_use = sum(self._shares.values()) or self.room
        self.room = max(1, min(self.room, in_use) // 2)
        self._answers = 0
        self._divide()

    def answered(self) -> None:
        self.holds = 0
        if self.room == self._limit:
            return
        self._answers += 1
        if self._answers >= self.room:
            self._answers = 0
            self.room = min(self._limit, self.room + max(1, self.room // _GROWTH))
            self._divide()

    def forget(self) -> None:
        """End the pause, because a person resumed a list."""
        self.holds = 0
        self._held_until = float("-inf")

    def _divide(self) -> None:
        runs = list(self._wants)
        shares = fair_shares([self._wants[run] for run in runs], room=min(self.room, self._allowed))
        self._shares = dict(zip(runs, shares, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailsService(Service[EmailsClient]):
    """The service that checks e-mail addresses; single checks and file checks are configured separately.

    Attributes:
        missing_single: variables that still have to be set for checks of single addresses; empty if configured.
        missing_files: variables that still have to be set for checks of whole files; empty if configured.
    """

    missing_single: tuple[str, ...]
    missing_files: tuple[str, ...]
    results: Results
    pressure: Pressure


async def check_addresses(client: EmailsClient, addresses: Sequence[str]) -> list[tuple[str, Answer]]:
    """Return the service's answer for each address; raises OperatorError if it refuses our account for all of them."""

    async def check(address: str) -> Checked:
        said = await client.check(address)
        if isinstance(said, Busy | Dropped):
            await asyncio.sleep(1.0)
            said = await client.check(address)
        return said

    def told(said: Checked) -> Answer:
        match said:
            case Answer():
                return said
            case Busy():
                return Answer(outcome=Outcome.FAILED, why=Reason(OfList.BUSY))
            case Dropped(reason=reason):
                return Answer(outcome=Outcome.FAILED, why=Reason(OfList.TRY_AGAIN, why=reason))
            case Denied(error=error):
                return Answer(outcome=Outcome.FAILED, why=failed(error))

    found = await asyncio.gather(*map(check, addresses))
    if isinstance(found[0], Denied) and all(isinstance(one, Denied) for one in found):
        raise found[0].error
    return [(address, told(said)) for address, said in zip(addresses, found, strict=True)]
