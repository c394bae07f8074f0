"""The rules of docs/words.md that a program can check, over every sentence that people see."""

import re
from collections.abc import Iterable

import pytest

from bot.domain.reasons import Reason
from bot.presentation.reasons import worded
from tests.presentation.sampled import FACTS
from tests.words.said import SLOT, Said, everything

MOST_WORDS = 21
"""Words of a sentence. The rule is twelve; one that names a menu of Excel or a line of a file may take more."""
MOST_OVER_TWELVE = 0.04
"""Share of the sentences that are longer than the rule."""
INSTEAD = {
    r"\bask(s|ed|ing)? for\b|\basked by\b": "request, requested by",
    r"\bunder way\b": "in progress",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\btaken away\b": "removed",
    r"\bsomebody\b": "someone on your team, or who it is",
    r"\bnobody\b": "what is missing",
    r"\bthe services?('s)?\b": "the provider, or its name",
    r"\b(payments|delivery|localization|e-mail|e-mail processing) service\b": "its name: Payments, Delivery, …",
    r"\b(says|said) (that|now|what|this)\b": "what is so",
    r"\bobserved\b|\baccounted for\b|\bis known here\b|\bwhat becomes of\b|\bof that name\b": "what to do",
    r"\byou gave\b": "the word itself, then what is right",
    r"\bthe operator\b": "an admin",
    r"\bof the policy\b|\bthe policy names\b": "approvers, admins",
    r"\bpending in escrow\b": "waiting for sign-up",
    r"\b(cannot|(does|do|is|did|has|are|was) not)\b": "can't, doesn't, …",
    r"\bflow again\b|\bvoices?\b": "unfroze, voted",
    r"\bgoes on\b|\bwhat waited\b|\banew\b|\btaken? in\b|\b(is|are) another one\b": "continue, resume, is different",
    r"\binvalid\b|\bplease\b.*\bplease\b": "what is right",
}
DETAILS = re.compile(r"^(audit|unread|overview|notices)\.py|· details|· history|^payments/operations\.py|· WORD_OF")
"""Where codes and the names of settings belong: what admins read, and what stands behind *Details*."""
ENUM = re.compile(r"\b(?!SLACK_|PAYMENTS_|DELIVERY_|EMAIL_|LOCALIZATION_|SERVICES_|PUBLIC_|POLICY_)[A-Z]{2,}_[A-Z_]+\b")
CODE = re.compile(r"\bHTTP\b|\b[45]\d\d\b(?! (MB|characters))|\banswer(ed)? \{|\bJSON\b(?! file)")
READ_ONLY_IN_DETAILS = "reasons.py · WORDS"
"""The whole of a reason, with what a service answered: people read the short one beside it."""


def broken(pattern: re.Pattern[str], said: Iterable[Said]) -> list[str]:
    return [f"{one.where}: {one.text}" for one in said if pattern.search(one.text)]


@pytest.mark.parametrize("rule", INSTEAD)
def test_one_dictionary(rule: str) -> None:
    assert not broken(re.compile(rule, re.IGNORECASE), everything()), f"say {INSTEAD[rule]}"


def test_no_enum_and_no_code() -> None:
    said = [one for one in everything() if not DETAILS.search(one.where) and READ_ONLY_IN_DETAILS not in one.where]
    assert not broken(ENUM, said)
    assert not broken(CODE, said)
    for code, facts in FACTS.items():
        short = worded(Reason(code, **facts), brief=True)
        assert not re.search(r"\b[45]\d\d\b", short), short


def test_sentences_are_short() -> None:
    counted = [(len(part.split()), one.where, part) for one in everything() for part in one.sentences]
    assert not [found for found in counted if found[0] > MOST_WORDS]
    long = [found for found in counted if found[0] > 12]
    assert len(long) <= MOST_OVER_TWELVE * len(counted), sorted(long, reverse=True)


def test_printed_sentences_match_the_product() -> None:
    """The walk finds a sentence in each kind of place: a constant, a table, a function, a rule of an argument."""
    found = {one.where: one.text for one in everything()}
    assert len(everything()) > 1_000
    assert found["answers.py · REFUSED · No.OWN_REQUEST"] == "You can't approve your own request."
    assert any(where.startswith("notices.py · NOTICES · frozen") and SLOT in text for where, text in found.items())
    assert any("handlers/" in where and "summary" not in where for where in found)
    assert any("bot/domain/" in where for where in found)
