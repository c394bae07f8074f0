"""Authority is read, not remembered: how old an answer may be, and that nobody counts on a guess."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.errors import ServiceNow
from bot.domain.reasons import Exchange, Reason
from bot.slack import people as looked_up
from bot.slack.pace import Pace, PacedClient
from bot.slack.people import Directory
from tests.slack.conftest import Api
from tests.support.clock import ManualClock
from tests.support.fixtures import Patch
from tests.support.troubles import says

FRESH = 5.0
OLDEST = 60.0
GROUPS = ["S0FINANCE", "S0TREASURY"]
PATIENT = 30.0
"""Seconds: much longer than the local server takes on a busy machine."""


@pytest.fixture
def people(api: Api, web_client: AsyncWebClient, clock: ManualClock) -> Directory:
    say_user(api)
    say_groups(api, {"S0TREASURY": ["U0ADA", "U0LIN"], "S0FINANCE": []})
    return Directory(client=web_client, groups=GROUPS, monotonic=clock.boottime, timeout=PATIENT)


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


async def nobody_counts(people: Directory, words: str = "") -> None:
    with pytest.raises(ServiceNow, check=says(words)):
        await people.standing("U0ADA")


async def test_a_person_and_the_policys_groups_they_are_in(people: Directory) -> None:
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
async def test_what_slack_says_is_taken_over(api: Api, people: Directory, fields: dict[str, Any], flag: str) -> None:
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


async def test_after_them_it_is_asked_again_and_believed(api: Api, people: Directory, clock: ManualClock) -> None:
    await people.standing("U0ADA")
    say_groups(api, {"S0TREASURY": [], "S0FINANCE": []})
    clock.advance(FRESH + 0.1)
    assert (await people.standing("U0ADA")).groups == frozenset()


async def test_several_people_share_the_groups(api: Api, people: Directory) -> None:
    found = await people.standings(["U0ADA", "U0LIN", "U0ADA"])
    assert set(found) == {"U0ADA", "U0LIN"}
    assert api.asked("users.info") == 2
    assert api.asked("usergroups.list") == 1


@pytest.mark.parametrize("age", [FRESH + 1, OLDEST - 1])
async def test_in_silence_the_last_minute_stands_in(
    api: Api, people: Directory, clock: ManualClock, age: float
) -> None:
    before = await people.standing("U0ADA")
    fail(api)
    clock.advance(age)
    assert await people.standing("U0ADA") == before


@pytest.mark.parametrize("times", [1, 3])
async def test_when_slack_asks_us_to_wait_a_moment_it_is_asked_again(api: Api, people: Directory, times: int) -> None:
    kind = api.answers["users.info"]

    def refuse(_: dict[str, Any]) -> web.Response:
        if api.asked("users.info") >= times:
            api.answers["users.info"] = kind
        return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers={"Retry-After": "0.01"})

    api.answers["users.info"] = refuse
    assert (await people.standing("U0ADA")).groups == {"S0TREASURY"}
    assert api.asked("users.info") == times + 1


async def test_the_person_and_the_groups_are_asked_for_side_by_side(api: Api, people: Directory) -> None:
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


async def test_while_we_have_to_wait_the_last_minute_stands_in(api: Api, people: Directory, clock: ManualClock) -> None:
    """An ack has no time to wait, and nothing is gained by it."""
    before = await people.standing("U0ADA")
    for method in ("users.info", "usergroups.list"):
        api.busy(method, "0.1")
    clock.advance(FRESH + 1)
    assert await people.standing("U0ADA") == before
    assert (api.asked("users.info"), api.asked("usergroups.list")) == (2, 2)


async def test_a_wait_that_an_ack_has_no_time_for_is_not_begun(api: Api, people: Directory) -> None:
    api.busy("usergroups.list")
    await nobody_counts(people, "couldn't say who you are")
    assert api.asked("usergroups.list") == 1


@pytest.mark.parametrize(("seconds", "begun"), [(1.99, True), (2.0, False)])
async def test_a_wait_is_begun_where_it_ends_before_the_two_seconds_of_a_lookup(
    people: Directory, clock: ManualClock, monkeypatch: Patch, seconds: float, begun: bool
) -> None:
    slept: list[float] = []
    answers = [ServiceNow("Slack", Reason(Exchange.SLACK_WAIT), retry_after=seconds), None]

    async def sleep(so_long: float) -> None:
        slept.append(so_long)

    async def ask() -> str:
        if (busy := answers.pop(0)) is not None:
            raise busy
        return "Ada"

    loop = SimpleNamespace(time=clock.boottime)
    monkeypatch.setattr(looked_up, "asyncio", SimpleNamespace(get_running_loop=lambda: loop, sleep=sleep))
    if begun:
        assert (await people._patiently(ask), slept) == ("Ada", [seconds])
    else:
        with pytest.raises(ServiceNow, check=says("asked us to wait")):
            await people._patiently(ask)
        assert slept == []


async def test_within_a_known_wait_what_is_known_stands_in(api: Api, people: Directory, clock: ManualClock) -> None:
    pace = Pace(monotonic=clock.boottime)
    people._client = PacedClient(pace=pace, token="xoxb-1", base_url=api.url, session=people._client.session)
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


async def test_a_single_group_is_asked_for_alone(api: Api, web_client: AsyncWebClient, clock: ManualClock) -> None:
    say_user(api)
    say_groups(api, {"S0TREASURY": ["U0ADA"]})
    people = Directory(client=web_client, groups=["S0TREASURY"], monotonic=clock.boottime, timeout=PATIENT)
    assert (await people.standing("U0ADA")).groups == {"S0TREASURY"}
    assert await people.members("S0TREASURY") == {"U0ADA"}
    assert (api.asked("usergroups.users.list"), api.asked("usergroups.list")) == (1, 0)


async def test_without_groups_none_is_asked_for(api: Api, web_client: AsyncWebClient, clock: ManualClock) -> None:
    say_user(api)
    people = Directory(client=web_client, groups=[], monotonic=clock.boottime, timeout=PATIENT)
    assert (await people.standing("U0ADA")).read_at == clock.boottime()
    assert [method for method, _ in api.calls] == ["users.info"]


async def test_a_group_of_which_the_list_names_no_members_is_asked_for_alone(api: Api, people: Directory) -> None:
    api.say("usergroups.list", {"ok": True, "usergroups": [{"id": "S0TREASURY"}, {"id": "S0FINANCE", "users": []}]})
    api.say("usergroups.users.list", {"ok": True, "users": ["U0ADA"]})
    assert (await people.standing("U0ADA")).groups == {"S0TREASURY"}
    assert api.asked("usergroups.users.list") == 1


@pytest.mark.parametrize("silent", [(), ("usergroups.list",)])
async def test_without_any_answer_nobody_counts(api: Api, people: Directory, silent: tuple[str, ...]) -> None:
    """Knowing the person is not knowing the groups."""
    fail(api, *silent)
    await nobody_counts(people, "couldn't say who you are")


def hold(api: Api, method: str) -> asyncio.Event:
    gate, answer = asyncio.Event(), api.answers[method]

    async def late(arguments: dict[str, Any]) -> web.StreamResponse:
        await gate.wait()
        found = answer(arguments)
        assert isinstance(found, web.StreamResponse)
        return found

    api.answers[method] = late
    return gate


async def until_known(people: Directory, user: str) -> None:
    await asyncio.gather(*people._asking.values())
    assert people._held(user, FRESH)


@pytest.fixture
def hurried(api: Api, web_client: AsyncWebClient, clock: ManualClock) -> Directory:
    """Callers that wait for Slack for a moment, and patient ones for as long as it takes."""
    say_user(api)
    say_groups(api, {"S0TREASURY": ["U0ADA"], "S0FINANCE": []})
    return Directory(client=web_client, groups=GROUPS, monotonic=clock.boottime, timeout=0.05, patience=PATIENT)


@pytest.mark.parametrize("slow", ["users.info", "usergroups.list"])
async def test_an_answer_that_comes_too_late_is_known_the_next_time(api: Api, hurried: Directory, slow: str) -> None:
    gate = hold(api, slow)
    for _ in range(2):
        with pytest.raises(ServiceNow, check=says("couldn't say who you are")):
            await hurried.standing("U0ADA")
    gate.set()
    await until_known(hurried, "U0ADA")
    assert (await hurried.standing("U0ADA")).groups == {"S0TREASURY"}
    assert api.asked(slow) == 1, "everybody waits for the same call"


@pytest.mark.parametrize("age", [30.0, 59.0])
async def test_while_slack_is_slow_an_answer_of_the_last_minute_stands_in_at_a_click(
    api: Api, hurried: Directory, clock: ManualClock, age: float
) -> None:
    await hurried.standing("U0ADA", patient=True)
    gate = hold(api, "usergroups.list")
    clock.advance(age)
    assert (await hurried.standing("U0ADA")).groups == {"S0TREASURY"}
    clock.advance(60.1 - age)
    await nobody_counts(hurried)
    gate.set()


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


async def test_who_is_expected_is_known_when_they_are_needed(api: Api, hurried: Directory) -> None:
    gate = hold(api, "users.info")
    hurried.expect(["U0ADA", "U0LIN"])
    hurried.expect(["U0LIN"])
    gate.set()
    await hurried.standings(["U0ADA", "U0LIN"], patient=True)
    assert api.asked("users.info") == 2


async def test_what_nobody_waits_for_ends_with_the_process(api: Api, hurried: Directory) -> None:
    hold(api, "users.info")
    await nobody_counts(hurried)
    await hurried.close()
    assert not hurried._asking


@pytest.mark.parametrize("error", ["user_not_found", "user_not_visible"])
async def test_somebody_slack_does_not_know_is_nobody(api: Api, people: Directory, error: str) -> None:
    api.say("users.info", {"ok": False, "error": error})
    assert (await people.standing("U0ADA")).person is None


@pytest.mark.parametrize("error", ["no_such_subteam", "subteam_not_found", "invalid_usergroup"])
async def test_an_unknown_group_is_empty(api: Api, web_client: AsyncWebClient, clock: ManualClock, error: str) -> None:
    say_user(api)
    api.say("usergroups.users.list", {"ok": False, "error": error})
    people = Directory(client=web_client, groups=["S0TREASURY"], monotonic=clock.boottime, timeout=PATIENT)
    assert (await people.standing("U0ADA")).groups == frozenset()


async def test_a_group_that_is_not_in_the_list_is_empty(api: Api, people: Directory) -> None:
    say_groups(api, {"S0ELSE": ["U0ADA"]})
    assert (await people.standing("U0ADA")).groups == frozenset()


@pytest.mark.parametrize("error", ["missing_scope", "invalid_auth", "account_inactive"])
@pytest.mark.parametrize("method", ["users.info", "usergroups.list"])
async def test_when_we_may_not_ask_nobody_counts(api: Api, people: Directory, method: str, error: str) -> None:
    api.say(method, {"ok": False, "error": error})
    await nobody_counts(people)


async def test_what_was_known_does_not_stand_in_for_a_refusal(api: Api, people: Directory, clock: ManualClock) -> None:
    """A token that was revoked is an answer: nobody counts from then on."""
    await people.standing("U0ADA")
    api.say("users.info", {"ok": False, "error": "token_revoked"})
    clock.advance(FRESH + 1)
    with pytest.raises(ServiceNow):
        await people.standing("U0ADA", oldest=0)


async def test_what_is_known_is_told_at_once(people: Directory, clock: ManualClock) -> None:
    known = await people.standing("U0ADA")
    clock.advance(FRESH)
    for asked, answer in ((people.standing("U0ADA"), known), (people.standings(["U0ADA"]), {"U0ADA": known})):
        with pytest.raises(StopIteration) as told:
            asked.send(None)  # it waits for nothing, not even for its turn
        assert told.value.value == answer


async def test_of_several_people_only_strangers_are_asked_for(people: Directory, api: Api, clock: ManualClock) -> None:
    known = await people.standing("U0ADA")
    clock.advance(FRESH / 2)
    both = await people.standings(["U0LIN", "U0ADA"])
    assert both["U0ADA"] == known
    assert [what["user"] for name, what in api.calls if name == "users.info"] == ["U0ADA", "U0LIN"]


async def test_few_calls_go_to_people_not_known(api: Api, web_client: AsyncWebClient, clock: ManualClock) -> None:
    """After a 429 we call once a second for a minute; people who are known already do not use that call."""
    say_user(api)
    pace = Pace(monotonic=clock.boottime)
    client = PacedClient(pace=pace, token="xoxb-1", base_url=api.url, session=web_client.session)
    people = Directory(client=client, groups=[], monotonic=clock.boottime, timeout=PATIENT, is_slowed=pace.is_slowed)
    before = await people.standing("U0ADA")
    pace.refused("users.info", "", retry_after=1.0)
    clock.advance(FRESH + 1)
    assert await people.standing("U0ADA") == before
    assert (await people.standing("U0LIN")).person is not None
    assert api.asked("users.info") == 2
    clock.advance(OLDEST)
    pace.refused("users.info", "", retry_after=0.0)
    assert await people.standing("U0ADA") != before, "nor do they stay what they were"
