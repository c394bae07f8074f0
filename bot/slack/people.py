"""Who somebody is and which of the policy's groups they are in.

Authority is read from Slack, not remembered: the caller says how old an answer may be. When Slack does
not answer and nothing young enough is known, the error goes up: nobody counts on a guess.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.approvals import STANDING_SECONDS, Person, Standing
from bot.domain.errors import OutcomeUnknown, ServiceNever, ServiceNow
from bot.slack.calls import SERVICE, call

log = structlog.get_logger(__name__)

FRESH = 5.0
"""Age in seconds up to which an answer needs no new question: usergroups.users.list allows 20 a minute."""
OLDEST = STANDING_SECONDS
"""Age in seconds up to which an answer may stand in when Slack does not answer."""
STANDING_TOTAL = 2.0
"""Seconds to ask for one thing: within the three of an ack."""
_Found = tuple[float, Any]
"""When the answer was asked for, and the answer."""
_MENDS = {
    "missing_scope": "the bot token lacks a scope: put the manifest into the app's settings and install the app again",
    "plan_upgrade_required": "user groups need a paid plan of Slack: name people by their U… ids in the policy instead",
}
_TOKEN = "Slack does not accept the bot token: copy it again into SLACK_BOT_TOKEN"  # noqa: S105 - a sentence


class Denied(ServiceNow):
    """Slack will not say it, however often it is asked, until the operator mends something."""

    def __init__(self, what: str, refused: ServiceNever) -> None:
        lacking = f", {refused.words}" if refused.words else ""
        mend = _MENDS.get(refused.reason, _TOKEN)
        super().__init__(SERVICE, f"does not let us read {what} ({refused.reason}{lacking}); {mend}")


class People:
    """Reads ``users.info`` and ``usergroups.users.list``; one question at a time for the same thing."""

    def __init__(
        self,
        *,
        client: AsyncWebClient,
        groups: Iterable[str],
        monotonic: Callable[[], float],
        timeout: float = STANDING_TOTAL,
    ) -> None:
        """``groups``: the user group ids the policy names. ``timeout`` in seconds."""
        self._client = client
        self._groups = tuple(sorted(set(groups)))
        self._group_keys = tuple(f"group:{group}" for group in self._groups)
        self._monotonic = monotonic
        self._timeout = timeout
        self._known: dict[str, _Found] = {}
        self._asking: dict[str, asyncio.Lock] = {}
        self._denied: dict[str, bool] = {}

    def denials(self) -> list[str]:
        """What Slack began to deny us since this was asked last, in words for the operator."""
        news = [reason for reason, told in self._denied.items() if not told]
        self._denied.update(dict.fromkeys(news, True))
        return news

    async def standing(self, user: str, *, fresh: float = FRESH, oldest: float = OLDEST) -> Standing:
        """The person and their groups.

        Raises:
            ServiceNow: Slack did not answer and nothing younger than ``oldest`` seconds is known.
        """
        held = self._held(user, fresh)
        if held is not None:
            return held
        found = await asyncio.gather(  # side by side: an ack has three seconds, however slow Slack is
            self._read(f"user:{user}", lambda: self._person(user), fresh=fresh, oldest=oldest),
            *(self._group(group, fresh=fresh, oldest=oldest) for group in self._groups),
        )
        return self._standing(user, found)

    async def standings(self, users: Iterable[str], *, fresh: float = FRESH) -> dict[str, Standing]:
        """Standings of several people, read side by side: the first is not old when the last is known."""
        held = {user: self._held(user, fresh) for user in sorted(set(users))}
        unknown = [user for user, standing in held.items() if standing is None]
        read = await asyncio.gather(*(self.standing(user, fresh=fresh) for user in unknown)) if unknown else []
        return {user: standing for user, standing in held.items() if standing} | dict(zip(unknown, read, strict=True))

    def _held(self, user: str, fresh: float) -> Standing | None:
        """What is known by now, if all of it is young enough: a task for each part would cost more than the rest."""
        since = self._monotonic() - fresh
        found = []
        for key in (f"user:{user}", *self._group_keys):
            known = self._known.get(key)
            if known is None or known[0] < since:
                return None
            found.append(known)
        return self._standing(user, found)

    def _standing(self, user: str, found: Sequence[_Found]) -> Standing:
        (_, person), *members = found
        groups = (group for group, (_, users) in zip(self._groups, members, strict=True) if user in users)
        return Standing(person, frozenset(groups), min(at for at, _ in found))

    async def names(self, users: Iterable[str]) -> dict[str, str]:
        """What people are called, however long ago that was read; without those of whom nobody can say it now."""
        wanted = sorted({user for user in users if user})
        found = await asyncio.gather(*(self._name(user) for user in wanted))
        return {user: name for user, name in zip(wanted, found, strict=True) if name}

    async def _name(self, user: str) -> str:
        try:
            _, person = await self._read(f"user:{user}", lambda: self._person(user), fresh=math.inf, oldest=math.inf)
        except (ServiceNow, ServiceNever):
            return ""
        return person.name if person is not None else ""

    async def members(self, group: str, *, fresh: float = FRESH, oldest: float = OLDEST) -> frozenset[str]:
        """User ids of a user group; empty when Slack does not know the group."""
        found: frozenset[str] = (await self._group(group, fresh=fresh, oldest=oldest))[1]
        return found

    async def _group(self, group: str, *, fresh: float, oldest: float) -> _Found:
        return await self._read(f"group:{group}", lambda: self._members(group), fresh=fresh, oldest=oldest)

    async def _read(self, key: str, ask: Callable[[], Awaitable[Any]], *, fresh: float, oldest: float) -> _Found:
        async with self._asking.setdefault(key, asyncio.Lock()):
            known = self._known.get(key)
            asked_at = self._monotonic()
            if known and asked_at - known[0] <= fresh:
                return known
            try:
                async with asyncio.timeout(self._timeout):
                    answer = await _twice(ask)
            except (ServiceNow, OutcomeUnknown, TimeoutError) as silent:
                if isinstance(silent, Denied):
                    self._note(silent)
                if known and self._monotonic() - known[0] <= oldest:
                    return known
                if isinstance(silent, Denied):
                    raise
                raise ServiceNow(SERVICE, "did not say who you are") from silent
            self._known[key] = (asked_at, answer)
            return self._known[key]

    def _note(self, denied: Denied) -> None:
        if denied.reason not in self._denied:
            self._denied[denied.reason] = False
            log.error("Slack denies what authority depends on", reason=denied.reason)

    async def _person(self, user: str) -> Person | None:
        try:
            found = (await call(self._client.users_info(user=user)))["user"]
        except ServiceNever as refused:
            if refused.reason in ("user_not_found", "user_not_visible"):
                return None
            raise Denied("who somebody is", refused) from refused
        return Person(
            id=user,
            team_id=str(found.get("team_id") or ""),
            teams=_teams(found),
            name=str((found.get("profile") or {}).get("real_name") or found.get("real_name") or found.get("name", "")),
            deleted=bool(found.get("deleted")),
            bot=any(found.get(kind) for kind in _NO_PEOPLE) or user == "USLACKBOT",
            guest=bool(found.get("is_restricted") or found.get("is_ultra_restricted")),
            stranger=bool(found.get("is_stranger")),
        )

    async def _members(self, group: str) -> frozenset[str]:
        try:
            answer = await call(self._client.usergroups_users_list(usergroup=group))
        except ServiceNever as refused:
            if refused.reason in ("no_such_subteam", "subteam_not_found", "invalid_usergroup"):
                return frozenset()
            raise Denied("the members of a user group", refused) from refused
        return frozenset(str(user) for user in answer.get("users", []))


_NO_PEOPLE = ("is_bot", "is_workflow_bot", "is_connector_bot")


def _teams(found: Mapping[str, Any]) -> frozenset[str]:
    """The workspaces of an organization that somebody is a member of; nothing outside of an Enterprise Grid."""
    organized = found.get("enterprise_user")
    listed = (found.get("teams"), organized.get("teams") if isinstance(organized, Mapping) else None)
    return frozenset(team for teams in listed if isinstance(teams, list) for team in teams if isinstance(team, str))


async def _twice(ask: Callable[[], Awaitable[Any]]) -> Any:
    """Ask, and once more where Slack asked us to wait; how long there is time for that is the caller's business."""
    try:
        return await ask()
    except ServiceNow as busy:
        if busy.retry_after is None:
            raise
        await asyncio.sleep(busy.retry_after)
        return await ask()
