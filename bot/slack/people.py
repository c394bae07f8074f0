"""Users of the workspace, and which of the policy's groups they are in; and the identity of the bot itself.

Authority is read from Slack, not stored. Without an answer as recent as the caller asks, the error is raised: no guess.
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
"""Age in seconds up to which a cached answer is used: usergroups.list allows 20 calls a minute."""
OLDEST = MEMBERSHIP_SECONDS
"""Age in seconds up to which a cached answer is used when Slack does not answer, or is slowed by a 429."""
STANDING_TOTAL = 2.0
"""Seconds to wait for one lookup: within the three of an ack."""
PATIENT_TOTAL = 9.0
"""The same where nobody waits for an ack: a little less than a call to Slack may take."""
_STANDS_IN_AFTER = 0.25
"""Share of the time for a lookup after which a cached answer is used: an ack has time for two lookups in a row."""
_USER, _GROUPS, _GROUP = "users.info", "usergroups.list", "usergroups.users.list"
_NO_PEOPLE = ("is_bot", "is_workflow_bot", "is_connector_bot")
_Found = tuple[float, Any]
"""When the answer was asked for, and the answer."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Age up to which a cached answer is used: at once, and where Slack is slow or silent; whether there is time."""

    fresh: float
    oldest: float
    patient: bool = False


class Denied(ServiceNow):
    """Slack refuses the lookup until the operator changes the app or the token."""

    def __init__(self, what: str, refused: ServiceNever) -> None:
        super().__init__(SERVICE, Reason(Exchange.SLACK_DENIES, what=what, error=refused.error, needed=refused.words))


class Directory:
    """Reads ``users.info`` and, all groups of the policy at once, ``usergroups.list``; one group is read alone.

    One call at a time for the same user or group; an answer that comes too late for its caller is cached for the next.
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
        """``groups``: the user group ids the policy names. ``timeout`` in seconds; ``patience``: of patient callers."""
        # While Slack's 429s slow a method, a cached answer younger than ``oldest`` is used: calls are left for the
        # unknown.
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
        """Lookups that Slack has begun to refuse since the last call, as texts for the operator."""
        news = [reason for reason, told in self._denied.items() if not told]
        self._denied.update(dict.fromkeys(news, True))
        return news

    def allowed(self) -> list[Reason]:
        """Lookups that Slack has begun to answer again since the last call, by why it refused them."""
        news, self._allowed = self._allowed, []
        return news

    async def close(self) -> None:
        """End the calls that nobody waits for any more."""
        calls = list(self._asking.values())
        for one in calls:
            one.cancel()
        await asyncio.gather(*calls, return_exceptions=True)

    async def standing(
        self, user: str, *, fresh: float = FRESH, oldest: float = OLDEST, patient: bool = False
    ) -> Membership:
        """The user and their groups. ``patient``: no ack waits, so a slow Slack is waited for. Raises ServiceNow."""
        held = self._held(user, fresh)
        if held is not None:
            return held
        wanted = _Wanted(fresh, oldest, patient)
        if not self._groups:
            return self._standing(user, await self._user(user, wanted))
        # Concurrently: an ack has three seconds, however slow Slack is.
        return self._standing(user, *await asyncio.gather(self._user(user, wanted), self._every_group(wanted)))

    async def standings(
        self, users: Iterable[str], *, fresh: float = FRESH, patient: bool = False
    ) -> dict[str, Membership]:
        """Standings of several users, read concurrently, so that all are equally recent."""
        held = {user: self._held(user, fresh) for user in sorted(set(users))}
        unknown = [user for user, standing in held.items() if standing is None]
        asked = (self.standing(user, fresh=fresh, patient=patient) for user in unknown)
        read = await asyncio.gather(*asked) if unknown else []
        return {user: standing for user, standing in held.items() if standing} | dict(zip(unknown, read, strict=True))

    def expect(self, users: Iterable[str]) -> None:
        """Ask for users who will be needed in a moment, without waiting for the answers."""
        for user in users:
            if self._held(user, FRESH) is None:
                self._ask(f"user:{user}", partial(self._person, user), patiently=False)

    def _held(self, user: str, fresh: float) -> Membership | None:
        """The cached standing, if all of it is recent enough. Saves tasks, which would cost more than the rest."""
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
        """Names of users, cached at any age; users whom Slack does not show are left out."""
        wanted = sorted({user for user in users if user})
        found = await asyncio.gather(*(self._seen(user) for user in wanted))
        return {person.id: person.name for person in found if person is not None}

    async def handle(self, user: str) -> str:
        """Unique name of a user, cached at any age; empty where it is not available."""
        person = await self._seen(user)
        return person.handle if person is not None else ""

    async def is_bot(self, user: str) -> bool:
        """Whether a user is a bot, cached at any age; False where Slack does not say."""
        person = await self._seen(user)
        return person is not None and person.bot

    async def _seen(self, user: str) -> Person | None:
        try:
            person: Person | None = (await self._user(user, _Wanted(fresh=math.inf, oldest=math.inf)))[1]
        except (ServiceNow, ServiceNever):
            return None
        return person

    async def members(self, group: str, *, fresh: float = FRESH, oldest: float = OLDEST) -> frozenset[str]:
        """User ids of a user group; empty when Slack does not know the group."""
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
        """The call under way for this key, or a new one. Its answer is cached even if nobody waits for it any more."""
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
            log.error("Slack denies what authority depends on", reason=str(denied.reason))

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
            # The workspaces of an organization that the user is a member of; none outside of an Enterprise Grid.
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
            # Read with a call of its own where the list leaves them out.
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
    """Of the app that the token belongs to; empty when Slack did not say."""
    scopes: frozenset[str]
    """Granted to the bot token; empty when Slack did not say."""


async def who_we_are(client: AsyncWebClient) -> BotIdentity:
    """Ask Slack. ``OperatorError``: the token belongs to no single workspace."""
    headers: dict[str, str] = {}

    async def ask() -> object:
        response = await client.auth_test()
        headers.update({key.lower(): value for key, value in (response.headers or {}).items()})
        return response

    answer = await call(ask())
    team_id, enterprise_id = str(answer.get("team_id") or ""), answer.get("enterprise_id")
    if answer.get("is_enterprise_install") or not team_id or team_id == enterprise_id:
        # Requests carry the id of a workspace, never that of an organization: all of them would be refused.
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
            log.warning("Slack did not say which app we are", reason=str(denied))
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
    """The user ids behind the names of a list of the policy, groups taken apart."""
    users = {name for name in names if not name.startswith("S") and name != "*"}
    for group in names:
        if group.startswith("S"):
            users |= await people.members(group, fresh=fresh)
    return sorted(users)
