"""Kinds of failures of Slack after which a message counts as not posted."""

from bot.playground.faults import FaultKind

KINDS = [
    FaultKind.LOST,
    FaultKind.DONE_DROPPED,
    FaultKind.DONE_500,
    FaultKind.ERROR_500,
    FaultKind.TOO_MANY,
    FaultKind.REFUSED,
    FaultKind.GARBAGE,
]
