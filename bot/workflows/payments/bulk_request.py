"""Turn files or typed rows into checked payments, and those into a request with its items."""

import asyncio
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import partial
from types import MappingProxyType
from typing import Final

from bot.domain.currencies import other_currency_in, without_currency
from bot.domain.errors import RuleError
from bot.domain.files.columns import summarize
from bot.domain.files.tables import MEBIBYTE, Flaw, Limits, Some, Table, TableProblem, marks_of
from bot.domain.money import Decimals, parse_amount
from bot.domain.payments.amounts import amounts_in
from bot.domain.payments.bulk import (
    MOST_ITEMS,
    BulkPayload,
    duplicates_in,
    items_digest,
    largest_of,
    people_in,
    twin_digest,
)
from bot.domain.payments.bulk_file import (
    COLUMNS,
    LEAST_COLUMNS,
    REQUIRED,
    TYPED,
    Checked,
    EarlierRequest,
    FormMetadata,
    Preview,
    disguised_rows,
    guess_places,
    lost_letters,
    payees_in,
    read_rows,
    total_rows,
)
from bot.domain.payments.deliverability import NO_CHOICE, Choice, Doubt
from bot.domain.payments.done_rows import references_in
from bot.domain.payments.instruction import NOT_PAID, Instruction, Kind
from bot.domain.payments.lookups import Lookup, accounts_of, doubtful_rows
from bot.presentation.files.columns import amounts_read, columns_read, unusual
from bot.tables.apart import read_apart
from bot.tables.delimited import plain
from bot.tables.reading import clear_columns, find_columns, same_names
from bot.workflows.context import Context, Unit
from bot.workflows.presets import remember, remembered
from bot.workflows.requests.repeats import repeats_of
from bot.workflows.requests.request import Requested, request_of
from bot.workflows.slack.dropped_files import read_table_file
from storage.transaction import Tx

LARGEST_FILE: Final = 10 * MEBIBYTE

LIMITS = Limits(size=LARGEST_FILE, rows=MOST_ITEMS, columns=60, unpacked=80 * MEBIBYTE)
_TYPED = "typed rows"
OF_FILE = "file:"
"""Prefix of a dropped file's source key."""
_KEPT_ROWS = 100
_AMOUNTS: Final = "amounts"
_DECIMALS: Final = "decimals"
_TO_FIX: Final = "rows to fix"
_NOTHING: Final[Mapping[str, Lookup]] = MappingProxyType({})


async def read_file(ctx: Context, file_id: str) -> Checked:
    """Read a file whose columns have our names.

    Raises:
        UnusableFile, TableProblem: the person has to correct the file.
        ServiceNow, ServiceNever, OperatorError: see :class:`bot.slack.files.Downloads`.
    """
    found = await read_table_file(ctx, file_id, limits=LIMITS)
    requested = await requested_in(ctx, found.table)
    return await asyncio.to_thread(as_payments, found.table, found.info.name, requested=requested)


async def requested_in(ctx: Context, table: Table) -> Mapping[str, Doubt]:
    """Return the references in a table whose payments were paid or may have been, with which of the two."""
    named = {name for _, name in await asyncio.to_thread(references_in, table.rows)}
    if not named:
        return {}
    found = await ctx.read(lambda uow: uow.instructions.may_be_paid({name.partition("/")[0] for name in named}))
    return {name: Doubt.PAID if is_paid else Doubt.REQUESTED for name, is_paid in found.items()}


async def repeated(ctx: Context, checked: Checked | None) -> Sequence[EarlierRequest]:
    """Return the earlier requests with some of the same payments, which the card will name."""
    if checked is None or not checked.items:
        return ()
    items, asked = checked.items, _asked(checked, FormMetadata(file="", channel="", key=""))

    def find(uow: Unit) -> Sequence[EarlierRequest]:
        repeats = repeats_of(uow, Kind.BULK, asked, items, asked_at=uow.now)
        firsts = [(uow.instructions.find(one.reference), one.count) for one in repeats]
        return [EarlierRequest(first, rows) for first, rows in firsts if first is not None]

    return await ctx.read(find)


def can_be_paid(header: Sequence[str]) -> bool:
    """Whether the header identifies the columns of the recipient and the amount.

    Duplicate column names are fine: a person chooses between them.
    """
    known = {*clear_columns(header, names := _names(header)), *same_names(header, names)}
    return all(name in known for name in REQUIRED)


