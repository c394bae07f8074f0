"""Authority is read, not remembered: how old an answer may be, and that nobody counts on a guess."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import ClientSession, web
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.errors import ServiceNow
from bot.slack.pace import Pace, PacedClient
from bot.slack.people import Directory
from tests.slack.conftest import Api
from tests.support.clock import ManualClock
from tests.support.troubles import says

FRESH = 5.0
OLDEST = 60.0
GROUPS = ["S0FINANCE", "S0TREASURY"]
PATIENT = 30.0
"""Seconds: much longer than the local server takes on a busy machine."""


Make = Callable[..., Directory]


@pytest.fixture
def make(api: Api, web_client: AsyncWebClient, clock: ManualClock) -> Make:
    say_user(api)
    given = {"client": web_client, "groups": GROUPS, "monotonic": clock.boottime, "timeout": PATIENT}
    return lambda **more: Directory(**{**given, **more})


@pytest.fixture
def people(api: Api, make: Make) -> Directory:
    say_groups(api, {"S0TREASURY": ["U0ADA", "U0LIN"], "S0FINANCE": []})
    return make()


@pytest.fixture
def hurried(api: Api, make: Make) -> Directory:
    """Callers that wait for Slack for a moment, and patient ones for as long as it takes."""
    say_groups(api, {"S0TREASURY": ["U0ADA"], "S0FINANCE": []})
    return make(timeout=0.05, patience=PATIENT)


def say_user(api: Api, **fields: Any) -> None:
    api.say("users.info", {"ok": True, "user": {"id": "U0ADA", "team_id": "T0HOME", "name": "ada", **fields}})


def say_groups(api: Api, groups: dict[str, list[str]]) -> None:
    told = [{"id": group, "user_count": len(users), "users": users} for group, users in groups.items()]
    api.say("usergroups.list", {"ok": True, "usergroups": told})
    for users in groups.values():
        api.say("usergroups.users.list", {"ok": True, "users": users})


def fail(api: Api, *methods: str) -> None:
    for method in methods or ("users.info", "usergroups.list"):
        api.say(method, "down", status=503)


def hold(api: Api, method: str) -> asyncio.Event:
    gate, answer = asyncio.Event(), api.answers[method]

    async def late(arguments: dict[str, Any]) -> web.StreamResponse:
        await gate.wait()
        found = answer(arguments)
        assert isinstance(found, web.StreamResponse)
        return found

    api.answers[method] = late
    return gate


async def nobody_counts(people: Directory, words: str = "") -> None:
    with pytest.raises(ServiceNow, check=says(words)):
        await people.standing("U0ADA")


async def test_lookup_returns_the_person_and_their_groups(people: Directory) -> None:
    standing = await people.standing("U0ADA")
    assert standing.person is not None
    assert (standing.person.id, standing.person.team_id, standing.person.name) == ("U0ADA", "T0HOME", "ada")
    assert standing.groups == {"S0TREASURY"}


@pytest.mark.parametrize(
    ("fields", "flag"),
    [
        ({"deleted": True}, "deleted"),
        ({"is_bot": True}, "bot"),
        ({"is_restricted": True}, "guest"),
        ({"is_ultra_restricted": True}, "guest"),
        ({"is_stranger": True}, "stranger"),
        ({"id": "USLACKBOT"}, "bot"),
    ],
)
async def test_user_details_of_slack_are_used(api: Api, people: Directory, fields: dict[str, Any], flag: str) -> None:
    """Slackbot is a bot though Slack does not say so."""
    say_user(api, **fields)
    person = (await people.standing(fields.get("id", "U0ADA"))).person
    assert person is not None
    assert [name for name in ("deleted", "bot", "guest", "stranger") if getattr(person, name)] == [flag]


@pytest.mark.parametrize("user", [{}, {"team_id": None}, {"profile": None}, {"name": None}])
async def test_a_record_with_holes_belongs_to_no_workspace(api: Api, people: Directory, user: dict[str, Any]) -> None:
    api.say("users.info", {"ok": True, "user": user})
    person = (await people.standing("U0ADA")).person
    assert person is not None
    assert person.team_id != "T0HOME"


@pytest.mark.parametrize("trouble", ["silent", "asks to wait", "slow"])
async def test_answer_of_the_last_minute_is_reused(
    api: Api, hurried: Directory, clock: ManualClock, trouble: str
) -> None:
    """An ack has no time to wait; after the minute nobody counts."""
    before = await hurried.standing("U0ADA", patient=True)
    match trouble:
        case "silent":
            fail(api)
        case "asks to wait":
            api.busy("users.info", "0.1")
            api.busy("usergroups.list", "0.1")
        case "slow":
            hold(api, "usergroups.list")
    for age in (FRESH + 1, OLDEST - FRESH - 2):
        clock.advance(age)
        assert await hurried.standing("U0ADA") == before
    clock.advance(1.1)
    await nobody_counts(hurried)


@pytest.mark.parametrize("times", [1, 3])
async def test_short_rate_limit_is_retried(api: Api, people: Directory, times: int) -> None:
    kind = api.answers["users.info"]

    def refuse(_: dict[str, Any]) -> web.Response:
        if api.asked("users.info") >= times:
            api.answers["users.info"] = kind
        return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers={"Retry-After": "0.01"})

    api.answers["users.info"] = refuse
    assert (await people.standing("U0ADA")).groups == {"S0TREASURY"}
    assert api.asked("users.info") == times + 1


async def test_person_and_groups_are_read_concurrently(api: Api, people: Directory) -> None:
    """A slow Slack is waited for once, not once for each question."""
    asked = asyncio.Event()
    person, groups = api.answers["users.info"], api.answers["usergroups.list"]

    async def after_the_groups(arguments: dict[str, Any]) -> web.StreamResponse:
        await asked.wait()
        answer = person(arguments)
        assert isinstance(answer, web.StreamResponse)
        return answer

    def note(arguments: dict[str, Any]) -> Any:
        asked.set()
        return groups(arguments)

    api.answers["users.info"] = after_the_groups
    api.answers["usergroups.list"] = note
    assert (await people.standing("U0ADA")).groups == {"S0TREASURY"}


@pytest.mark.parametrize("seconds", ["2", "30"])
async def test_a_wait_of_two_seconds_is_not_begun(api: Api, people: Directory, seconds: str) -> None:
    api.busy("usergroups.list", seconds)
    await nobody_counts(people, "couldn't say who you are")
    assert api.asked("usergroups.list") == 1


async def test_cached_people_are_used_during_a_rate_limit(
    api: Api, session: ClientSession, make: Make, clock: ManualClock
) -> None:
    pace = Pace(monotonic=clock.boottime)
    people = make(client=PacedClient(pace=pace, token="xoxb-1", base_url=api.url, session=session))
    say_groups(api, {"S0TREASURY": ["U0ADA"], "S0FINANCE": []})
    before = await people.standing("U0ADA")
    api.busy("usergroups.list", "40")
    clock.advance(FRESH + 1)
    for _ in range(5):
        assert (await people.standing("U0ADA")).groups == before.groups
        clock.advance(FRESH + 1)
    assert api.asked("usergroups.list") == 2
    clock.advance(OLDEST)
    say_groups(api, {"S0TREASURY": [], "S0FINANCE": []})
    assert (await people.standing("U0ADA")).groups == frozenset()


Body = dict[str, Any] | None
NO_MEMBERS = {"ok": True, "usergroups": [{"id": "S0TREASURY"}, {"id": "S0FINANCE", "users": []}]}
OTHERS = {"ok": True, "usergroups": [{"id": "S0ELSE", "users": ["U0ADA"]}]}
MEMBERS = {"ok": True, "users": ["U0ADA"]}


@pytest.mark.parametrize(("groups", "listed", "members", "found", "asked"), [
    ([], None, None, set(), (0, 0)), (["S0TREASURY"], None, MEMBERS, {"S0TREASURY"}, (0, 1)),
    (GROUPS, NO_MEMBERS, MEMBERS, {"S0TREASURY"}, (1, 1)), (GROUPS, OTHERS, None, set(), (1, 0)),
    *[(["S0TREASURY"], None, {"ok": False, "error": error}, set(), (0, 1))
      for error in ("no_such_subteam", "subteam_not_found", "invalid_usergroup")],
])  # fmt: skip
async def test_only_policy_groups_are_read_and_unknown_ones_are_empty(
    api: Api, make: Make, groups: list[str], listed: Body, members: Body, found: set[str], asked: tuple[int, int]
) -> None:
    for method, answer in (("usergroups.list", listed), ("usergroups.users.list", members)):
        if answer is not None:
            api.say(method, answer)
    people = make(groups=groups)
    assert (await people.standing("U0ADA")).groups == found
    assert [await people.members(group) for group in found] == [{"U0ADA"}] * len(found)
    assert (api.asked("usergroups.list"), api.asked("usergroups.users.list")) == asked


@pytest.mark.parametrize("silent", [(), ("usergroups.list",)])
async def test_without_an_answer_nobody_has_a_role(api: Api, people: Directory, silent: tuple[str, ...]) -> None:
    """Knowing the person is not knowing the groups."""
    fail(api, *silent)
    await nobody_counts(people, "couldn't say who you are")


@pytest.mark.parametrize("slow", ["users.info", "usergroups.list"])
async def test_late_lookup_serves_everybody_who_asked(api: Api, hurried: Directory, slow: str) -> None:
    gate = hold(api, slow)
    for _ in range(2):
        with pytest.raises(ServiceNow, check=says("couldn't say who you are")):
            await hurried.standing("U0ADA")
    gate.set()
    await asyncio.gather(*hurried._asking.values())
    assert (await hurried.standing("U0ADA")).groups == {"S0TREASURY"}
    assert api.asked(slow) == 1, "everybody waits for the same call"


async def test_a_patient_caller_waits_for_the_new_answer(api: Api, hurried: Directory, clock: ManualClock) -> None:
    """What a click is content with says nothing of who has been removed since."""
    await hurried.standing("U0ADA", patient=True)
    say_groups(api, {"S0TREASURY": [], "S0FINANCE": []})
    gate = hold(api, "usergroups.list")
    clock.advance(5.1)
    one = asyncio.create_task(hurried.standing("U0ADA", patient=True))
    several = asyncio.create_task(hurried.standings(["U0ADA"], patient=True))
    assert (await hurried.standing("U0ADA")).groups == {"S0TREASURY"}
    assert (one.done(), several.done()) == (False, False)
    gate.set()
    assert (await one).groups == (await several)["U0ADA"].groups == frozenset()


async def test_expected_people_are_looked_up_once(api: Api, hurried: Directory) -> None:
    gate = hold(api, "users.info")
    hurried.expect(["U0ADA", "U0LIN"])
    hurried.expect(["U0LIN"])
    gate.set()
    await hurried.standings(["U0ADA", "U0LIN"], patient=True)
    assert api.asked("users.info") == 2


async def test_abandoned_lookups_end_with_the_process(api: Api, hurried: Directory) -> None:
    hold(api, "users.info")
    await nobody_counts(hurried)
    await hurried.close()
    assert not hurried._asking


@pytest.mark.parametrize("error", ["user_not_found", "user_not_visible"])
async def test_unknown_person_has_no_role(api: Api, people: Directory, error: str) -> None:
    api.say("users.info", {"ok": False, "error": error})
    assert (await people.standing("U0ADA")).person is None


@pytest.mark.parametrize("error", ["missing_scope", "invalid_auth", "account_inactive"])
@pytest.mark.parametrize("method", ["users.info", "usergroups.list"])
async def test_denied_lookup_gives_nobody_a_role(api: Api, people: Directory, method: str, error: str) -> None:
    api.say(method, {"ok": False, "error": error})
    await nobody_counts(people)


async def test_cached_answer_does_not_replace_a_refusal(api: Api, people: Directory, clock: ManualClock) -> None:
    """A token that was revoked is an answer: nobody counts from then on."""
    await people.standing("U0ADA")
    api.say("users.info", {"ok": False, "error": "token_revoked"})
    clock.advance(FRESH + 1)
    with pytest.raises(ServiceNow):
        await people.standing("U0ADA", oldest=0)


async def test_only_unknown_people_are_looked_up(people: Directory, api: Api, clock: ManualClock) -> None:
    known = await people.standing("U0ADA")
    clock.advance(FRESH / 2)
    both = await people.standings(["U0LIN", "U0ADA", "U0LIN"])
    assert (set(both), both["U0ADA"]) == ({"U0ADA", "U0LIN"}, known)
    assert [what["user"] for name, what in api.calls if name == "users.info"] == ["U0ADA", "U0LIN"]
    assert api.asked("usergroups.list") == 1
    clock.advance(FRESH / 2)
    for asked, answer in ((people.standing("U0ADA"), known), (people.standings(["U0ADA"]), {"U0ADA": known})):
        with pytest.raises(StopIteration) as told:
            asked.send(None)  # it waits for nothing, not even for its turn
        assert told.value.value == answer


async def test_few_calls_go_to_people_not_known(
    api: Api, session: ClientSession, make: Make, clock: ManualClock
) -> None:
    """After a 429 we call once a second for a minute; people who are known already do not use that call."""
    pace = Pace(monotonic=clock.boottime)
    client = PacedClient(pace=pace, token="xoxb-1", base_url=api.url, session=session)
    people = make(client=client, groups=[], is_slowed=pace.is_slowed)
    before = await people.standing("U0ADA")
    pace.refused("users.info", "", retry_after=1.0)
    clock.advance(FRESH + 1)
    assert await people.standing("U0ADA") == before
    assert (await people.standing("U0LIN")).person is not None
    assert api.asked("users.info") == 2
    clock.advance(OLDEST)
    pace.refused("users.info", "", retry_after=0.0)
    assert await people.standing("U0ADA") != before, "nor do they stay what they were"
