"""The record of each kind says all that a request of this kind can need, and nothing else names a kind."""

import ast
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from bot.domain.payments.instruction import Instruction, Kind, State
from bot.domain.payments.moves import APPROVED
from bot.presentation.payments.kinds import KINDS
from bot.presentation.payments.wording import DECIDED, NEWS, News, Stands, Wording
from bot.workflows.requests.announce import TOLD
from tests.presentation.payments.moments import NAMES, facts_of, moments, reachable

PRESENTATION = Path(__file__).resolve().parents[3] / "bot" / "presentation"
RECORDS = {f"payments/{name}.py" for name in ("bulk", "kinds", "payouts", "purchases")}
"""Files that hold the records and the table of them."""
MOST_CHOICES = 5
"""Of a menu (Slack); two of them are the same for every kind."""
PAYLOADS = {"PayoutPayload", "PurchasePayload", "BulkPayload", "CancelPayload"}
FOLLOWED = {Kind.PAYOUT: {State.NEW}, Kind.ONE_STEP: {State.NEW}, Kind.BULK: {State.COMMITTED}}
"""Told besides what is told of every kind: an address without an account, and payments that are unaccounted for."""
every_kind = pytest.mark.parametrize("kind", list(Kind))


def told(kind: Kind) -> set[State]:
    return reachable(kind) & TOLD | FOLLOWED.get(kind, set())


def alike(kind: Kind) -> list[Kind]:
    """Kinds that people call the same, so that one says what the other does."""
    return [other for other in Kind if KINDS[other].noun == KINDS[kind].noun]


def in_each_state(kind: Kind) -> list[Instruction]:
    """A request of this kind in every state that it can be in, at the moments that there are."""
    found = list(moments(kind).values())
    left = reachable(kind) - {one.state for one in found}
    return found + [replace(found[0], state=state, decided_by="U0ADA") for state in left]


def test_every_kind_has_a_record_of_its_own() -> None:
    assert set(KINDS) == set(Kind)
    assert len({id(words) for words in KINDS.values()}) == len(Kind)


@every_kind
def test_every_state_that_the_arrows_lead_to_has_its_sentence(kind: Kind) -> None:
    words = KINDS[kind]
    assert reachable(kind) <= set(words.sentences)
    own = {state for state, said in words.sentences.items() if DECIDED.get(state) != said}
    assert own <= set.union(*map(reachable, alike(kind))), "a state that no arrow leads to"
    for one in in_each_state(kind):
        said = words.sentence(one, votes=0)
        assert said.endswith((".", "?", "*", "…")), said


@every_kind
def test_every_state_that_is_told_has_its_news(kind: Kind) -> None:
    words = KINDS[kind]
    assert told(kind) <= set(words.news)
    own = {state for state, said in words.news.items() if NEWS.get(state) != said}
    assert own <= set.union(*map(told, alike(kind))), "a state that is never told"
    for one in in_each_state(kind):
        if one.state in told(kind):
            said = News(words, one, facts_of(one), NAMES).say(words.news[one.state])
            assert said.rstrip().endswith((".", ".*")), said


@every_kind
def test_every_topic_of_an_alert_is_worded(kind: Kind) -> None:
    assert set(KINDS[kind].topics) == set(KINDS[Kind.PAYOUT].topics)


Check = Callable[[Stands, News, Any], bool]


def is_there(_: Stands, __: News, value: Any) -> bool:
    return bool(value)


def says(stands: Stands, _: News, template: Any) -> bool:
    return stands.say(template).strip() not in ("", "{")


def shows(stands: Stands, _: News, facts: Any) -> bool:
    return "Maria" in str(facts(stands.instruction, "Maria"))


def is_own_card(stands: Stands, _: News, card: Any) -> bool:
    """Who decides needs the common card, with the buttons for it."""
    one = stands.instruction
    return card is None if one.kind in APPROVED else one.reference in card(one, link="").text


def are_files(stands: Stands, _: News, files: Any) -> bool:
    """What is about one person needs no table."""
    about = [file.about(stands.instruction, count=2) for file in files.values()]
    return bool(about) != bool(stands.instruction.payload.email) and all("2 payments" in alt for _, alt, _ in about)


