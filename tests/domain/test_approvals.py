from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.approvals import (
    Count,
    Membership,
    No,
    Person,
    Role,
    Void,
    counting,
    facts_of,
    full_member,
    listed,
    may_decide,
    may_request,
)
from bot.domain.payments.instruction import Vote
from bot.domain.policy import Facts, People, Requirement
from tests.domain.made import NOW, bulk, instruction, vote

HOME = "T0HOME"
PEOPLE = People(requesters=("S0FINANCE",), approvers=("S0TREASURY", "U0LIN"), admins=("U0OLGA",))


def person(user: str = "U0ADA", **changes: Any) -> Person:
    return Person(**{"id": user, "team_id": HOME, **changes})


def approver(user: str = "U0ADA", **changes: Any) -> Membership:
    return Membership(person(user, **changes), frozenset({"S0TREASURY"}))


FLAWS = [
    ({"team_id": "T0OTHER"}, No.ELSEWHERE), ({"team_id": ""}, No.ELSEWHERE), ({"stranger": True}, No.ELSEWHERE),
    ({"team_id": "", "teams": frozenset({"T0OTHER"})}, No.ELSEWHERE),
    ({"team_id": "", "teams": frozenset({HOME}), "stranger": True}, No.ELSEWHERE),
    ({"team_id": "", "teams": frozenset({HOME}), "guest": True}, No.GUEST), ({"deleted": True}, No.GONE),
    ({"bot": True}, No.BOT), ({"guest": True}, No.GUEST),
]  # fmt: skip


@pytest.mark.parametrize(("flaw", "no"), FLAWS)
def test_only_full_members_of_the_workspace_count(flaw: dict[str, Any], no: No) -> None:
    assert full_member(person(**flaw), home=HOME) is no
    assert may_decide(approver(**flaw), requester="U0MARIA", people=PEOPLE, home=HOME) is no
    assert may_request(Membership(person(**flaw), frozenset({"S0FINANCE"})), people=PEOPLE, home=HOME) is no


@pytest.mark.parametrize("team_id", ["", "T0OTHER", "E0ORG"])
def test_enterprise_grid_members_count_in_each_workspace(team_id: str) -> None:
    ada = approver(team_id=team_id, teams=frozenset({"T0OTHER", HOME}))
    assert may_decide(ada, requester="U0MARIA", people=PEOPLE, home=HOME) is None


def test_unknown_slack_users_have_no_role() -> None:
    nobody = Membership(None, frozenset({"S0TREASURY", "S0FINANCE"}))
    assert may_decide(nobody, requester="U0MARIA", people=PEOPLE, home=HOME) is No.UNKNOWN
    assert may_request(nobody, people=PEOPLE, home=HOME) is No.UNKNOWN
    assert not any(listed(role, nobody, PEOPLE) for role in Role)


BOTH = Membership(person("U0TOM"), frozenset({"S0FINANCE", "S0TREASURY"}))


@pytest.mark.parametrize(("membership", "requester", "no"), [
    (approver(), "U0MARIA", None), (Membership(person("U0LIN")), "U0MARIA", None),
    (Membership(person()), "U0MARIA", No.NOT_APPROVER), (BOTH, "U0TOM", No.OWN_REQUEST), (BOTH, "U0MARIA", None),
    (Membership(person("U0OLGA")), "U0MARIA", No.NOT_APPROVER),
], ids=["by group", "by id", "not listed", "the requester, listed twice", "another's", "an admin"])  # fmt: skip
def test_listed_people_have_the_role(membership: Membership, requester: str, no: No | None) -> None:
    assert may_decide(membership, requester=requester, people=PEOPLE, home=HOME) is no
    assert listed(Role.ADMIN, membership, PEOPLE) is (membership.person == person("U0OLGA"))


def test_star_allows_all_full_members_and_empty_list_nobody() -> None:
    everybody, nobody = People(requesters=("*",)), People()
    assert may_request(Membership(person("U0ZOE")), people=everybody, home=HOME) is None
    assert may_request(Membership(person("U0GUS", guest=True)), people=everybody, home=HOME) is No.GUEST
    assert may_request(Membership(person(), frozenset({"S0FINANCE"})), people=nobody, home=HOME) is No.NOT_REQUESTER
    assert may_decide(approver(), requester="U0MARIA", people=nobody, home=HOME) is No.NOT_APPROVER


def counted(*votes: Vote, standings: dict[str, Membership], **changes: Any) -> Count:
    asked = instruction(**changes)
    return counting(votes, instruction=asked, standings=standings, people=PEOPLE, home=HOME, since=NOW)


TYPED = {"requirement": Requirement(quorum=2, typed_amount=True)}


@pytest.mark.parametrize(("votes", "changes", "void"), [
    ([vote("U0ADA", round=1), vote("U0LIN", round=2), vote("U0LIN", round=2)], {"round": 2}, {}),
    ([vote("U0ADA"), vote("U0LIN", typed=True)], TYPED, {"U0ADA": Void.UNTYPED}),
    ([vote("U0ADA", at=(NOW - timedelta(seconds=1))), vote("U0LIN", at=NOW)], {}, {"U0ADA": Void.TOO_OLD}),
    ([vote("U0GUS"), vote("U0EVE"), vote("U0LIN")], {}, {"U0GUS": No.GONE, "U0EVE": No.UNKNOWN}),
], ids=[
    "the present round, each person once", "the amount was not typed", "too old", "who is gone or was not read",
])  # fmt: skip
def test_votes_count_or_say_why_not(votes: list[Vote], changes: dict[str, Any], void: dict[str, No | Void]) -> None:
    standings = {"U0ADA": approver(), "U0LIN": approver("U0LIN"), "U0GUS": approver("U0GUS", deleted=True)}
    assert counted(*votes, standings=standings, **changes) == Count(frozenset({"U0LIN"}), void)


@pytest.mark.parametrize(("new", "fresh"), [(0, []), (2, [Facts(cents=9_000, new_recipient=True, sent_today=7)])])
def test_bulk_rules_use_sum_largest_and_new_recipients(new: int, fresh: list[Facts]) -> None:
    payload = bulk().payload.model_copy(update={"new_count": new})
    together = Facts(cents=125_000, new_recipient=new > 0, sent_today=7)
    largest = Facts(cents=90_000, sent_today=7)
    assert facts_of(payload, sent_today=7, new_recipient=False) == (together, largest, *fresh)


@given(
    st.lists(st.sampled_from(["U0ADA", "U0LIN", "U0MARIA", "U0GUS", "U0EVE"]), max_size=8),
    st.sets(st.sampled_from(["U0ADA", "U0LIN", "U0MARIA", "U0GUS", "U0EVE"])),
)
def test_only_eligible_voters_besides_the_requester_count(voters: list[str], in_group: set[str]) -> None:
    flawed: dict[str, dict[str, Any]] = {"U0GUS": {"guest": True}, "U0EVE": {"team_id": "T0OTHER"}}
    standings = {
        user: Membership(person(user, **flawed.get(user, {})), frozenset({"S0TREASURY"} if user in in_group else ()))
        for user in {*voters, *in_group}
    }
    found = counted(*(vote(user) for user in voters), standings=standings, requester="U0MARIA").counted
    listed_by_id = {"U0LIN"}
    assert found == (set(voters) & (in_group | listed_by_id)) - {"U0MARIA", "U0GUS", "U0EVE"}
