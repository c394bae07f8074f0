"""Refusals by the service. A refusal is believed only after reading has confirmed it."""

from bot.domain.payments.instruction import Instruction, Kind
from bot.domain.reasons import Reason
from bot.presentation.blocks.text import as_said, quote, sentence_of
from bot.presentation.reasons import because_refused, worded
from bot.presentation.words import DO_NOT_PAY_AGAIN, NOTHING_PAID, UNKNOWN


def checking(instruction: Instruction) -> str:
    """While the refusal is held against what the service shows; empty when there was none."""
    if not instruction.refusal:
        return ""
    why = because_refused(instruction.refusal)
    return f"the service refused it.{why} Switchboard is checking that it did not act all the same."


def in_doubt(instruction: Instruction, lost: str) -> str:
    """Whether a payment was executed is unknown. ``lost``: what is said where no refusal came."""
    said = f"{checking(instruction) or lost}{answered(instruction)}"
    return f"{said} *{DO_NOT_PAY_AGAIN}*{doubt(instruction)}"


def answered(instruction: Instruction) -> str:
    """What the service said while it left the outcome open; a sentence of its own with a space before it."""
    if instruction.refusal or instruction.suspect:
        return ""
    return _gave(instruction.reason)


def _gave(reason: Reason | None) -> str:
    return f" The service gave {as_said(quote(worded(reason)))}" if reason is not None and reason.quotes_answer else ""


def sent(refusal: Reason | None, reason: Reason | None) -> str:
    """The news of an unknown outcome: what the service answered, if it did."""
    said = f" The service answered with a refusal.{because_refused(refusal)}" if refusal else _gave(reason)
    return f"was sent, but its outcome is *{UNKNOWN}*.{said} Switchboard is finding out."


def believed(instruction: Instruction) -> str:
    """At the end: what agrees with the refusal."""
    return f"the service refused it{_agrees(instruction)}"


def _agrees(instruction: Instruction) -> str:
    if not instruction.commits:
        return f". {NOTHING_PAID}"
    if instruction.kind is Kind.BULK:
        return ", and its history does not show it: nothing was paid."
    if instruction.kind is Kind.ONE_STEP:
        return ", and its list does not show it: nothing was paid."
    return "; its record says it is not paid."


def doubt(instruction: Instruction) -> str:
    """What people should look at before anything is known; a sentence of its own with a space before it."""
    return f" {sentence_of(quote(worded(instruction.reason)))}" if instruction.suspect else ""
