"""Lookup of users, their membership in the policy's groups, and the bot's own identity.

Authority is read from Slack, not stored. If no answer is recent enough for the caller, the error is raised.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.approvals import MEMBERSHIP_SECONDS, Membership, Person
from bot.domain.errors import OperatorError, OutcomeUnknown, ServiceNever, ServiceNow
from bot.domain.reasons import Exchange, Reason
from bot.domain.text import without_unstorable
from bot.slack.calls import SERVICE, call

log = structlog.get_logger(__name__)

FRESH = 5.0
"""Age in seconds up to which a cached answer is used: usergroups.list allows 20 calls per minute."""
OLDEST = MEMBERSHIP_SECONDS
"""Age in seconds up to which a cached answer is used if Slack doesn't answer, or is slowed by a 429."""
STANDING_TOTAL = 2.0
"""Seconds to wait for one lookup, within the three of an ack."""
PATIENT_TOTAL = 9.0
"""Seconds to wait for one lookup without a pending ack: slightly less than the time-out of a call to Slack."""
_STANDS_IN_AFTER = 0.25
"""Fraction of a lookup's time after which a cached answer is used, so that an ack has time for two lookups."""
_USER, _GROUPS, _GROUP = "users.info", "usergroups.list", "usergroups.users.list"
_NO_PEOPLE = ("is_bot", "is_workflow_bot", "is_connector_bot")
_Found = tuple[float, Any]
"""Time of the request, and its answer."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Age up to which a cached answer is used at once, and if Slack is slow or silent; whether the caller can wait."""

    fresh: float
    oldest: float
    patient: bool = False


class Denied(ServiceNow):
    """Slack refuses the lookup until the operator changes the app or the token."""

    def __init__(self, what: str, refused: ServiceNever) -> None:
        super().__init__(SERVICE, Reason(Exchange.SLACK_DENIES, what=what, error=refused.error, needed=refused.words))


