"""Texts and blocks: what Slack limits is kept, nothing foreign does anything, pages lead to pages that there are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import turns
from tests.presentation.drawn import INVISIBLE, foreign

SPOKEN_LIMIT = 4000


@given(foreign())
def test_escaped_text_has_no_slack_markup(text: str) -> None:
    assert not {"<", ">"} & set(md.escape(text))


def test_only_slack_control_characters_are_escaped() -> None:
    assert md.escape("""a & b < c > d " ' &lt;""") == """a &amp; b &lt; c &gt; d " ' &amp;lt;"""


@given(foreign(), st.integers(min_value=20, max_value=400))
def test_quote_is_cut_without_breaking_an_escape(text: str, limit: int) -> None:
    said = md.quote(text, limit)
    assert len(said) <= limit
    assert not {"<", ">", "\n", "\r", "\x00"} & set(said)
    assert "&" not in said.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "")


@pytest.mark.parametrize(("given", "said"), [
    ("*bold* _it_ ~no~ `code`", "∗bold∗ ＿it＿ ∼no∼ ˋcodeˋ"), ("*two words*, 5 * 3", "∗two words∗, 5 ∗ 3"),
    ("snake_case, 3*4, é*b*", "snake_case, 3*4, é∗b∗"), ("<b>_x_</b>", "&lt;b&gt;＿x＿&lt;/b&gt;"),
])  # fmt: skip
def test_typed_text_cannot_format(given: str, said: str) -> None:
    assert md.typed(given) == said


def test_omitted_text_is_marked() -> None:
    assert md.shorten("x" * 50, 30) == "x" * 16 + " … (shortened)"
    assert md.shorten("x" * 30, 30) == "x" * 30


@given(st.lists(foreign().map(md.quote), max_size=40))
def test_screen_reader_text_keeps_whole_lines(lines: list[str]) -> None:
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
def test_sentence_is_capitalized_and_quotes_are_unchanged(text: str, sentence: str, as_said: str) -> None:
    assert (md.sentence_of(text), md.as_said(text)) == (sentence, as_said)


def test_progress_bar_is_full_only_at_the_end() -> None:
    assert md.bar(0, 0) == "░" * 20 + " 0 %"
    assert md.bar(1, 3) == "█" * 6 + "░" * 14 + " 33 %"
    assert md.bar(999, 1_000) == "█" * 19 + "░" + " 99 %"
    assert md.bar(3, 3) == "█" * 20 + " 100 %"


def test_list_says_how_many_lines_are_omitted() -> None:
    assert md.listed(["one", "two"], 2) == ["one", "two"]
    assert md.listed(["one", "two", "three", "four"], 2) == ["one", "two", "and 2 more"]


@pytest.mark.parametrize(("given", "said"), [
    ("Ana Maria Lopez", "Ana Maria Lopez"), ("O'Brien-Núñez", "O'Brien-Núñez"), ("<!channel>", "&lt;!channel&gt;"),
    ("<@U0ADA>", "&lt;@U0ADA&gt;"), ("*Ana* _x_ ~y~ `z`", "∗Ana∗ ＿x＿ ∼y∼ ˋzˋ"),
    (":white_check_mark: Ana", "꞉white_check_mark: Ana"), ("a:b:c", "a꞉b:c"), ("Ana ✅", "Ana"), ("👍🏽 Ana 🇪🇨", "Ana"),
    ("1️⃣ Ana", "1 Ana"), ("Z" + "\u0301" * 50 + "oe", "Z" + "\u0301" * 4 + "oe"),
])  # fmt: skip
def test_display_name_keeps_letters_only(given: str, said: str) -> None:
    assert md.named("U1", {"U1": given}) == said


@pytest.mark.parametrize("which", INVISIBLE)
def test_invisible_name_is_unknown(which: str) -> None:
    text = INVISIBLE[which]
    assert md.named("U1", {"U1": text}) == "unknown"
    assert md.named("U1", {"U1": text}, handle="ana.l") == "unknown (ana.l)"


def test_emoji_is_not_a_name_and_unnamed_users_are_mentioned() -> None:
    assert [md.named("U1", {"U1": text}) for text in ("✅", "👍🏽", "❤️", "🇪🇨")] == ["unknown"] * 4
    assert md.named("U1", {}, handle="ana") == "<@U1>"


def test_screen_reader_text_is_limited_to_4000_characters() -> None:
    rest = "… and more in the message itself."
    assert md.fallback_text(["x" * 1_999, "y" * 2_000]) == f"{'x' * 1_999}\n{'y' * 2_000}"
    assert md.fallback_text(["x" * (3_999 - len(rest)), "y" * 99]) == f"{'x' * (3_999 - len(rest))}\n{rest}"
    assert md.fallback_text(["x" * (4_000 - len(rest)), "y" * 99]) == rest


def test_paragraph_is_limited_to_2900_characters() -> None:
    def lengths(*lines: int) -> list[int]:
        return [len(block["text"]["text"]) for block in md.paragraphs(["x" * length for length in lines])]

    assert lengths(1_000, 1_899) == [2_900]
    assert lengths(1_000, 1_900) == [1_000, 1_900]
    assert lengths(2_900, 1) == [2_900, 1]


@pytest.mark.parametrize(("seconds", "said"), [
    (0.9, "0 seconds"), (1, "1 second"), (59.9, "59 seconds"), (60, "1 minute"), (3_599, "59 minutes"),
    (3_600, "1 hour"), (86_399, "23 hours"), (86_400, "1 day"), (172_800, "2 days"),
])  # fmt: skip
def test_duration_is_shown_in_its_largest_unit(seconds: float, said: str) -> None:
    assert md.duration(seconds) == said


@pytest.mark.parametrize(("page", "pages", "values"), [
    (1, 1, []), (1, 3, ["of:2"]), (2, 3, ["of:1", "of:3"]), (3, 3, ["of:2"]), (9, 3, ["of:3"]), (2, 0, []),
])  # fmt: skip
def test_pages_lead_to_pages_that_there_are(page: int, pages: int, values: list[str]) -> None:
    rows = turns("of", page, pages, back="back", on="on")
    assert [one["value"] for row in rows for one in row["elements"]] == values
