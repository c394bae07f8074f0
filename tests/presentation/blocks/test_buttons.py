"""Buttons: what Slack limits is kept, and pages lead only to pages that there are."""

import pytest

from bot.presentation.blocks.elements import actions, button, question, turns


def test_a_button_says_only_what_it_has() -> None:
    assert button("Go", "go", "1") == {
        "type": "button",
        "text": {"type": "plain_text", "text": "Go", "emoji": False},
        "action_id": "go",
        "value": "1",
    }
    full = button(
        "Go", "go", "1", style="danger", spoken="x" * 80, confirm=question("Sure?", "All of it.", yes="Y", no="N")
    )
    assert (full["style"], len(full["accessibility_label"]), full["confirm"]["deny"]["text"]) == ("danger", 75, "N")


def test_a_row_without_buttons_is_no_block() -> None:
    assert actions([], "row") == []
    (row,) = actions([button("Go", "go", "1")], "row")
    assert row["block_id"] == "row"


@pytest.mark.parametrize(
    ("page", "pages", "values"),
    [(1, 1, []), (1, 3, ["of:2"]), (2, 3, ["of:1", "of:3"]), (3, 3, ["of:2"]), (9, 3, ["of:3"]), (2, 0, [])],
)
def test_pages_lead_to_pages_that_there_are(page: int, pages: int, values: list[str]) -> None:
    rows = turns("of", page, pages, back="back", on="on")
    assert [one["value"] for row in rows for one in row["elements"]] == values


def test_a_question_before_a_button() -> None:
    asked = question("Sure?", "All of it.", yes="Do it", no="Leave it")
    assert {name: text["text"] for name, text in asked.items()} == {
        "title": "Sure?",
        "text": "All of it.",
        "confirm": "Do it",
        "deny": "Leave it",
    }
    assert {text["type"] for text in asked.values()} == {"plain_text"}


def test_a_link_is_a_button_with_an_address() -> None:
    link = button("Open", "open", url="https://x.example", style="primary", spoken="Open it")
    assert (link["url"], link["style"], link["accessibility_label"], "value" in link) == (
        "https://x.example",
        "primary",
        "Open it",
        False,
    )
