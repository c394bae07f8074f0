"""``views.*``: modals and the App Home."""

from bot.playground.workspace.arguments import Arguments
from bot.playground.workspace.errors import ApiRefusal
from bot.playground.workspace.limits.surfaces import checked_view
from bot.playground.workspace.methods.method import Method
from bot.playground.workspace.model import Json, View
from bot.playground.workspace.state import WorkspaceState
from bot.playground.workspace.wire import view_object


def open_view(state: WorkspaceState, arguments: Arguments) -> Json:
    """``views.open``: a view that is wrong does not use the trigger up."""
    source = checked_view(arguments.structure("view"), "modal")
    user, _ = state.triggers.exchange(arguments.text("trigger_id"))
    return _answer(state, state.views.open(user, source))


def push(state: WorkspaceState, arguments: Arguments) -> Json:
    """``views.push``: only with a trigger from within a modal that is still open."""
    source = checked_view(arguments.structure("view"), "modal")
    user, view_id = state.triggers.exchange(arguments.text("trigger_id"))
    if not view_id or state.views.get(view_id) is None:
        raise ApiRefusal("not_found")
    return _answer(state, state.views.push(user, source))


def update(state: WorkspaceState, arguments: Arguments) -> Json:
    """``views.update``: by view id or external id, guarded by ``hash`` when given."""
    if view_id := arguments.text("view_id", ""):
        view = state.views.get(view_id)
    else:
        view = state.views.by_external_id(arguments.text("external_id"))
    if view is None:
        raise ApiRefusal("not_found")
    source = checked_view(arguments.structure("view"), view.type)
    return _answer(state, state.views.update(view, source, expected_hash=arguments.text("hash", "")))


def publish(state: WorkspaceState, arguments: Arguments) -> Json:
    """``views.publish``: a person's App Home."""
    user = state.directory.users.get(arguments.text("user_id"))
    before = state.views.home(user.id) if user is not None else None
    source = checked_view(arguments.structure("view"), "home", before.blocks if before is not None else ())
    if user is None:
        raise ApiRefusal("user_not_found")
    return _answer(state, state.views.publish(user.id, source, expected_hash=arguments.text("hash", "")))


def _answer(state: WorkspaceState, view: View) -> Json:
    return {"ok": True, "view": view_object(state, view)}


METHODS = {
    "views.open": Method(run=open_view, per_minute=100),
    "views.push": Method(run=push, per_minute=100),
    "views.update": Method(run=update, per_minute=100),
    "views.publish": Method(run=publish, per_minute=100),
}
