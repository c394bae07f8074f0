"""Acts of people outside forms: commands, clicks, shortcuts, messages; and raw events."""

from collections.abc import Mapping
from typing import Any

from bot.playground.workspace import payloads, typed
from bot.playground.workspace.elements import STATEFUL, filled, option, value_key
from bot.playground.workspace.errors import ApiRefusal, ImpossibleAct
from bot.playground.workspace.ids import new_id
from bot.playground.workspace.model import Ack, Channel, Json, Message, SentRequest, User, elements_of
from bot.playground.workspace.person import Person
from bot.playground.workspace.responses import Occasion
from bot.playground.workspace.wire import file_object


class Acting(Person):
    """Acts that return the app's answer; ``force`` allows ones that no client offers (stale, forged)."""

    async def slash(
        self, user: str, channel: str, command: str, text: str = "", *, smart: bool = False, force: bool = False
    ) -> Ack:
        """Type a slash command.

        Args:
            user: The person who types.
            channel: Id or name.
            command: With its slash, e.g. ``/pay``.
            text: Text after it, as typed: ``@name`` and ``#channel`` become references if the command escapes.
            smart: Let the client replace quotes and dashes first, as macOS does.
            force: Allow it for a non-member, or an unregistered command.
        """
        who = self._user(user, force=force)
        place = self._place(who, channel, force=force)
        should_escape = self._check_command(who, command, force=force)
        text = typed.smart(text) if smart else text
        occasion = Occasion(user=who.id, channel=place.id, command=f"{command} {text}".strip())
        payload = payloads.slash_command(
            self._state,
            who,
            place,
            command,
            typed.as_command(text, self._state.directory, should_escape=should_escape),
            self._responses.issue("commands", occasion),
        )
        ack = await self._delivery.send("slash_commands", payload)
        self._tell_failure(who, place, command, ack)
        if ack.ok:
            self._show_answer(who, place, command, occasion, ack.body)
        return ack

    async def click(
        self,
        user: str,
        channel: str,
        ts: str,
        action_id: str,
        *,
        value: str | None = None,
        block_id: str | None = None,
        action: Mapping[str, Any] | None = None,
        force: bool = False,
    ) -> Ack:
        """Press a button of a message, or choose in one of its menus.

        Args:
            user: The person who clicks; the message must be visible to them.
            channel: The message's channel.
            ts: Timestamp of the message.
            action_id: Identifies the element.
            value: For menus, the option's value; for buttons, a value that replaces the button's (tampering).
            block_id: Identifies the block if several contain the action id.
            action: Fields that replace those of the action sent.
            force: Click even if the message was deleted or never contained the element.
        """
        who = self._user(user, force=force)
        place = self._channel(channel)
        message = self._seen(who, place, ts, force=force)
        sent = self._action(message.all_blocks, action_id, block_id, value, action, force=force)
        occasion = Occasion(user=who.id, channel=place.id, source=message.ts)
        url = self._responses.issue("actions", occasion)
        payload = payloads.message_click(self._state, who, place, message, sent, url)
        ack = await self._delivery.send("interactive", payload)
        self._tell_failure(who, place, "This action", ack)
        return ack

    async def shortcut(
        self, user: str, callback_id: str, *, channel: str | None = None, ts: str | None = None, force: bool = False
    ) -> Ack:
        """Use a global shortcut, or a message shortcut if ``channel`` and ``ts`` are given."""
        who = self._user(user, force=force)
        if not force and self._state.directory.foreign(who.id):
            raise ImpossibleAct(f"{who.id} is of another workspace, where this shortcut does not exist")
        if channel is None or ts is None:
            ack = await self._delivery.send("interactive", payloads.global_shortcut(self._state, who, callback_id))
            self._tell_failure(who, None, "This shortcut", ack)
            return ack
        known = self._state.directory.shortcuts
        if not force and known and callback_id not in known:
            raise ImpossibleAct(f"no shortcut {callback_id!r}; there are {sorted(known)}")
        place = self._channel(channel)
        message = self._seen(who, place, ts, force=force)
        url = self._responses.issue("actions", Occasion(user=who.id, channel=place.id, source=message.ts))
        payload = payloads.message_shortcut(self._state, who, place, message, callback_id, url)
        ack = await self._delivery.send("interactive", payload)
        self._tell_failure(who, place, "This shortcut", ack)
        return ack

    async def say(
        self, user: str, channel: str, text: str, *, thread_ts: str | None = None, force: bool = False
    ) -> Message:
        """Post a message as a person. A bot in the channel gets the event, and a second event for a mention."""
        who = self._user(user, force=force)
        place = self._place(who, channel, force=force)
        sent = typed.as_message(text, self._state.directory)
        message = self._state.post_as(who.id, place.id, text=sent, thread_ts=thread_ts or "")
        await self._tell_bot(place, message)
        return message

    async def mention(self, user: str, channel: str, text: str, *, thread_ts: str | None = None) -> Message:
        """Post a message that begins with a mention of the bot."""
        bot = self._state.directory.users[self._state.identity.bot_user_id]
        return await self.say(user, channel, f"@{bot.name} {text}", thread_ts=thread_ts)

    async def open_home(self, user: str, *, tab: str = "home") -> Ack:
        """Open the app's home (or its messages tab)."""
        who = self._user(user)
        channel = self._state.directory.direct(who.id, self._state.clock())
        return await self.send_event(payloads.home_opened(self._state, who, channel, tab))

    async def send_event(
        self,
        event: Json,
        *,
        retry: int = 0,
        event_id: str | None = None,
        reason: str = "http_timeout",
        happened_in: str = "",
    ) -> Ack:
        """Send an event in its wrapper; ``retry`` 1 to 3 marks a repetition, with the ``event_id`` of the first.

        ``happened_in`` is the other workspace of a shared channel.
        """
        wrapped = payloads.event_callback(self._state, event, event_id, happened_in=happened_in)
        return await self._delivery.send("events_api", wrapped, retry=retry, reason=reason)

    async def verify_url(self) -> Ack:
        """Send the app a challenge to repeat, as Slack does when a request URL is entered."""
        challenge = {"token": payloads.VERIFICATION_TOKEN, "type": "url_verification", "challenge": new_id("")}
        return await self._delivery.send("events_api", challenge)

    async def redeliver(self, ack: Ack, *, retry: int = 1, reason: str = "http_timeout") -> Ack:
        """Repeat an event as Slack does if there was no answer: same event id, new signature."""
        return await self._delivery.send("events_api", _sent(ack).payload, retry=retry, reason=reason)

    async def resend(self, ack: Ack) -> Ack:
        """Replay a signed request unchanged."""
        return await self._delivery.resend(_sent(ack))

    async def _tell_bot(self, channel: Channel, message: Message) -> None:
        if not channel.bot_member:
            return
        await self.send_event(payloads.message_event(self._state, channel, message))
        if self._state.identity.bot_user_id in typed.mentioned(message.text):
            await self.send_event(payloads.app_mention(self._state, channel, message))

    def _check_command(self, user: User, command: str, *, force: bool) -> bool:
        """Return whether the command escapes; refuses commands that the composer wouldn't offer."""
        known = self._state.directory.commands
        if not force and known and command not in known:
            raise ImpossibleAct(f"no command {command!r}; there are {sorted(known)}")
        if not force and self._state.directory.foreign(user.id):
            raise ImpossibleAct(f"{user.id} is of another workspace, where {command} does not exist")
        return known[command].should_escape if command in known else True

    def _show_answer(self, user: User, channel: Channel, command: str, occasion: Occasion, body: object) -> None:
        """Show the content of a command's acknowledgement."""
        answer = body if isinstance(body, dict) else {"text": str(body)} if body else {}
        if not answer:
            return
        try:
            self._responses.show(occasion, answer)
        except ApiRefusal as refusal:
            text = f'{command} failed with the error "{refusal.name}"'
            self._state.whisper_as_slackbot(user.id, channel.id, text)

    def _action(
        self,
        blocks: list[Json],
        action_id: str,
        block_id: str | None,
        value: str | None,
        fields: Mapping[str, Any] | None,
        *,
        force: bool,
    ) -> Json:
        """Return the action that a click on an element sends."""
        offered = list(elements_of(blocks))
        for found_in, element in offered:
            if element.get("action_id") == action_id and block_id in (None, found_in):
                sent = self._chosen(element, value, force=force)
                return {"action_id": action_id, "block_id": found_in, **sent, **(fields or {})}
        if not force:
            there = [element.get("action_id") for _, element in offered]
            raise ImpossibleAct(f"no element {action_id!r} is shown; there are {there}")
        text = {"type": "plain_text", "text": action_id, "emoji": True}
        forged: Json = {"type": "button", "action_id": action_id, "block_id": block_id or "forged", "text": text}
        return forged | {"value": value or "", **(fields or {})}

    def _chosen(self, element: Json, value: str | None, *, force: bool) -> Json:
        kind = str(element["type"])
        if kind == "overflow":
            return {"type": kind, "selected_option": option(element, value, force=force)}
        if kind in STATEFUL:
            state = filled(element, value, force=force, files=self._file_object)
            return {"type": kind, value_key(kind): state.get(value_key(kind))}
        sent: Json = {key: element[key] for key in ("type", "text", "value", "style", "url") if key in element}
        return sent if value is None else sent | {"value": value}

    def _file_object(self, file_id: str) -> Json:
        file = self._state.files.get(file_id)
        if file is None:
            raise ImpossibleAct(f"no file {file_id!r}")
        return file_object(self._state, file)


def _sent(ack: Ack) -> SentRequest:
    if ack.request is None:
        raise ImpossibleAct("nothing was sent that could be repeated")
    return ack.request
