"""Acts of people in modals and in the App Home: fill in, press, submit, close."""

from collections.abc import Mapping
from typing import Any

from bot.playground.workspace import payloads
from bot.playground.workspace.dropping import Dropping
from bot.playground.workspace.elements import STATEFUL, complaints, filled, value_key
from bot.playground.workspace.errors import ApiRefusal, ImpossibleAct
from bot.playground.workspace.limits.surfaces import checked_view
from bot.playground.workspace.model import Ack, Json, User, View, elements_of
from bot.playground.workspace.responses import Occasion

TROUBLE = "We had some trouble connecting. Try again?"
"""Error of a modal if the app's answer is missing or invalid; stored under the key ``""``."""


class Forms(Dropping):
    """Acts on the top modal of the person's stack."""

    def fill(self, user: str, values: Mapping[str, Any], *, force: bool = False) -> View:
        """Enter values by block id without submitting: a text, an option's value, a list, or a whole state."""
        who = self._user(user, force=force)
        return self._filled(self._top(who), values, force=force)

    async def click_in_view(
        self,
        user: str,
        action_id: str,
        *,
        value: str | None = None,
        block_id: str | None = None,
        action: Mapping[str, Any] | None = None,
        values: Mapping[str, Any] | None = None,
        home: bool = False,
        force: bool = False,
    ) -> Ack:
        """Press a button or choose in a menu of the top modal, or of the App Home.

        Args:
            user: The person who clicks.
            action_id: Identifies the element.
            value: For menus, the option's value; for buttons, a value that replaces the button's (tampering).
            block_id: Identifies the block if several contain the action id.
            action: Fields that replace those of the action sent.
            values: Values entered before the click, by block id.
            home: Act in the App Home even if a modal is open.
            force: Click even if the element doesn't exist.
        """
        who = self._user(user, force=force)
        view = self._state.views.home(who.id) if home or not self._state.views.stack(who.id) else self._top(who)
        if view is None:
            raise ImpossibleAct(f"{user} has no App Home and no modal open")
        view = self._filled(view, values or {}, force=force)
        sent = self._action(view.blocks, action_id, block_id, value, action, force=force)
        if sent["type"] in STATEFUL:
            key = value_key(sent["type"])
            chosen = {"type": sent["type"], key: sent.get(key)}
            view = self._state.views.note(view, values=_with(view.values, sent["block_id"], action_id, chosen))
        ack = await self._delivery.send("interactive", payloads.view_click(self._state, who, view, sent))
        if ack.error:
            self._complain(view, {"": TROUBLE})
        return ack

    async def suggest(self, user: str, action_id: str, text: str) -> list[Json]:
        """Type into an external select of the top modal.

        Returns:
            The options offered by the app; option groups are flattened.
        """
        who = self._user(user)
        view = self._top(who)
        for block_id, element in elements_of(view.blocks):
            if element["action_id"] == action_id and str(element["type"]).endswith("external_select"):
                payload = payloads.suggestion(self._state, who, view, block_id, action_id, text)
                ack = await self._delivery.send("interactive", payload)
                return _offered(ack.body)
        raise ImpossibleAct(f"no external select {action_id!r} in {view.title!r}")

    async def submit(self, user: str, values: Mapping[str, Any] | None = None, *, force: bool = False) -> Ack:
        """Fill in and submit the top modal.

        Args:
            user: The owner of the modal.
            values: Entered values by block id (and by action id if a block has several); other inputs keep
                their values.
            force: Skip the checks of Slack's client (required, lengths, offered options).

        Raises:
            ImpossibleAct: There is no modal or submit button, or the client would show complaints.
        """
        who = self._user(user, force=force)
        view = self._top(who)
        if not view.submit and not force:
            raise ImpossibleAct(f"the modal {view.title!r} has no submit button")
        view = self._filled(view, values or {}, force=force)
        if not force and (missing := _missing(view)):
            raise ImpossibleAct(f"the modal {view.title!r} would not be sent: {'; '.join(missing)}")
        view = self._state.views.note(view, errors={})
        payload = payloads.view_submission(self._state, who, view, self._response_urls(who, view))
        ack = await self._delivery.send("interactive", payload)
        self._apply(view, ack)
        return ack

    async def close(self, user: str, *, clear: bool = False) -> Ack:
        """Close the top modal, or the whole stack with ``clear``; notifies the app if ``notify_on_close``.

        Returns:
            The app's answer to the first notification; ``Ack(status=200)`` without a request if none was sent.
        """
        who = self._user(user)
        top = self._top(who)
        everything = clear or top.clear_on_close
        closed = self._state.views.close_all(who.id) if everything else [top]
        if not everything:
            self._state.views.close(top.id)
        acks = [
            await self._delivery.send("interactive", payloads.view_closed(self._state, who, view, cleared=everything))
            for view in closed
            if view.notify_on_close
        ]
        return acks[0] if acks else Ack(status=200)

    def _top(self, user: User) -> View:
        stack = self._state.views.stack(user.id)
        if not stack:
            raise ImpossibleAct(f"{user.id} has no modal open")
        return stack[-1]

    def _filled(self, view: View, values: Mapping[str, Any], *, force: bool) -> View:
        """Return the view with the entered values."""
        state = view.values
        fields: dict[str, dict[str, Json]] = {}
        for block_id, element in elements_of(view.blocks):
            if element["type"] in STATEFUL:
                fields.setdefault(block_id, {})[element["action_id"]] = element
        for block_id, value in values.items():
            if block_id not in fields:
                raise ImpossibleAct(f"no input {block_id!r} in {view.title!r}; there are {sorted(fields)}")
            for action_id, entry in _entries(fields[block_id], value).items():
                element = fields[block_id][action_id]
                entered = filled(element, entry, force=force, files=self._file_object)
                state = _with(state, block_id, action_id, entered)
        return self._state.views.note(view, values=state) if values else view

    def _response_urls(self, user: User, view: View) -> list[Json]:
        """Return response URLs for chosen conversations, if the app requested them."""
        urls = []
        for block_id, element in elements_of(view.blocks):
            if not element.get("response_url_enabled"):
                continue
            state = view.values.get(block_id, {}).get(element["action_id"], {})
            channel = state.get(value_key(element["type"]))
            if channel:
                url = self._responses.issue("app", Occasion(user=user.id, channel=channel))
                place = {"block_id": block_id, "action_id": element["action_id"], "channel_id": channel}
                urls.append(place | {"response_url": url})
        return urls

    def _apply(self, view: View, ack: Ack) -> None:
        """Apply the acknowledgement to the stack; nothing if the view is gone by then."""
        current = self._state.views.get(view.id)
        if current is None:
            return
        if ack.error:
            self._complain(current, {"": TROUBLE})
            return
        try:
            self._respond(current, ack.body)
        except ApiRefusal as refusal:
            messages = refusal.fields.get("response_metadata", {}).get("messages", [])
            self._complain(current, {"": f"{TROUBLE} ({refusal.name} {' '.join(messages)})"})

    def _respond(self, view: View, body: object) -> None:
        if not body:
            self._state.views.close(view.id)
            return
        answer: Json = body if isinstance(body, dict) else {}
        match answer.get("response_action"):
            case "clear":
                self._state.views.close_all(view.user)
            case "update":
                self._state.views.update(view, checked_view(answer.get("view"), "modal"))
            case "push":
                self._state.views.push(view.user, checked_view(answer.get("view"), "modal"))
            case "errors":
                self._complain(view, _errors(view, answer.get("errors")))
            case _:
                raise ApiRefusal("invalid_response")

    def _complain(self, view: View, errors: dict[str, str]) -> None:
        self._state.views.note(self._state.views.get(view.id) or view, errors=errors)