class Directory:
    """Reads users with ``users.info`` and groups of the policy with ``usergroups.list``, or a single group alone.

    Concurrent lookups of a user or group share one call; an answer too late for its caller is cached for the next.
    """

    def __init__(
        self,
        *,
        client: AsyncWebClient,
        groups: Iterable[str],
        monotonic: Callable[[], float],
        timeout: float = STANDING_TOTAL,
        patience: float = PATIENT_TOTAL,
        is_slowed: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """``groups``: group ids in the policy. ``timeout``, ``patience``: seconds for normal and patient callers."""
        # While a 429 slows a method, cached answers younger than ``oldest`` are used, which saves calls for unknown
        # users.
        self._client = client
        self._groups = tuple(sorted(set(groups)))
        self._monotonic = monotonic
        self.timeout = timeout
        self._patience = patience
        self._is_slowed = is_slowed
        self._known: dict[str, _Found] = {}
        self._asking: dict[str, asyncio.Task[_Found]] = {}
        self._denied: dict[Reason, bool] = {}
        self._allowed: list[Reason] = []

    def denials(self) -> list[Reason]:
        """Return reasons of lookups that Slack has begun to refuse since the last call, for the operator."""
        news = [reason for reason, told in self._denied.items() if not told]
        self._denied.update(dict.fromkeys(news, True))
        return news

    def allowed(self) -> list[Reason]:
        """Return reasons of earlier refusals for lookups that Slack has answered again since the last call."""
        news, self._allowed = self._allowed, []
        return news

    async def close(self) -> None:
        """Cancel unfinished calls."""
        calls = list(self._asking.values())
        for one in calls:
            one.cancel()
        await asyncio.gather(*calls, return_exceptions=True)

    async def standing(
        self, user: str, *, fresh: float = FRESH, oldest: float = OLDEST, patient: bool = False
    ) -> Membership:
        """Read a user and their groups. ``patient``: no ack is pending, so wait for a slow Slack. Raises ServiceNow."""
        held = self._held(user, fresh)
        if held is not None:
            return held
        wanted = _Wanted(fresh, oldest, patient)
        if not self._groups:
            return self._standing(user, await self._user(user, wanted))
        # Concurrently, because an ack has only three seconds.
        return self._standing(user, *await asyncio.gather(self._user(user, wanted), self._every_group(wanted)))

    async def standings(
        self, users: Iterable[str], *, fresh: float = FRESH, patient: bool = False
    ) -> dict[str, Membership]:
        """Read several users and their groups concurrently, so that all answers are equally recent."""
        held = {user: self._held(user, fresh) for user in sorted(set(users))}
        unknown = [user for user, standing in held.items() if standing is None]
        asked = (self.standing(user, fresh=fresh, patient=patient) for user in unknown)
        read = await asyncio.gather(*asked) if unknown else []
        return {user: standing for user, standing in held.items() if standing} | dict(zip(unknown, read, strict=True))

    def expect(self, users: Iterable[str]) -> None:
        """Prefetch users who will be needed soon, without waiting."""
        for user in users:
            if self._held(user, FRESH) is None:
                self._ask(f"user:{user}", partial(self._person, user), patiently=False)

    def _held(self, user: str, fresh: float) -> Membership | None:
        """Return the cached standing if all of it is recent enough, without tasks, which would dominate the cost."""
        since = self._monotonic() - fresh
        found = []
        for key in (f"user:{user}", "groups") if self._groups else (f"user:{user}",):
            known = self._known.get(key)
            if known is None or known[0] < since:
                return None
            found.append(known)
        return self._standing(user, *found)

    def _standing(self, user: str, person: _Found, members: _Found | None = None) -> Membership:
        if members is None:
            return Membership(person[1], frozenset(), person[0])
        groups = frozenset(group for group in self._groups if user in members[1][group])
        return Membership(person[1], groups, min(person[0], members[0]))

    async def names(self, users: Iterable[str]) -> dict[str, str]:
        """Return user id -> name, from answers of any age; users that Slack doesn't show are left out."""
        wanted = sorted({user for user in users if user})
        found = await asyncio.gather(*(self._seen(user) for user in wanted))
        return {person.id: person.name for person in found if person is not None}

    async def handle(self, user: str) -> str:
        """Return a user's unique name, from an answer of any age; empty if unavailable."""
        person = await self._seen(user)
        return person.handle if person is not None else ""

    async def is_bot(self, user: str) -> bool:
        """Return whether a user is a bot, from an answer of any age; False if unavailable."""
        person = await self._seen(user)
        return person is not None and person.bot

    async def _seen(self, user: str) -> Person | None:
        try:
            person: Person | None = (await self._user(user, _Wanted(fresh=math.inf, oldest=math.inf)))[1]
        except (ServiceNow, ServiceNever):
            return None
        return person

    async def members(self, group: str, *, fresh: float = FRESH, oldest: float = OLDEST) -> frozenset[str]:
        """Read the user ids of a group; empty if Slack doesn't know the group."""
        found: frozenset[str]
        wanted = _Wanted(fresh, oldest)
        if group in self._groups:
            found = (await self._every_group(wanted))[1][group]
        else:
            found = (await self._read(f"group:{group}", _GROUP, lambda: self._members(group), wanted))[1]
        return found

    async def _every_group(self, wanted: _Wanted) -> _Found:
        return await self._read("groups", _GROUP if len(self._groups) == 1 else _GROUPS, self._all, wanted)

    async def _user(self, user: str, wanted: _Wanted) -> _Found:
        return await self._read(f"user:{user}", _USER, lambda: self._person(user), wanted)

    async def _read(self, key: str, method: str, ask: Callable[[], Awaitable[Any]], wanted: _Wanted) -> _Found:
        known, now = self._known.get(key), self._monotonic()
        if known and now - known[0] <= wanted.fresh:
            return known
        stands_in = known if known and now - known[0] <= wanted.oldest else None
        if stands_in and self._is_slowed(method):
            return stands_in
        try:
            if wanted.patient:
                seconds = max(self._patience, self.timeout)
            else:
                seconds = self.timeout if stands_in is None else self.timeout * _STANDS_IN_AFTER
            async with asyncio.timeout(seconds):
                while True:
                    found = await asyncio.shield(self._ask(key, ask, patiently=stands_in is None))
                    if found[0] >= now - wanted.fresh:
                        return found
        except (ServiceNow, OutcomeUnknown, TimeoutError) as silent:
            known = self._known.get(key)
            if known and self._monotonic() - known[0] <= wanted.oldest:
                return known
            if isinstance(silent, Denied):
                raise
            raise ServiceNow(SERVICE, Reason(Exchange.SLACK_NOBODY)) from silent

    def _ask(self, key: str, ask: Callable[[], Awaitable[Any]], *, patiently: bool) -> "asyncio.Task[_Found]":
        """Return the pending call for this key, or start one. Its answer is cached even if all callers gave up."""
        if key not in self._asking:
            call = asyncio.create_task(self._answered(key, ask, patiently=patiently), name=f"who is {key}")
            call.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
            self._asking[key] = call
        return self._asking[key]

    async def _answered(self, key: str, ask: Callable[[], Awaitable[Any]], *, patiently: bool) -> _Found:
        asked_at = self._monotonic()
        try:
            answer = await (self._patiently(ask) if patiently else ask())
        except Denied as denied:
            self._note(denied)
            raise
        finally:
            del self._asking[key]
        what = "person" if key.startswith("user:") else "group"
        for reason in [one for one, is_told in self._denied.items() if is_told and one.facts["what"] == what]:
            del self._denied[reason]
            self._allowed.append(reason)
        self._known[key] = (asked_at, answer)
        return self._known[key]

    def _note(self, denied: Denied) -> None:
        if denied.reason not in self._denied:
            self._denied[denied.reason] = False
            log.error("membership lookup denied by Slack", reason=str(denied.reason))

    async def _person(self, user: str) -> Person | None:
        try:
            found = without_unstorable((await call(self._client.users_info(user=user)))["user"])
        except ServiceNever as refused:
            if refused.error in ("user_not_found", "user_not_visible"):
                return None
            raise Denied("person", refused) from refused
        organized = found.get("enterprise_user")
        listed = (found.get("teams"), organized.get("teams") if isinstance(organized, Mapping) else None)
        return Person(
            id=user,
            team_id=str(found.get("team_id") or ""),
            # The user's workspaces in an organization; empty outside of an Enterprise Grid.
            teams=frozenset(
                team for teams in listed if isinstance(teams, list) for team in teams if isinstance(team, str)
            ),
            name=str((found.get("profile") or {}).get("real_name") or found.get("real_name") or found.get("name", "")),
            handle=str(found.get("name") or ""),
            deleted=bool(found.get("deleted")),
            bot=any(found.get(kind) for kind in _NO_PEOPLE) or user == "USLACKBOT",
            guest=bool(found.get("is_restricted") or found.get("is_ultra_restricted")),
            stranger=bool(found.get("is_stranger")),
            email=str((found.get("profile") or {}).get("email") or ""),
        )

    async def _patiently(self, ask: Callable[[], Awaitable[Any]]) -> Any:
        clock = asyncio.get_running_loop().time
        until = clock() + min(self.timeout, STANDING_TOTAL)
        while True:
            try:
                return await ask()
            except ServiceNow as busy:
                if busy.retry_after is None or clock() + busy.retry_after >= until:
                    raise
                await asyncio.sleep(busy.retry_after)

    async def _all(self) -> Mapping[str, frozenset[str]]:
        if len(self._groups) == 1:
            return {self._groups[0]: await self._members(self._groups[0])}
        try:
            answer = await call(self._client.usergroups_list(include_users=True))
        except ServiceNever as refused:
            raise Denied("group", refused) from refused
        listed = {str(group["id"]): group.get("users") for group in answer.get("usergroups", [])}
        found: dict[str, frozenset[str]] = {}
        for group in self._groups:
            users = listed.get(group, [])
            # If the list omits the users, read the group with a separate call.
            found[group] = frozenset(map(str, users)) if isinstance(users, list) else await self._members(group)
        return found

    async def _members(self, group: str) -> frozenset[str]:
        try:
            answer = await call(self._client.usergroups_users_list(usergroup=group))
        except ServiceNever as refused:
            if refused.error in ("no_such_subteam", "subteam_not_found", "invalid_usergroup"):
                return frozenset()
            raise Denied("group", refused) from refused
        return frozenset(str(user) for user in answer.get("users", []))


@dataclass(frozen=True, slots=True, kw_only=True)
class BotIdentity:
    """The answer of ``auth.test``."""

    team_id: str
    team: str
    bot_id: str
    bot_user_id: str
    enterprise_id: str | None
    app_id: str
    """App that the token belongs to; empty if unknown."""
    scopes: frozenset[str]
    """Scopes granted to the bot token; empty if unknown."""


async def who_we_are(client: AsyncWebClient) -> BotIdentity:
    """Read the bot's identity from Slack. ``OperatorError`` if the token belongs to a whole organization."""
    headers: dict[str, str] = {}

    async def ask() -> object:
        response = await client.auth_test()
        headers.update({key.lower(): value for key, value in (response.headers or {}).items()})
        return response

    answer = await call(ask())
    team_id, enterprise_id = str(answer.get("team_id") or ""), answer.get("enterprise_id")
    if answer.get("is_enterprise_install") or not team_id or team_id == enterprise_id:
        # Requests contain a workspace's id, never an organization's, so we would refuse all of them.
        where = enterprise_id or "none is named"
        raise OperatorError(
            f"the bot token is good for a whole organization ({where}), not for one workspace",
            mend="install the app in one workspace, not in the organization, and put that token into SLACK_BOT_TOKEN",
        )
    bot: Mapping[str, Any] = {}
    if answer.get("bot_id"):
        try:
            bot = (await call(client.bots_info(bot=str(answer["bot_id"])))).get("bot") or {}
        except ServiceNever as denied:  # workspace and signing secret then identify the app
            log.warning("app id unavailable", reason=str(denied))
    return BotIdentity(
        team_id=team_id,
        team=str(answer.get("team", "")),
        bot_id=str(answer.get("bot_id", "")),
        bot_user_id=str(answer.get("user_id", "")),
        enterprise_id=str(enterprise_id) if enterprise_id else None,
        app_id=str(bot.get("app_id") or ""),
        scopes=frozenset(scope.strip() for scope in headers.get("x-oauth-scopes", "").split(",") if scope.strip()),
    )


async def named(names: Iterable[str], people: Directory, *, fresh: float = FRESH) -> list[str]:
    """Return the user ids in a list of the policy, with groups replaced by their members."""
    users = {name for name in names if not name.startswith("S") and name != "*"}
    for group in names:
        if group.startswith("S"):
            users |= await people.members(group, fresh=fresh)
    return sorted(users)