FIELDS: Mapping[str, Check] = {
    **dict.fromkeys(("noun", "nothing", "close_title", "close_hint"), lambda _a, _b, text: bool(text)),
    **dict.fromkeys(("look_up", "requested", "retry"), says),
    **dict.fromkeys(("facts", "text"), shows),
    "head": lambda stands, _, head: bool(head(stands.instruction, "Maria")),
    **dict.fromkeys(("sentences", "news", "topics"), is_there),  # entry by entry above
    **dict.fromkeys(("headline", "in_full", "title"), lambda stands, _, what: "$" in what(stands.instruction)),
    "states": lambda _a, _b, words: all(word == word.lower() for word in words.values()),
    "small": lambda stands, _, small: all(map(bool, small(stands.instruction, "Maria"))),
    "warnings": lambda stands, _, warnings: isinstance(warnings(stands.instruction), list),
    "menu": lambda _a, _b, choices: len(choices) <= MOST_CHOICES - 2,
    "text_limit": lambda stands, _, most: (
        len("".join(stands.words.text(stands.instruction, "Maria"))) < (most or 4_000)
    ),
    **dict.fromkeys(
        ("buttons", "look"),
        lambda stands, _, made: all(one["type"] == "button" for one in made(stands.instruction)),
    ),
    "ended": lambda stands, _, ended: ended(stands.instruction) == ended(stands.instruction).lower(),
    "card": is_own_card,
    "news_actions": lambda _, news, pressed: all(one["type"] == "button" for one in pressed(news)),
    "news_symbol": lambda _, news, symbol: symbol(news).startswith(":"),
    "news_content": lambda _, news, content: content(news, "It is so.").text == "It is so.",
    "closed_as": lambda _a, _b, how: how in ("", " as not paid"),
    "files": are_files,
}
"""What each field has to hold of a request that stands somewhere."""


def test_every_field_of_the_record_is_known_here() -> None:
    assert set(FIELDS) == {field.name for field in fields(Wording)}


@every_kind
@pytest.mark.parametrize("name", FIELDS)
def test_every_field_of_the_record_is_said(kind: Kind, name: str) -> None:
    words = KINDS[kind]
    for one in in_each_state(kind):
        assert FIELDS[name](Stands(words, one), News(words, one, facts_of(one), NAMES), getattr(words, name)), one.state


@every_kind
def test_templates_name_what_there_is(kind: Kind) -> None:
    words = KINDS[kind]
    for slots, templates in (
        (Stands, [*words.sentences.values(), words.requested, words.look_up, words.retry]),
        (News, [*words.news.values()]),
    ):
        there = {*slots.slots, *(field.name for field in fields(slots))}
        for template in templates:
            names = [name for _, name, _, _ in Formatter().parse(template)] if isinstance(template, str) else []
            assert {name.partition(".")[0] for name in names if name} <= there, template


def named_kinds(source: str) -> set[str]:
    """Members of ``Kind`` and classes of payloads that a file names."""
    tree = ast.walk(ast.parse(source))
    found = set()
    for node in tree:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "Kind":
            found.add(f"Kind.{node.attr}")
        if isinstance(node, ast.Name) and node.id in PAYLOADS:
            found.add(node.id)
    return found


def test_only_the_records_name_a_kind() -> None:
    sources = {str(path.relative_to(PRESENTATION)): path.read_text() for path in PRESENTATION.rglob("*.py")}
    named = {name: named_kinds(text) for name, text in sources.items()}
    assert {name for name, found in named.items() if found} <= RECORDS
    assert named["payments/kinds.py"] == {f"Kind.{kind.name}" for kind in Kind}
    assert {name for name, found in named.items() if any(one.startswith("Kind.") for one in found)} == {
        "payments/kinds.py"
    }


def test_the_search_for_names_finds_them() -> None:
    assert named_kinds("if one.kind is Kind.BULK and isinstance(one.payload, BulkPayload): pass") == {
        "Kind.BULK",
        "BulkPayload",
    }
    assert not named_kinds("FileKind.BULK, one.kind, Kind(one)")
