"""Change of ``SECRET_KEY``: everything in the database that depends on it, in one transaction.

The audit goes on under the new key. Keys of stores are sealed anew. The callback addresses that a repeated request
will carry from now on are added; the ones handed out before stay valid.
"""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, select
from sqlalchemy.exc import SQLAlchemyError

from bot.domain.anchors import Anchor
from bot.domain.audit import Entry, key_id
from bot.domain.payments.instruction import FINAL
from bot.domain.references import callback_token, derived_key, token_hash
from storage.address import parse_address
from storage.anchors import AnchorFile, require_whole
from storage.engine import IMPATIENT, open_writing
from storage.errors import translated
from storage.migrate import see_version
from storage.rows import STORE_KEY, Head
from storage.sealing import Sealer, SealError
from storage.tables.instructions import callback_token as token_table
from storage.tables.instructions import instruction as instruction_table
from storage.transaction import Tx
from storage.writer import WRITERS_LOCK


@dataclass(frozen=True, slots=True)
class Secret:
    """A ``SECRET_KEY`` with the keys that are derived from it."""

    text: str = field(repr=False)

    def key(self, purpose: str) -> bytes:
        """The key for one purpose."""
        return derived_key(self.text, purpose)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotated:
    """The result of a rotation.

    Attributes:
        head: where the audit ends now.
        stores: names of the stores whose keys were sealed anew.
        unopened: names of the stores whose keys the old key did not open; they were left as they are.
        addresses: how many open requests got an additional address.
    """

    head: Head
    stores: tuple[str, ...]
    unopened: tuple[str, ...]
    addresses: int


async def rotate(url: str, *, anchors: Path, old: str, new: str, now: datetime) -> Rotated | None:
    """Switch to another key; None: that key is in force already. ``anchors``: their file.

    Nothing is changed unless the whole audit holds under the old key.

    Raises:
        StorageError: another process uses the SQLite file, the old key is not the one in force, the audit does not
            hold, or the database is not at the version of this program.
        OSError: the anchors cannot be read.
    """
    secrets = Secret(old), Secret(new)

    def work(connection: Connection) -> Rotated | None:
        with connection.begin():
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITERS_LOCK})").close()
            see_version(connection)
            return _rotate(connection, *secrets, now, AnchorFile(anchors, key=secrets[0].key("anchor")))

    try:
        async with open_writing(parse_address(url), patience=IMPATIENT) as line:
            return await line.run(work)
    except SQLAlchemyError as error:
        raise translated(error) from error


def anchor(path: Path, rotated: Rotated, *, key: str, now: datetime) -> None:
    """Write an anchor of the audit under the new key, outside the database, into the file ``path``.

    Raises:
        OSError: it could not be written; the bot writes one at its next start.
    """
    file = AnchorFile(path, key=Secret(key).key("anchor"))
    file.append(Anchor(at=now, seq=rotated.head.seq, head=rotated.head.hash))


def _rotate(connection: Connection, old: Secret, new: Secret, now: datetime, file: AnchorFile) -> Rotated | None:
    tx = Tx(connection, audit_key=old.key("audit"))
    if tx.audit.key_in_force() == key_id(new.key("audit")):
        return None
    tx.audit.adopt_key()
    require_whole(tx, file, so="nothing was changed")  # later the rows before the new key would look genuine
    entry = Entry(at=now, instruction_id="", actor="system", action="", before="", after="", detail={})
    last = tx.audit.hand_over(entry, to=new.key("audit"), anchor_key=old.key("anchor"))
    sealed, unopened = _reseal(tx, old, new)
    return Rotated(
        head=Head(last.seq, last.hash), stores=sealed, unopened=unopened, addresses=_let_in(connection, tx, new)
    )


def _reseal(tx: Tx, old: Secret, new: Secret) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the stores whose keys were sealed anew, and of those whose keys do not open."""
    before, after = Sealer(key=old.key("stores")), Sealer(key=new.key("stores"))
    sealed, unopened = [], []
    for store in tx.stores.all():
        if not store.sealed_key:
            continue
        try:
            text = before.open(store.sealed_key, row=store.id, column=STORE_KEY)
        except SealError:
            unopened.append(store.name)
            continue
        tx.stores.change(store.id, sealed_key=after.seal(text, row=store.id, column=STORE_KEY))
        sealed.append(store.name)
    return tuple(sealed), tuple(unopened)


def _let_in(connection: Connection, tx: Tx, new: Secret) -> int:
    """Store the callback addresses that open requests will carry when they are sent, or sent again."""
    query = (
        select(token_table.c.instruction_id, token_table.c.kind)
        .join(instruction_table, instruction_table.c.id == token_table.c.instruction_id)
        .where(instruction_table.c.state.not_in(FINAL))
        .distinct()
    )
    key, done = new.key("callbacks"), set()
    for instruction_id, kind in connection.execute(query).all():
        token = callback_token(key=key, instruction_id=instruction_id, kind=kind)
        tx.tokens.put(token_hash=token_hash(token), instruction_id=instruction_id, kind=kind, expires_at=None)
        done.add(instruction_id)
    return len(done)
