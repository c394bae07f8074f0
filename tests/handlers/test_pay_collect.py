"""``/pay collect``: who may, what is understood, what mistakes are answered with, on the line and in the form."""

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import PurchasePayload
from bot.presentation.payments import forms
from bot.presentation.reasons import rule_of
from handlers.grammar.arguments import read_arguments, words_of
from handlers.pay import COLLECT
from handlers.replies import MistakesError
from tests.support.rig import FINANCE, MARIA, Rig
from tests.support.shown import shown
from tests.workflows.looking import newest, requests

MOST_ITEMS = 20
NAME_LIMIT = 60

FORM = {
    forms.EMAIL: "ben@example.com",
    forms.DESCRIPTION: "Spring campaign",
    forms.ITEMS: "Web design = 2 x 10.00\n\n  Hosting=12x4.50  ",
}


def read(text: str) -> dict[str, object]:
    example = COLLECT.example.removeprefix("collect ")
    return read_arguments(COLLECT.arguments, words_of(text), called="/pay collect", example=example)


def wrong(text: str) -> list[tuple[str, str]]:
    with pytest.raises(MistakesError) as caught:
        read(text)
    return [(error.argument, rule_of(error)) for error in caught.value.errors]


def lines_of(payload: object) -> list[tuple[str, int, int]]:
    assert isinstance(payload, PurchasePayload)
    return [(item.name, item.quantity, item.unit_cents) for item in payload.items]


@pytest.mark.parametrize(
    ("typed", "understood"),
    [
        ("web=2x10.00", [("web", 2, 1000)]),
        ("web=2x10.00 ads=1x99.50", [("web", 2, 1000), ("ads", 1, 9950)]),
        ('"Web design=2x10.00"', [("Web design", 2, 1000)]),
        ('"Web design"=2x10.00', [("Web design", 2, 1000)]),
        ("\u201cWeb design=2x10.00\u201d", [("Web design", 2, 1000)]),
        ('"Web design = 2 x 10"', [("Web design", 2, 1000)]),
        ("web=2X10.5", [("web", 2, 1050)]),
        ("web=2×10", [("web", 2, 1000)]),
        ("a=b=2x1", [("a=b", 2, 100)]),
        ("box=1x2", [("box", 1, 200)]),
        ("&lt;b&gt;=1x2", [("<b>", 1, 200)]),
        ("web=9999x0.01", [("web", 9999, 1)]),
    ],
)
def test_positions_are_understood(typed: str, understood: list[tuple[str, int, int]]) -> None:
    values = read(f'ben@example.com "Spring campaign" {typed}')
    found = PurchasePayload(email="ben@example.com", description="x", items=tuple(values["item"]))  # type: ignore[arg-type]
    assert lines_of(found) == understood
    assert (values["email"], values["description"]) == ("ben@example.com", "Spring campaign")


@pytest.mark.parametrize(
    ("typed", "rule"),
    [
        ("", "add one or more items"),
        *((typed, "name=quantity x unit price") for typed in ("web", "web=", "web=10.00")),
        ("=2x10.00", f"1 to {NAME_LIMIT} characters; this has 0"),
        (f"{'w' * (NAME_LIMIT + 1)}=2x10.00", f"1 to {NAME_LIMIT} characters; this has {NAME_LIMIT + 1}"),
        *((f"web={number}x10.00", "number from 1 to 9999") for number in ("", "0", "1.5", "-1", "10000", "٢")),
        ("web=2x", "unit price"),
        ("web=2x0", "more than 0"),
        ("web=2x1.005", "1005.00"),
        ("web=2x1.0051", "2 decimal places"),
    ],
)
def test_each_input_error_names_argument_and_rule(typed: str, rule: str) -> None:
    ((named, said),) = wrong(f'ben@example.com "Spring campaign" {typed}')
    assert named == "item"
    assert rule in said


async def test_excess_is_reported_with_its_limit(rig: Rig) -> None:
    many = " ".join(f"i{number}=1x1" for number in range(MOST_ITEMS + 1))
    told = [await rig.pay(f"collect ben@example.com campaign {items}") for items in (many, "a=9999x999999999999.99")]
    assert [shown(ack).splitlines()[0] for ack in told] == snapshot(
        [
            ":pencil2: A purchase can have at most 20 items; this has 21.",
            ":pencil2: All items together cost too much.",
        ]
    )
    assert not await requests(rig)


async def test_collect_form_accepts_several_items(rig: Rig) -> None:
    await rig.pay("collect")
    ack = await rig.submit(MARIA, FORM)
    assert ack.ok
    found = await newest(rig)
    assert lines_of(found.payload) == [("Web design", 2, 1000), ("Hosting", 12, 450)]
    assert (found.origin_channel, found.payload.description) == (FINANCE, "Spring campaign")
    assert found.reference in rig.form().plain
    assert (await rig.workspace.resend(ack)).ok
    await rig.settle()
    assert len(await requests(rig)) == 1


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        (forms.EMAIL, "nobody", ["e-mail address"]),
        (forms.DESCRIPTION, "d" * 501, ["500 characters"]),
        (forms.ITEMS, "web\n\nHosting = 12 x 4.50\nads = 0 x 1", ["Line 1:", "Line 4:", "whole number"]),
        (forms.ITEMS, " \n ", ["Write one item a line"]),
        (forms.ITEMS, "\n".join(["a=1x1"] * (MOST_ITEMS + 1)), ["at most"]),
    ],
)
async def test_error_of_the_form_is_at_its_field(rig: Rig, field: str, text: str, words: list[str]) -> None:
    await rig.pay("collect")
    await rig.workspace.submit(MARIA, {**FORM, field: text}, force=True)
    view = rig.form()
    assert list(view.errors) == [field]
    assert all(word in view.errors[field] for word in words)
    assert any(lead in view.errors[field] for lead in ("Example", "such as"))
    assert not await requests(rig)
