"""``users.*`` and ``usergroups.*``."""

from bot.playground.workspace.arguments import Arguments
from bot.playground.workspace.errors import ApiRefusal
from bot.playground.workspace.methods.method import Method, page
from bot.playground.workspace.model import Json
from bot.playground.workspace.state import WorkspaceState
from bot.playground.workspace.wire import group_object, user_object


def info(state: WorkspaceState, arguments: Arguments) -> Json:
    """``users.info``: also people of other workspaces and those who left."""
    user = state.directory.users.get(arguments.text("user"))
    if user is None:
        raise ApiRefusal("user_not_found")
    return {"ok": True, "user": user_object(state, user)}


def list_users(state: WorkspaceState, arguments: Arguments) -> Json:
    """``users.list``: this workspace's people only."""
    people = [u for u in state.directory.users.values() if not state.directory.foreign(u.id)]
    some, cursor = page(people, arguments, default=1000, most=1000)
    found = [user_object(state, user) for user in some]
    return {
        "ok": True,
        "members": found,
        "cache_ts": int(state.clock()),
        "response_metadata": {"next_cursor": cursor},
    }


def lookup_by_email(state: WorkspaceState, arguments: Arguments) -> Json:
    """``users.lookupByEmail``: active people of this workspace."""
    wanted = arguments.text("email").lower()
    for user in state.directory.users.values():
        if user.email.lower() == wanted and not user.deleted and not state.directory.foreign(user.id):
            return {"ok": True, "user": user_object(state, user)}
    raise ApiRefusal("users_not_found")


def list_groups(state: WorkspaceState, arguments: Arguments) -> Json:
    """``usergroups.list``."""
    with_users = arguments.flag("include_users")
    groups = [group_object(state, group, with_users=with_users) for group in state.directory.groups.values()]
    return {"ok": True, "usergroups": groups}


def list_group_users(state: WorkspaceState, arguments: Arguments) -> Json:
    """``usergroups.users.list``: those who left are not among them."""
    group = state.directory.groups.get(arguments.text("usergroup"))
    if group is None:
        raise ApiRefusal("no_such_subteam")
    people = state.directory.users
    return {"ok": True, "users": [u for u in group.users if u not in people or not people[u].deleted]}


METHODS = {
    "users.info": Method(run=info, scope="users:read", per_minute=100),
    "users.list": Method(run=list_users, scope="users:read", per_minute=20),
    "users.lookupByEmail": Method(run=lookup_by_email, scope="users:read.email"),
    "usergroups.list": Method(run=list_groups, scope="usergroups:read", per_minute=20),
    "usergroups.users.list": Method(run=list_group_users, scope="usergroups:read", per_minute=20),
}
