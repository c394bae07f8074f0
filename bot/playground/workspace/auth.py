"""Checks of tokens and scopes, with Slack's error names."""

from hmac import compare_digest

from bot.playground.workspace.errors import ApiRefusal
from bot.playground.workspace.methods.method import Method, check_scope
from bot.playground.workspace.state import Identity


def check_token(identity: Identity, token: str, method: Method) -> None:
    """Let a call pass.

    Raises:
        ApiRefusal: ``not_authed``, ``invalid_auth``, ``not_allowed_token_type`` or ``missing_scope``.
    """
    if method.token == "none":
        return
    if not token:
        raise ApiRefusal("not_authed")
    right, other = identity.bot_token, identity.app_token
    if method.token == "app":
        right, other = other, right
    if same(token, other):
        raise ApiRefusal("not_allowed_token_type")
    if not same(token, right):
        raise ApiRefusal("invalid_auth")
    if method.scope and method.token == "bot" and not method.by_kind:
        check_scope(identity.scopes, method.scope)


def same(one: str, other: str) -> bool:
    """Constant-time comparison of two secrets."""
    return compare_digest(one.encode(), other.encode())
