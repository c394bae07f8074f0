"""What counts as an address, which column to take, how room is shared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.emails.lists import Answer, Outcome, fair_shares, same_address
from bot.domain.files.columns import likely_column, looks_like_address, summarize


@pytest.mark.parametrize(
    "cell",
    [
        *("ana@example.com", " ana+x@example.co.uk ", '"ana maria"@example.com', "o'hara@b.co", "ana@españa.example"),
        "用户@例子.广告",
    ],
)
def test_addresses(cell: str) -> None:
    assert looks_like_address(cell)


@pytest.mark.parametrize(
    "cell",
    [
        *("", "ana", "ana@", "@example.com", "ana@example", "a b@example.com", "ana@example.com, bo@example.com"),
        *("a@b@c.d", "ana@example."),
        f"{'a' * 320}@b.co",
        "=HYPERLINK(a@b.co)",
    ],
)
def test_no_addresses(cell: str) -> None:
    assert not looks_like_address(cell)


def test_one_address_in_several_spellings() -> None:
    assert same_address(" Ana@Example.COM ") == same_address("Ana@example.com")
    assert same_address("ana@example.com") != same_address("Ana@example.com")


def test_the_likely_column_is_the_one_with_most_addresses() -> None:
    looks = summarize(
        ["name", "old", "email"], [("Ana", "a@b.co", "ana@b.co"), ("Bo", "", "bo@b.co"), ("", "x", "c@b.co")]
    )
    assert [(look.filled, look.addresses, look.is_usable) for look in looks] == [
        (2, 0, False),
        (2, 1, True),
        (3, 3, True),
    ]
    assert likely_column(looks) == 2
    assert looks[0].samples == ("Ana", "Bo")


@given(st.lists(st.integers(0, 1_200), min_size=1, max_size=6), st.integers(0, 1_000))
def test_room_is_shared_fairly(wants: list[int], room: int) -> None:
    shares = fair_shares(wants, room=room)
    assert sum(shares) == min(room, sum(wants))
    assert all(0 <= share <= want for share, want in zip(shares, wants, strict=True))
    hungry = [share for share, want in zip(shares, wants, strict=True) if share < want]
    if hungry:
        assert max(hungry) - min(hungry) <= 1
        assert max(shares) <= max(hungry) + 1 or max(shares) <= min(hungry) + 1


def test_an_answer_survives_the_database() -> None:
    answer = Answer(outcome=Outcome.ANSWERED, result="valid", pairs=(("a.b", "1"), ("c", "")), text="x")
    assert Answer.read(answer.stored()) == answer
