"""``switchboard audit``: verify or export the audit. Takes no lock; needs only the database's address and the key."""

import argparse
import os
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from bot.cli.database import MEND_KEY
from bot.domain.anchors import EVERY, Anchors
from bot.domain.audit import Stored, Verdict, check, write_csv, write_json_lines
from bot.domain.clock import SystemClock
from bot.domain.errors import OperatorError
from bot.presentation.blocks.text import counted
from bot.presentation.reasons import worded
from bot.settings import load_settings
from bot.wiring.database import anchors_of
from bot.workflows.admin.audit import Compared, compare
from storage.anchors import AnchorFile
from storage.reading import open_for_reading
from storage.transaction import Tx

_PAGE = 1_000


def verify(chosen: argparse.Namespace) -> int:
    """Print the findings; 0 if the audit is intact, 1 if it was tampered with or can't be verified."""
    settings = load_settings()
    path = chosen.anchors or anchors_of(settings)
    with open_for_reading(settings.database_url, audit_key=settings.key_for("audit", mend=MEND_KEY)) as reading:
        if chosen.anchors is not None and not path.is_file():
            raise OperatorError(f"There is no file {path}")
        closed = reading.read(lambda tx: tx.audit.closed_keys())
        # Read anchors before rows, so that all anchored rows are in the database even if the bot adds more meanwhile.
        anchors = Anchors()
        if not chosen.without_anchors:
            earlier = [(one.until, one.anchors) for one in closed]
            try:
                anchors = AnchorFile(path, key=settings.key_for("anchor"), earlier=earlier).read()
            except OSError as refused:
                raise OperatorError(f"The anchors cannot be read: {refused.strerror}: {path}") from refused

        def look(tx: Tx) -> tuple[Verdict, datetime | None, str]:
            """Return the verdict, the time of the first row, and the reference of the request in the bad row."""
            verdict = check(keys=tx.audit.keys(), rows=tx.audit.stored(), end=tx.audit.head(), anchors=anchors.held)
            first = next((row.entry() for row in tx.audit.stored(limit=1)), None)
            reference = ""
            bad = verdict.found.entry() if verdict.found is not None else None
            if bad is not None and bad.instruction_id.isascii():
                asked = next((row.entry() for row in tx.audit.stored(instruction_id=bad.instruction_id, limit=1)), None)
                reference = str(asked.detail.get("reference", "")) if asked is not None else ""
            return verdict, first.at if first is not None else None, reference

        verdict, begun, reference = reading.read(look)
        other_key = not reading.fits()
        readable = not other_key and verdict.bad_seq != 1  # otherwise no row is verified
        compared = reading.read(compare) if readable and reading.is_current() else None
    report = [f"The audit holds: {counted(verdict.rows, 'row')}.", f"Head: {verdict.head}"]
    if verdict.bad_seq is not None:
        report = _damaged(verdict, verdict.bad_seq, reference)
    if other_key:
        report.append("SECRET_KEY is not the one that the database says it was written with.")
    elif readable:
        report += _compared(compared)
    holds = verdict.bad_seq is None and not other_key and (compared is None or not compared.found)
    if not chosen.without_anchors:
        about_anchors, sound = _anchored(begun, anchors, path)
        report += about_anchors
        holds = holds and sound
    sys.stdout.write("\n".join(report) + "\n")
    return 0 if holds else 1


def _compared(compared: Compared | None) -> list[str]:
    if compared is None:
        return ["The database is of another version, or was copied to another one: its requests were not compared."]
    if not compared.found:
        agrees = f"What was asked, decided and sent agrees with it: {counted(compared.requests, 'request')}."
        return [agrees] if compared.requests else []
    lines = [f"{reference}: {worded(why)}." if reference else f"{worded(why)}." for reference, why in compared.found]
    return ["The database disagrees with the audit:", *(ascii(line)[1:-1] for line in lines)]


def _damaged(verdict: Verdict, bad_seq: int, reference: str) -> list[str]:
    lines = [
        f"The audit does not hold. The first bad row is row {bad_seq}: {verdict.damage}.",
        f"{verdict.problem[:1].upper()}{verdict.problem[1:]}.",
    ]
    if verdict.found is not None:
        entry = verdict.found.entry()
        shown = ascii(tuple(verdict.found))  # one line for a terminal, with control characters made harmless
        if entry is not None:
            what = f"{entry.action}, {entry.before or 'nothing'} to {entry.after}"
            parts = [f"{entry.at:%Y-%m-%d %H:%M:%S} UTC", reference or entry.instruction_id, entry.actor, what]
            shown = ascii("  ".join(parts))[1:-1]
        lines.append(f"In its place stands: {shown}")
    held = {0: "There is no good row before it.", 1: "Row 1 holds."}
    lines.append(held.get(verdict.rows, f"Rows 1 to {verdict.rows} hold."))
    if bad_seq == 1 and verdict.rows == 0:
        lines.append("Is SECRET_KEY the one the bot runs with? With another one, every row looks changed.")
    return lines


def _anchored(begun: datetime | None, anchors: Anchors, path: Path) -> tuple[list[str], bool]:
    lines, sound = [], not anchors.forged and not anchors.unreadable
    if anchors.held:
        last = max(anchors.held, key=lambda anchor: anchor.seq)
        held = f"Anchors: {len(anchors.held)} in {path}, the last at row {last.seq}, {last.at:%Y-%m-%d %H:%M} UTC."
        lines.append(held)
    told = (
        (anchors.forged, "The anchors were tampered with: {} was not written by the bot."),
        (anchors.unreadable, "The anchors were tampered with: {} is no anchor, and no power failure cut it off."),
        (anchors.torn, "Cut off by a power failure: {}."),
    )
    for numbers, words in told:
        if numbers:
            which = f"line{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))} of {path}"
            lines.append(words.format(which))
    if not anchors.held and begun is not None:
        lines.append(f"There are no anchors in {path}, so rows cut off at the end cannot be noticed.")
        if SystemClock().now() - begun > 2 * EVERY:
            sound = False
            lines.append(
                "The bot writes them within minutes, so they were removed or lie elsewhere: name the file with "
                "--anchors, or check the chain alone with --without-anchors."
            )
    return lines, sound


def export(chosen: argparse.Namespace) -> int:
    """Write every row; 0 if all of them were written."""
    settings = load_settings()
    write = write_csv if chosen.format == "csv" else write_json_lines
    with open_for_reading(settings.database_url, audit_key=settings.key_for("audit", mend=MEND_KEY)) as reading:

        def rows() -> Iterator[Stored]:
            after: int | None = None
            while True:  # page by page, so that a slow output keeps no transaction open
                begin = after
                page = reading.read(lambda tx: list(tx.audit.stored(begin, limit=_PAGE)))  # noqa: B023 - run at once
                yield from page
                if len(page) < _PAGE:
                    return
                after = page[-1].seq

        if chosen.output is None:
            write(rows(), sys.stdout)
            sys.stdout.flush()
            return 0
        # Readable only by its owner, and moved into place only when complete.
        part = chosen.output.with_name(chosen.output.name + ".part")
        try:
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            try:
                with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as out:
                    count = write(rows(), out)
                part.replace(chosen.output)
            finally:
                part.unlink(missing_ok=True)
        except OSError as refused:
            raise OperatorError(f"{chosen.output} cannot be written: {refused.strerror}") from refused
    sys.stdout.write(f"Wrote {count} rows to {chosen.output}.\n")
    return 0
