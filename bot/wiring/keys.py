"""The secrets of the configuration that everything needs, and the keys that are derived from them."""

from bot.domain.errors import OperatorError
from bot.domain.references import derived_key
from bot.settings import Settings


def key_for(settings: Settings, purpose: str) -> bytes:
    """The key for a purpose: audit, anchor, callbacks, stores.

    Raises:
        OperatorError: there is no SECRET_KEY.
    """
    if settings.secret_key is None:
        raise OperatorError("SECRET_KEY is missing")
    return derived_key(settings.secret_key.get_secret_value(), purpose)


def bot_token(settings: Settings) -> str:
    """The token of Slack's Web API.

    Raises:
        OperatorError: there is none.
    """
    if settings.slack_bot_token is None:
        raise OperatorError("SLACK_BOT_TOKEN is missing")
    return settings.slack_bot_token.get_secret_value()
