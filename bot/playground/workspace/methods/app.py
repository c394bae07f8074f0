"""``auth.test``, ``team.info`` and others about the app itself."""

import secrets

from bot.playground.workspace.arguments import Arguments
from bot.playground.workspace.errors import ApiRefusal
from bot.playground.workspace.limits.blocks import check_blocks
from bot.playground.workspace.limits.surfaces import checked_view
from bot.playground.workspace.methods.method import Method
from bot.playground.workspace.model import Json
from bot.playground.workspace.state import MOST_SOCKETS, WorkspaceState
from bot.playground.workspace.wire import bot_object


def api_test(state: WorkspaceState, arguments: Arguments) -> Json:  # noqa: ARG001 - the form of every method
    """``api.test``: an echo; ``error`` makes it fail."""
    echo = {key: value for key, value in arguments.raw.items() if key != "token"}
    if error := arguments.text("error", ""):
        raise ApiRefusal(error, {"args": echo})
    return {"ok": True, "args": echo}


def auth_test(state: WorkspaceState, arguments: Arguments) -> Json:  # noqa: ARG001
    """``auth.test``: who the token is."""
    who = state.identity
    organized: Json = {"enterprise_id": who.enterprise_id} if who.enterprise_id else {}
    return organized | {
        "ok": True,
        "url": f"{state.url}/",
        "team": who.team_domain,
        "user": who.bot_name.lower(),
        "team_id": who.enterprise_id if who.org_wide else who.team_id,
        "user_id": who.bot_user_id,
        "bot_id": who.bot_id,
        "is_enterprise_install": who.org_wide,
    }


def team_info(state: WorkspaceState, arguments: Arguments) -> Json:  # noqa: ARG001
    """``team.info``."""
    who = state.identity
    team = {
        "id": who.team_id,
        "name": who.team_domain,
        "url": f"{state.url}/",
        "domain": who.team_domain,
        "email_domain": "",
        "icon": {"image_default": True},
        "avatar_base_url": "",
        "is_verified": False,
    }
    return {"ok": True, "team": team}


def bot_info(state: WorkspaceState, arguments: Arguments) -> Json:
    """``bots.info``: the app's own bot."""
    if arguments.text("bot", state.identity.bot_id) != state.identity.bot_id:
        raise ApiRefusal("bot_not_found")
    return {"ok": True, "bot": bot_object(state)}


def validate_blocks(state: WorkspaceState, arguments: Arguments) -> Json:  # noqa: ARG001
    """``blocks.validate``: blocks, a message's blocks or a view, without posting them."""
    if (view := arguments.structure("view")) is not None:
        checked_view(view, view.get("type", "modal") if isinstance(view, dict) else "modal")
        return {"ok": True}
    message = arguments.structure("message")
    blocks = message.get("blocks") if isinstance(message, dict) else arguments.structure("blocks")
    if blocks is None:
        raise ApiRefusal.explained("invalid_arguments", ["missing required field: blocks"])
    if messages := check_blocks(blocks, "message"):
        raise ApiRefusal.explained("invalid_blocks", messages)
    return {"ok": True}


def open_connection(state: WorkspaceState, arguments: Arguments) -> Json:  # noqa: ARG001
    """``apps.connections.open``: the address of a WebSocket that serves once."""
    if state.sockets >= MOST_SOCKETS:
        raise ApiRefusal("too_many_websockets")
    ticket = secrets.token_urlsafe(16)
    state.tickets.add(ticket)
    address = state.url.replace("http", "ws", 1)
    return {"ok": True, "url": f"{address}/link/?ticket={ticket}&app_id={state.identity.app_id}"}


METHODS = {
    "api.test": Method(run=api_test, token="none", per_minute=100),
    "auth.test": Method(run=auth_test, per_minute=300),
    "team.info": Method(run=team_info, scope="team:read"),
    "bots.info": Method(run=bot_info, scope="users:read"),
    "blocks.validate": Method(run=validate_blocks, token="none", per_minute=100),
    "apps.connections.open": Method(run=open_connection, token="app", per_minute=20),
}
