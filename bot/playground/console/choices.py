"""Faults in plain words, where several services misbehave in the same way."""

from bot.playground.console.panels import FaultChoice
from bot.playground.simulators.callbacks import CallbackSwitches

LOST = FaultChoice(kind="lost", title="Lose the request", about="Nothing happens, and no answer comes.")
TOO_MANY = FaultChoice(kind="too_many", title="Answer 429", about="Too many requests: come back in a second.")
GARBAGE = FaultChoice(
    kind="garbage", title="Answer garbage", about="It happens, but a proxy answers with an HTML page."
)
DONE_HANGS = FaultChoice(
    kind="done_hangs", title="Do it, then time out", about="It happens, but the answer never comes."
)
DONE_DROPPED = FaultChoice(
    kind="done_dropped", title="Do it, then drop the connection", about="It happens, then the line is cut."
)

READING = (
    LOST,
    FaultChoice(kind="error_500", title="Answer 500", about="Nothing happens; the provider says it failed."),
    TOO_MANY,
    FaultChoice(kind="refused", title="Refuse", about="Nothing happens; the provider says no (422)."),
    GARBAGE,
    FaultChoice(kind="slow", title="Answer slowly", about="It happens; the answer takes five seconds."),
)
"""For requests that change nothing."""
WRITING = (
    LOST,
    DONE_HANGS,
    DONE_DROPPED,
    FaultChoice(kind="done_500", title="Do it, then answer 500", about="It happens, but the provider says it failed."),
    FaultChoice(kind="done_refused", title="Do it, then refuse", about="It happens, but the provider says no (422)."),
    *READING[1:],
)
"""For requests that do something: it matters whether it was done."""

LISTING = (
    *READING,
    FaultChoice(
        kind="no_codes", title="Hide our codes", about="The list comes without what tells which records are ours."
    ),
)
"""For lists in which the bot searches for its own records."""

_LATE_SECONDS = 10.0


def callback_choices(what: str, *, forged: str) -> tuple[FaultChoice, ...]:
    """Faults of callbacks; ``what`` is their name here, ``forged`` the content of a forged one."""
    return (
        FaultChoice(kind="drop", title=f"Drop {what}", about="None is sent. Polling has to find out."),
        FaultChoice(kind="double", title=f"Double {what}", about="Each is sent twice."),
        FaultChoice(kind="forged", title=f"Forge {what}", about=f"They tell of {forged}."),
        FaultChoice(kind="late", title=f"Delay {what}", about="Each comes ten seconds late."),
    )


def turn_callbacks(switches: CallbackSwitches, kind: str) -> None:
    """Turn one of ``callback_choices`` on, or ``swap``."""
    match kind:
        case "late":
            switches.late_seconds = _LATE_SECONDS
        case "swap":
            switches.out_of_order = True
        case _:
            setattr(switches, kind, True)


def callbacks_on(switches: CallbackSwitches) -> dict[str, bool]:
    """Which of ``callback_choices`` are on, and ``swap``."""
    return {
        "drop": switches.drop,
        "double": switches.double,
        "forged": switches.forged,
        "late": switches.late_seconds > 0,
        "swap": switches.out_of_order,
    }