def _names(header: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Return the names of our columns; only if no column is named as an amount, add amount names with a currency."""
    if "amount" in {*clear_columns(header, COLUMNS), *same_names(header, COLUMNS)}:
        return COLUMNS
    amounts = [name for name in header if clear_columns([without_currency(name)], COLUMNS).keys() == {"amount"}]
    ours = [name for name in amounts if not other_currency_in(name)]
    return {**COLUMNS, "amount": (*COLUMNS["amount"], *(ours or amounts))}


def total_of(table: Table) -> tuple[int, int] | None:
    """Return a file's number of payments and their sum in cents, or None if it isn't a payment file or is unreadable.

    Rows that are left out don't count; None if all are.
    """
    places = clear_columns(table.header, _names(table.header))
    if not table.rows or any(name not in places for name in REQUIRED):
        return None
    table = replace(table, rows=table.rows[: len(table.rows) - len(total_rows(table.rows, places))])
    amounts = amounts_in(table, places, "")
    if amounts.unread is not None or amounts.bad or disguised_rows(table.rows, places, table.hidden.disguised):
        return None
    doubtful, _ = doubtful_rows(table.header, amounts.rows, places, _NOTHING, choice=NO_CHOICE, plain=plain)
    left_out = {one.row for one in doubtful}
    try:
        read = [parse_amount(row.cells[places["amount"]]) for row in amounts.rows if row.number not in left_out]
        return (len(read), sum(read)) if sum(read) else None
    except RuleError:
        return None


async def read_typed(text: str, decimals: str = "", *, ctx: Context | None = None) -> Checked:
    """Read typed or pasted rows, with or without a header; ``decimals``: the decimal separator a person chose.

    ``ctx``: needed to look up their references.
    """
    lines, first = text.strip("\r\n"), 0
    head = lines.partition("\n")[0]
    if "@" in head:
        mark, first = next((one for one in ("\t", ";") if one in head), ","), -1
        rows = lines.splitlines()
        for n, line in enumerate(rows):
            if line.strip() and '"' not in line:  # people omit the cell for the note
                rows[n] = line + mark * (len(TYPED) - 1 - line.count(mark))
        lines = "\n".join([mark.join(TYPED), *rows])
    table = await read_apart(io.BytesIO(lines.encode()), name="rows.csv", limits=LIMITS)
    requested = await requested_in(ctx, table) if ctx is not None else {}
    choice = Choice(decimals=decimals)
    return await asyncio.to_thread(as_payments, table, "", first, choice=choice, requested=requested)


def as_payments(
    table: Table,
    name: str,
    first: int = 0,
    places: Mapping[str, int] | None = None,
    *,
    choice: Choice = NO_CHOICE,
    known: Mapping[str, Lookup] = _NOTHING,
    requested: Mapping[str, Doubt] = MappingProxyType({}),
) -> Checked:
    """Read the rows of a table as payments; slow.

    ``known``: look-ups of the file, by address in lower case; ``requested``: as returned by :func:`requested_in`.
    """
    if places is None:
        places = _places_of(table)
    totals = total_rows(table.rows, places)
    table = replace(table, rows=table.rows[: len(table.rows) - len(totals)])
    amounts = amounts_in(table, places, choice.decimals, first=first)
    if amounts.unread is not None:
        nothing = Checked(name=name or _TYPED, items=(), bad=(), rows=len(table.rows), read_as="", header=table.header)
        return replace(nothing, asks=amounts.asks, unread=amounts.unread)
    read = partial(doubtful_rows, table.header, amounts.rows, places, known, plain=plain, is_typed=not name)
    doubtful, unchecked = read(choice=choice, requested=requested)
    left_out = {one.row for one in doubtful if one.is_left_out}
    rows = [row for row in amounts.rows if row.number not in left_out]
    items, bad = read_rows(rows, places, plain=plain, first=first)
    disguised = disguised_rows(rows, places, table.hidden.disguised)
    misread = [one for one in amounts.bad if one.row - first not in left_out]
    wrong = sorted([*bad, *disguised, *misread], key=lambda one: one.row)
    unpaid = {one.row for one in wrong}
    items = [item for item in items if item.row not in unpaid]
    leaves_out = choice.good and bool(items)
    read_as = (columns_read(table, places), amounts_read(amounts.asks, choice.decimals))
    return Checked(
        name=name or _TYPED,
        items=items,
        bad=() if leaves_out else wrong,
        skipped=wrong if leaves_out else (),
        encoding=table.encoding,
        delimiter=table.delimiter,
        header=table.header,
        cells={
            row.number + first: [plain(cell) for cell in row.cells]
            for row in table.rows
            if row.number + first in unpaid
        },
        rows=len(table.rows),
        marks=marks_of(table.hidden, table.header, places.values()).model_copy(
            update={"lost": Some.at(lost_letters(items)), "totals": Some.at(row + first for row in totals)}
        ),
        read_as="; ".join(filter(None, read_as)) if name else "",
        asks=amounts.asks,
        doubtful=doubtful,
        unchecked=unchecked,
        accounts=accounts_of(items, known) if known else None,
    )


def _places_of(table: Table) -> dict[str, int]:
    """Find the columns by their names. Raises TableProblem if one is missing or ambiguous."""
    payees = payees_in(summarize(table.header, (row.cells for row in table.rows)))
    if len(payees) > 1:
        raise TableProblem(Flaw.AMBIGUOUS_COLUMN, names=["email", *(table.header[at] for at in payees)])
    return find_columns(table.header, _names(table.header), required=REQUIRED)


async def request_bulk(
    ctx: Context,
    checked: Checked,
    carried: FormMetadata,
    *,
    requester: str,
    again_of: Instruction | None = None,
    before: Callable[[Unit, str], tuple[Instruction | None, str]] | None = None,
) -> Instruction:
    """Store the request with every item, its digest and its policy snapshot, durably.

    A repeated ``carried.key`` returns the first row: a button pressed twice makes one request. Only a dropped file
    whose request ended unpaid may be requested again. ``again_of``: the request whose failed payments it pays;
    ``before``: replaces :func:`requested_before`.

    Raises:
        StorageFull: see :func:`bot.workflows.requests.request.request`.
    """
    items, before, asked = checked.items, before or requested_before, _asked(checked, carried)

    def make(uow: Unit) -> Requested:
        known = uow.instructions.paid_before(item.email for item in items)
        fresh = [item for item in items if item.email.casefold() not in known]
        if again_of is not None:
            uow.boards.mark_request(again_of.id, now=uow.now)
        told = {
            "new_count": len({item.email.casefold() for item in fresh}),
            "new_cents": max((item.cents for item in fresh), default=0),
            "again_of": again_of.reference if again_of is not None else "",
        }
        return Requested(
            requester=requester,
            channel=carried.channel,
            kind=Kind.BULK,
            payload=asked.model_copy(update=told),
            source_key=before(uow, carried.key)[1],
            items=items,
        )

    return await request_of(ctx, carried.key, make, known=lambda uow, key: before(uow, key)[0])


def _asked(checked: Checked, carried: FormMetadata) -> BulkPayload:
    """Return the payload from the file, without facts about its recipients."""
    items, repeated = checked.items, duplicates_in(checked.items)
    return BulkPayload(
        name=checked.name,
        count=len(items),
        cents=sum(item.cents for item in items),
        items_digest=items_digest(items),
        twin_digest=twin_digest(items),
        largest=largest_of(items),
        duplicates=repeated[:_KEPT_ROWS],
        duplicate_count=len(repeated),
        people=people_in(items),
        read_as=checked.read_as,
        left_out=checked.left_out[:_KEPT_ROWS],
        left_out_count=len(checked.left_out),
        anyway=checked.anyway[:_KEPT_ROWS],
        done_anyway=dict(list(checked.done_anyway.items())[:_KEPT_ROWS]),
        done_anyway_count=len(checked.done_anyway),
        check=carried.check,
        marks=checked.marks,
        thread_ts=carried.thread_ts,
    )


def requested_before(tx: Tx, key: str) -> tuple[Instruction | None, str]:
    """Return the request made from this source, if any, and the source key for a new one.

    A file whose request ended unpaid may be requested again.
    """
    known, n, free = tx.instructions.by_source(key), 1, key
    while known is not None and known.state in NOT_PAID and key.startswith(OF_FILE):
        n += 1
        free = f"{key}#{n}"
        known = tx.instructions.by_source(free)
    return known, free


class ShownBecause(Enum):
    """Why a file is shown again."""

    NOT_COUNTED = auto()
    """No sum was shown before."""
    CHANGED = auto()
    """The file's content differs from what was shown."""
    CHOSEN = auto()
    """Other columns were chosen."""
    TAKEN = auto()
    """Other rows are now included or left out."""
    READ = auto()
    """Amounts are now read differently."""
    REPEATED = auto()
    """The same payments were requested in the meantime."""


@dataclass(frozen=True, slots=True)
class ShownAgain:
    """Nothing is requested, because the person has not seen this preview."""

    preview: Preview
    why: ShownBecause


async def usual_decimals(ctx: Context, user: str) -> str:
    """Return the decimal separator that a person chose last; only a preselection, never used without a choice."""
    found = await ctx.read(lambda uow: remembered(uow, user, _AMOUNTS))
    return found.get(_DECIMALS, "")


async def keep_decimals(ctx: Context, user: str, decimals: str) -> None:
    if decimals in set(Decimals) and decimals != await usual_decimals(ctx, user):
        chosen = {_DECIMALS: decimals}
        await ctx.write(lambda uow: remember(uow, user, _AMOUNTS, chosen), name="keep_decimals", wakes=False)


async def rows_to_fix(ctx: Context, user: str, of: str) -> str | None:
    """Return the link of the person's file with these rows; empty: no link; None: the person has no such file."""
    found = await ctx.read(lambda uow: remembered(uow, user, _TO_FIX))
    return found.get("link", "") if found.get("of") == of else None


async def keep_rows_to_fix(ctx: Context, user: str, of: str, link: str) -> None:
    await ctx.write(lambda uow: remember(uow, user, _TO_FIX, {"of": of, "link": link}), name="keep_fixing", wakes=False)


async def look(ctx: Context, carried: FormMetadata, chosen: Mapping[str, int]) -> Instruction | Preview:
    """Return the file as it reads now, or the request already made from it. Raises: as :func:`read_file`.

    ``chosen``: our column -> its place, if a person has chosen.
    """
    before = await ctx.read(lambda uow: requested_before(uow, carried.key)[0])
    if before is not None:
        return before
    found = await read_table_file(ctx, carried.file, limits=LIMITS)
    known = await ctx.read(lambda uow: uow.lookups.of(carried.check)) if carried.check else _NOTHING
    table, name, requested = found.table, found.info.name, await requested_in(ctx, found.table)

    def preview() -> Preview:
        clear = clear_columns(table.header, _names(table.header))
        if len(table.header) < LEAST_COLUMNS:
            raise TableProblem(Flaw.MISSING_COLUMNS, names=[one for one in REQUIRED if one not in clear])
        fits = all(place < len(table.header) for place in chosen.values())
        kept = dict(chosen) if fits else {}
        places = kept or clear
        looks = summarize(table.header, (row.cells for row in table.rows))
        payees = payees_in(looks)
        asked = not kept and (same_names(table.header, _names(table.header)) or len(payees) > 1)
        if asked and len(payees) > 1:
            places.pop("email", None)
        complete = all(one in places for one in REQUIRED) and not asked
        return Preview(
            name=name,
            fingerprint=found.fingerprint,
            how=unusual(table),
            looks=looks,
            places=places if complete else guess_places(looks, table.rows, places),
            checked=as_payments(table, name, places=places, choice=carried.choice, known=known, requested=requested)
            if complete
            else None,
        )

    seen = await asyncio.to_thread(preview)
    return replace(seen, repeats=await repeated(ctx, seen.checked))


async def confirm(
    ctx: Context, carried: FormMetadata, chosen: Mapping[str, int], choice: Choice
) -> Instruction | Checked | ShownAgain:
    """Return the payments to request, the request already made from the file, or what to show again instead.

    ``carried``: what was shown. Raises: as :func:`look`.
    """
    seen = await look(ctx, carried.choosing(choice), chosen)
    if isinstance(seen, Instruction):
        return seen
    if seen.fingerprint != carried.seen:
        return ShownAgain(seen, ShownBecause.CHANGED)
    if not carried.counted:
        return ShownAgain(seen, ShownBecause.NOT_COUNTED)
    if chosen != dict(carried.places) or seen.checked is None:
        return ShownAgain(seen, ShownBecause.CHOSEN)
    if choice != carried.choice:
        is_read = choice.decimals != carried.decimals
        return ShownAgain(seen, ShownBecause.READ if is_read else ShownBecause.TAKEN)
    is_known = set(seen.repeated.split()) <= set(carried.repeats.split())
    return seen.checked if is_known else ShownAgain(seen, ShownBecause.REPEATED)
