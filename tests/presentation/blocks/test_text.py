"""Texts and blocks: what Slack limits is kept, nothing foreign does anything, pages lead to pages that there are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import turns
from tests.presentation.drawn import INVISIBLE, foreign

SPOKEN_LIMIT = 4000


@given(foreign())
def test_escaped_text_has_nothing_that_slack_acts_on(text: str) -> None:
    assert not {"<", ">"} & set(md.escape(text))


def test_only_three_characters_are_escaped_and_ampersands_first() -> None:
    assert md.escape("""a & b < c > d " ' &lt;""") == """a &amp; b &lt; c &gt; d " ' &amp;lt;"""


@given(foreign(), st.integers(min_value=20, max_value=400))
def test_a_quote_stays_within_its_room_and_breaks_no_escape(text: str, limit: int) -> None:
    said = md.quote(text, limit)
    assert len(said) <= limit
    assert not {"<", ">", "\n", "\r", "\x00"} & set(said)
    assert "&" not in said.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "")


@pytest.mark.parametrize(("given", "said"), [
    ("*bold* _it_ ~no~ `code`", "∗bold∗ ＿it＿ ∼no∼ ˋcodeˋ"), ("*two words*, 5 * 3", "∗two words∗, 5 ∗ 3"),
    ("snake_case, 3*4, é*b*", "snake_case, 3*4, é∗b∗"), ("<b>_x_</b>", "&lt;b&gt;＿x＿&lt;/b&gt;"),
])  # fmt: skip
def test_what_was_typed_formats_nothing(given: str, said: str) -> None:
    assert md.typed(given) == said


def test_what_is_left_out_is_marked() -> None:
    assert md.shorten("x" * 50, 30) == "x" * 16 + " … (shortened)"
    assert md.shorten("x" * 30, 30) == "x" * 30


@given(st.lists(foreign().map(md.quote), max_size=40))
def test_what_is_spoken_keeps_whole_lines_and_says_when_some_are_left_out(lines: list[str]) -> None:
    said = md.fallback_text(lines)
    assert len(said) <= SPOKEN_LIMIT
    if len("\n".join(lines)) <= SPOKEN_LIMIT:
        assert said == "\n".join(lines)
        return
    kept, rest = said.split("\n")[:-1], said.split("\n")[-1]
    assert rest == "… and more in the message itself."
    assert kept == lines[: len(kept)]
    assert len("\n".join([*lines[: len(kept) + 1], rest])) > SPOKEN_LIMIT


@pytest.mark.parametrize(("text", "sentence", "as_said"), [
    ("", "", ""), ("no", "No.", "no."), ("No!", "No!", "No!"), ("why?", "Why?", "why?"), ("a.", "A.", "a."),
    ("*No.*", "*No.*", "*No.*"), ("iPhone, not ours", "IPhone, not ours.", "iPhone, not ours."),
])  # fmt: skip
def test_a_sentence_begins_with_a_capital_and_ends_and_the_words_of_others_keep_their_letters(
    text: str, sentence: str, as_said: str
) -> None:
    assert (md.sentence_of(text), md.as_said(text)) == (sentence, as_said)


def test_a_bar_says_how_far_it_is_and_is_full_only_at_the_end() -> None:
    assert md.bar(0, 0) == "░" * 20 + " 0 %"
    assert md.bar(1, 3) == "█" * 6 + "░" * 14 + " 33 %"
    assert md.bar(999, 1_000) == "█" * 19 + "░" + " 99 %"
    assert md.bar(3, 3) == "█" * 20 + " 100 %"


def test_a_list_says_how_many_of_its_lines_are_left_out() -> None:
    assert md.listed(["one", "two"], 2) == ["one", "two"]
    assert md.listed(["one", "two", "three", "four"], 2) == ["one", "two", "and 2 more"]


@pytest.mark.parametrize(("given", "said"), [
    ("Ana Maria Lopez", "Ana Maria Lopez"), ("O'Brien-Núñez", "O'Brien-Núñez"), ("<!channel>", "&lt;!channel&gt;"),
    ("<@U0ADA>", "&lt;@U0ADA&gt;"), ("*Ana* _x_ ~y~ `z`", "∗Ana∗ ＿x＿ ∼y∼ ˋzˋ"),
    (":white_check_mark: Ana", "꞉white_check_mark: Ana"), ("a:b:c", "a꞉b:c"), ("Ana ✅", "Ana"), ("👍🏽 Ana 🇪🇨", "Ana"),
    ("1️⃣ Ana", "1 Ana"), ("Z" + "\u0301" * 50 + "oe", "Z" + "\u0301" * 4 + "oe"),
])  # fmt: skip
def test_a_name_is_letters_alone(given: str, said: str) -> None:
    assert md.named("U1", {"U1": given}) == said


@pytest.mark.parametrize("which", INVISIBLE)
def test_what_nobody_can_see_is_as_a_name_unknown(which: str) -> None:
    text = INVISIBLE[which]
    assert md.named("U1", {"U1": text}) == "unknown"
    assert md.named("U1", {"U1": text}, handle="ana.l") == "unknown (ana.l)"


def test_a_picture_is_no_name_and_who_has_none_is_mentioned() -> None:
    assert [md.named("U1", {"U1": text}) for text in ("✅", "👍🏽", "❤️", "🇪🇨")] == ["unknown"] * 4
    assert md.named("U1", {}, handle="ana") == "<@U1>"


def test_what_is_spoken_has_four_thousand_characters_at_most() -> None:
    rest = "… and more in the message itself."
    assert md.fallback_text(["x" * 1_999, "y" * 2_000]) == f"{'x' * 1_999}\n{'y' * 2_000}"
    assert md.fallback_text(["x" * (3_999 - len(rest)), "y" * 99]) == f"{'x' * (3_999 - len(rest))}\n{rest}"
    assert md.fallback_text(["x" * (4_000 - len(rest)), "y" * 99]) == rest


def test_a_paragraph_has_2900_characters_at_most() -> None:
    def lengths(*lines: int) -> list[int]:
        return [len(block["text"]["text"]) for block in md.paragraphs(["x" * length for length in lines])]

    assert lengths(1_000, 1_899) == [2_900]
    assert lengths(1_000, 1_900) == [1_000, 1_900]
    assert lengths(2_900, 1) == [2_900, 1]


@pytest.mark.parametrize(("seconds", "said"), [
    (0.9, "0 seconds"), (1, "1 second"), (59.9, "59 seconds"), (60, "1 minute"), (3_599, "59 minutes"),
    (3_600, "1 hour"), (86_399, "23 hours"), (86_400, "1 day"), (172_800, "2 days"),
])  # fmt: skip
def test_a_duration_is_told_in_its_largest_unit(seconds: float, said: str) -> None:
    assert md.duration(seconds) == said


@pytest.mark.parametrize(("page", "pages", "values"), [
    (1, 1, []), (1, 3, ["of:2"]), (2, 3, ["of:1", "of:3"]), (3, 3, ["of:2"]), (9, 3, ["of:3"]), (2, 0, []),
])  # fmt: skip
def test_pages_lead_to_pages_that_there_are(page: int, pages: int, values: list[str]) -> None:
    rows = turns("of", page, pages, back="back", on="on")
    assert [one["value"] for row in rows for one in row["elements"]] == values