def _entries(elements: dict[str, Json], value: Any) -> dict[str, Any]:
    """Values by element of a block; a block with several elements takes a dict by action id."""
    if isinstance(value, dict) and value and set(value) <= set(elements):
        return value
    if len(elements) > 1:
        raise ImpossibleAct(f"the block holds several elements; enter by action id: {sorted(elements)}")
    return {next(iter(elements)): value}


def _with(values: dict[str, dict[str, Json]], block_id: str, action_id: str, state: Json) -> dict[str, dict[str, Json]]:
    return {**values, block_id: {**values.get(block_id, {}), action_id: state}}


def _missing(view: View) -> list[str]:
    found: list[str] = []
    for block in view.blocks:
        if block["type"] == "input":
            state = view.values.get(block["block_id"], {}).get(block["element"]["action_id"], {})
            found += complaints(block, state)
    return found


def _errors(view: View, errors: object) -> dict[str, str]:
    """The app's complaints; every key must be the block id of an input."""
    inputs = {block["block_id"] for block in view.blocks if block["type"] == "input"}
    if not isinstance(errors, dict) or not errors or not set(errors) <= inputs:
        raise ApiRefusal("invalid_errors")
    return {str(key): str(value) for key, value in errors.items()}


def _offered(body: object) -> list[Json]:
    answer: Json = body if isinstance(body, dict) else {}
    groups = answer.get("option_groups") or []
    return [*(answer.get("options") or []), *(option for group in groups for option in group.get("options") or [])]
