"""Reasons for tests to which it does not matter which one it is."""

from bot.domain.reasons import Exchange, Reason, Verbatim

NO_ANSWER = Reason(Exchange.NO_ANSWER, failure="")


def own_words(text: str) -> Reason:
    """Somebody's own words as a reason."""
    return Reason(Verbatim.GIVEN, text=text)
