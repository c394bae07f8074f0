"""Who may do what at a moment, by the workspace and the policy file alone: none of the bot's own judgement."""

import re
import tomllib
from dataclasses import dataclass, field

from bot.playground.workspace import Workspace
from tests.support.rig import POLICY

STRICT = POLICY.replace("quorum = 1\n", "quorum = 2\n", 1)
SOFT = POLICY.partition("[[approval.rule]]")[0]
NARROW = POLICY.replace('["S0TREASURY"]', '["U0LIN", "U0ADA"]')
POLICIES = {"usual": POLICY, "strict": STRICT, "soft": SOFT, "narrow": NARROW}
"""Policy files a process may be started with."""

_REMEMBERED = 60.0
"""Seconds for which Slack's word on who somebody is may be used."""


@dataclass(frozen=True)
class Law:
    text: str

    @property
    def _table(self) -> dict[str, dict[str, object]]:
        return tomllib.loads(self.text)

    @property
    def approvers(self) -> frozenset[str]:
        return frozenset(re.findall(r'"(\w+)"', re.findall(r"approvers = \[(.*)\]", self.text)[0]))

    def quorum(self, cents: int) -> int:
        approval = self._table["approval"]
        quorum = approval["quorum"]
        assert isinstance(quorum, int)
        return max([quorum, *(rule["quorum"] for rule in self._rules(cents))])

    def wants_it_typed(self, cents: int) -> bool:
        return any(rule["typed_amount"] for rule in self._rules(cents))

    @property
    def daily_cents(self) -> int:
        return _cents(str(self._table["approval"]["daily_limit"]))

    def _rules(self, cents: int) -> list[dict[str, int]]:
        rules = self._table["approval"].get("rule", [])
        assert isinstance(rules, list)
        return [rule for rule in rules if cents > _cents(rule["over"])]


@dataclass(slots=True)
class Register:
    """Who was what since when."""

    workspace: Workspace
    moments: list[tuple[float, frozenset[str]]] = field(default_factory=list)
    """From each moment on: ids of full members, and ``group:user`` for those in a group."""

    def note(self, now: float) -> None:
        home = self.workspace.identity.team_id
        full = {
            user.id
            for user in self.workspace.users.values()
            if user.team_id == home and not (user.deleted or user.bot or user.restricted or user.ultra_restricted)
        }
        memberships = {f"{group.id}:{user}" for group in self.workspace.groups.values() for user in group.users}
        self.moments.append((now, frozenset(full | memberships)))

    def approvers(self, law: Law, now: float) -> frozenset[str]:
        ends = [at for at, _ in self.moments[1:]] + [float("inf")]
        return frozenset(
            user
            for (_, known), end in zip(self.moments, ends, strict=True)
            if end >= now - _REMEMBERED
            for user in known
            if ":" not in user and (user in law.approvers or any(f"{name}:{user}" in known for name in law.approvers))
        )


def _cents(amount: str) -> int:
    whole, _, rest = amount.partition(".")
    return int(whole) * 100 + int(rest)
