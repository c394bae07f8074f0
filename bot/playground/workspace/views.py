"""Views: one stack of modals and one App Home per person, and the triggers that open them."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from bot.playground.workspace.elements import initial_values
from bot.playground.workspace.errors import ApiRefusal
from bot.playground.workspace.ids import new_id, new_trigger_id
from bot.playground.workspace.model import Change, Json, View

STACK_LIMIT = 3
"""Maximum size of a stack of modals."""

TRIGGER_SECONDS = 3.0
"""Default lifetime of a trigger id in seconds."""


@dataclass
class _Trigger:
    user: str
    issued: float
    view: str
    used: bool = field(default=False, init=False)


class Triggers:
    """Trigger ids: each opens one view, within some seconds of its act."""

    def __init__(self, *, clock: Callable[[], float], seconds: float = TRIGGER_SECONDS) -> None:
        self._clock = clock
        self._seconds = seconds
        self._issued: dict[str, _Trigger] = {}

    def issue(self, user: str, *, view: str = "") -> str:
        """A new trigger id; ``view`` is the modal the act happened in."""
        trigger_id = new_trigger_id()
        self._issued[trigger_id] = _Trigger(user=user, issued=self._clock(), view=view)
        return trigger_id

    def exchange(self, trigger_id: str) -> tuple[str, str]:
        """Use a trigger up.

        Returns:
            The person who acted and the view they acted in, or ``""``.

        Raises:
            ApiRefusal: It is unknown, was used before, or is too old.
        """
        trigger = self._issued.get(trigger_id)
        if trigger is None:
            raise ApiRefusal("invalid_trigger_id")
        if trigger.used:
            raise ApiRefusal("exchanged_trigger_id")
        if self._clock() - trigger.issued > self._seconds:
            raise ApiRefusal("expired_trigger_id")
        trigger.used = True
        return trigger.user, trigger.view


class Views:
    """All views ever opened; visible ones are on a person's stack or are their App Home."""

    def __init__(self, *, tell: Callable[[Change], None]) -> None:
        self._tell = tell
        self._views: dict[str, View] = {}
        self._stacks: dict[str, list[str]] = {}
        self._homes: dict[str, str] = {}

    def get(self, view_id: str) -> View | None:
        """A view that is still open."""
        view = self._views.get(view_id)
        return view if view and not view.closed else None

    def by_external_id(self, external_id: str) -> View | None:
        """The open view with the id the app gave it."""
        return next((v for v in self._views.values() if v.external_id == external_id and not v.closed), None)

    def stack(self, user: str) -> list[View]:
        """A person's modals, the visible one last."""
        return [self._views[view_id] for view_id in self._stacks.get(user, ())]

    def home(self, user: str) -> View | None:
        """The App Home published for a person."""
        return self._views.get(self._homes.get(user, ""))

    def open(self, user: str, source: Json) -> View:
        """Show a modal as the only one of a new stack."""
        self._check_external_id(source, None)
        self.close_all(user)
        return self._push(user, source)

    def push(self, user: str, source: Json) -> View:
        """Show a modal on top of the open ones.

        Raises:
            ApiRefusal: Three are already open, or none is.
        """
        stack = self._stacks.get(user, [])
        if not stack:
            raise ApiRefusal("not_found")
        if len(stack) >= STACK_LIMIT:
            raise ApiRefusal("push_limit_reached")
        self._check_external_id(source, None)
        return self._push(user, source)

    def update(self, view: View, source: Json, *, expected_hash: str = "") -> View:
        """Replace the content of a view; typed values stay where block and action ids stay.

        Raises:
            ApiRefusal: ``hash_conflict`` when the view is not at the expected version any more.
        """
        if expected_hash and expected_hash != view.hash:
            raise ApiRefusal("hash_conflict")
        self._check_external_id(source, view)
        fresh = _view(source, id=view.id, user=view.user, root=view.root_view_id, previous=view.previous_view_id)
        return self._keep(replace(fresh, values=_carried_over(view.values, fresh.values)))

    def publish(self, user: str, source: Json, *, expected_hash: str = "") -> View:
        """Replace a person's App Home."""
        current = self.home(user)
        if expected_hash and (current is None or current.hash != expected_hash):
            raise ApiRefusal("hash_conflict")
        self._check_external_id(source, current)
        view_id = current.id if current else new_id("V")
        self._homes[user] = view_id
        return self._keep(_view(source, id=view_id, user=user, root=view_id, previous=""))

    def note(self, view: View, **changes: Any) -> View:
        """Replace state of a view (values, errors) without a new version."""
        return self._keep(replace(view, **changes))

    def close_top(self, user: str) -> View | None:
        """Close the visible modal; the one below becomes visible."""
        stack = self._stacks.get(user)
        if not stack:
            return None
        view = self._views[stack.pop()]
        return self._keep(replace(view, closed=True))

    def close(self, view_id: str) -> None:
        """Close one modal anywhere in its stack; no effect when it is closed already."""
        view = self.get(view_id)
        if view is None:
            return
        self._stacks[view.user] = [one for one in self._stacks.get(view.user, ()) if one != view_id]
        self._keep(replace(view, closed=True))

    def close_all(self, user: str) -> list[View]:
        """Close all modals of a person, the visible one first."""
        closed = []
        while view := self.close_top(user):
            closed.append(view)
        return closed

    def _push(self, user: str, source: Json) -> View:
        stack = self._stacks.setdefault(user, [])
        view_id = new_id("V")
        root = stack[0] if stack else view_id
        view = _view(source, id=view_id, user=user, root=root, previous=stack[-1] if stack else "")
        stack.append(view_id)
        return self._keep(view)

    def _keep(self, view: View) -> View:
        self._views[view.id] = view
        self._tell(Change(kind="home" if view.type == "home" else "view", user=view.user, view=view.id))
        return view

    def _check_external_id(self, source: Json, current: View | None) -> None:
        external_id = source.get("external_id") or ""
        taken = self.by_external_id(external_id) if external_id else None
        if taken and (current is None or taken.id != current.id):
            raise ApiRefusal("duplicate_external_id")


def _view(source: Json, *, id: str, user: str, root: str, previous: str) -> View:  # noqa: A002 - Slack's own word
    """A view with the app's content and a new version."""
    return View(
        id=id,
        user=user,
        type=str(source["type"]),
        callback_id=source.get("callback_id") or "",
        private_metadata=source.get("private_metadata") or "",
        blocks=source["blocks"],
        title=_text(source.get("title")),
        submit=_text(source.get("submit")),
        close=_text(source.get("close")),
        hash=f"{secrets.randbelow(10**10)}.{secrets.token_hex(4)}",
        external_id=source.get("external_id") or "",
        root_view_id=root,
        previous_view_id=previous,
        clear_on_close=bool(source.get("clear_on_close")),
        notify_on_close=bool(source.get("notify_on_close")),
        values=initial_values(source["blocks"]),
        source=source,
    )


def _text(value: object) -> str:
    return str(value.get("text", "")) if isinstance(value, dict) else ""


def _carried_over(old: dict[str, dict[str, Json]], new: dict[str, dict[str, Json]]) -> dict[str, dict[str, Json]]:
    return {
        block_id: {
            action_id: _kept(state, old.get(block_id, {}).get(action_id)) for action_id, state in actions.items()
        }
        for block_id, actions in new.items()
    }


def _kept(fresh: Json, typed: Json | None) -> Json:
    return typed if typed is not None and typed.get("type") == fresh.get("type") else fresh
