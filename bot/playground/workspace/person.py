"""Base of people's acts: the person, their channels, what they see, and Slack's message on failure."""

from bot.playground.workspace.delivery import EventSender
from bot.playground.workspace.errors import ImpossibleAct
from bot.playground.workspace.model import Ack, Channel, Message, User
from bot.playground.workspace.responses import Responses
from bot.playground.workspace.state import WorkspaceState


class Person:
    """Shared by the acts; finds people, places and messages as the acting person sees them."""

    _state: WorkspaceState
    _delivery: EventSender
    _responses: Responses

    def _user(self, user: str, *, force: bool = False) -> User:
        found = self._state.directory.users.get(user)
        if found is None:
            raise ImpossibleAct(
                f"there is no user {user!r}; there are {', '.join(sorted(self._state.directory.users))}"
            )
        if found.deleted and not force:
            raise ImpossibleAct(f"{user} is deactivated and cannot act")
        return found

    def _channel(self, channel: str) -> Channel:
        found = self._state.directory.channel(channel)
        if found is None:
            raise ImpossibleAct(f"no channel {channel!r}; there are {sorted(self._state.directory.channels)}")
        return found

    def _place(self, user: User, channel: str, *, force: bool) -> Channel:
        """A channel the person is in."""
        place = self._channel(channel)
        if user.id not in place.members and not force:
            raise ImpossibleAct(f"{user.id} is not in {place.id} ({place.name})")
        return place

    def _seen(self, user: User, channel: Channel, ts: str, *, force: bool) -> Message:
        """A message as this person sees it."""
        message = self._state.log.find(channel.id, ts)
        if message is None:
            raise ImpossibleAct(f"no message {ts} in {channel.id}")
        if force:
            return message
        if not self._state.sees(user, channel):
            raise ImpossibleAct(f"{user.id} cannot open {channel.id} ({channel.name})")
        if message.deleted or message.ephemeral_to not in ("", user.id):
            raise ImpossibleAct(f"{user.id} does not see message {ts} in {channel.id}")
        return message

    def _tell_failure(self, user: User, channel: Channel | None, what: str, ack: Ack) -> None:
        """Show Slack's message for an app that did not answer properly."""
        if ack.error:
            place = channel or self._state.directory.direct(user.id, self._state.clock())
            self._state.whisper_as_slackbot(user.id, place.id, f'{what} failed with the error "{ack.error}"')
