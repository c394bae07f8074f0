"""One sentence for each state of a purchase. Opened, paid and unknown are different words."""

from bot.domain.payments.instruction import Instruction, State
from bot.presentation.blocks.text import mention
from bot.presentation.payments import refused
from bot.presentation.payments.looking_up import said_raw
from bot.presentation.reasons import because, because_refused, reason_of
from bot.presentation.words import UNKNOWN


def rest(instruction: Instruction) -> str:  # noqa: C901, PLR0911 - one arm a state
    """What follows the word of the state, in mrkdwn, claiming no more than was observed."""
    reason = reason_of(instruction.reason)
    why = because(instruction.reason)
    match instruction.state:
        case State.NEW | State.CREATING:
            return f"the service is being asked for a checkout link; nobody can pay yet. {reason}".strip()
        case State.CREATE_UNKNOWN:
            lost = "the service did not say whether it opened the purchase. Switchboard is finding out."
            return f"{refused.checking(instruction) or lost}{refused.answered(instruction)} Do not ask again."
        case State.NEEDS_HUMAN:
            doubt = f"whether the service opened the purchase is *{UNKNOWN}*."
            return f"{doubt} Look it up there before you ask again. {reason}"
        case State.OPEN:
            raw = said_raw(instruction)
            paid = (
                f"whether the buyer has paid is *{UNKNOWN}*" if raw else "waiting for the buyer; nothing has been paid"
            )
            return f"{paid}.{raw}"
        case State.COMPLETED:
            return f"the service confirms that the buyer paid. {reason}".strip()
        case State.CANCELED:
            return "it was canceled at the service; no money moved."
        case State.FAILED:
            return f"the service could not take the payment.{why}"
        case State.REFUSED:
            return f"the service refused it, so there is nothing to pay.{because_refused(instruction.reason)}"
        case State.MISMATCH:
            return (
                f"its link is not given out, because the service's record is not what was asked for. {reason}".strip()
            )
        case State.CLOSED:
            return f"it was never opened, so nobody can pay it. {reason}".strip()
        case State.WITHDRAWN:
            who = f"by {mention(instruction.decided_by)}.{why} " if instruction.decided_by else ""
            return f"{who}It was never opened, so nobody can pay it."
        case _:
            return reason
