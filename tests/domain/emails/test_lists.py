"""What counts as an address, which column to take, how room is shared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.emails.lists import Answer, Outcome, allowance, fair_shares, same_address
from bot.domain.files.columns import looks_like_address


@pytest.mark.parametrize("cell", [
    *("ana@example.com", " ana+x@example.co.uk ", '"ana maria"@example.com', "o'hara@b.co", "ana@españa.example"),
    "用户@例子.广告",
])  # fmt: skip
def test_addresses(cell: str) -> None:
    assert looks_like_address(cell)


@pytest.mark.parametrize("cell", [
    *("", "ana", "ana@", "@example.com", "ana@example", "a b@example.com", "ana@example.com, bo@example.com"),
    *("a@b@c.d", "ana@example."), f"{'a' * 320}@b.co", "=HYPERLINK(a@b.co)",
])  # fmt: skip
def test_invalid_addresses_are_refused(cell: str) -> None:
    assert not looks_like_address(cell)


def test_spellings_of_one_address_are_equal() -> None:
    assert same_address(" Ana@Example.COM ") == same_address("Ana@example.com")
    assert same_address("ana@example.com") != same_address("Ana@example.com")


@given(st.lists(st.integers(0, 1_200), min_size=1, max_size=6), st.integers(0, 1_000))
def test_room_is_shared_fairly(wants: list[int], room: int) -> None:
    shares = fair_shares(wants, room=room)
    assert sum(shares) == min(room, sum(wants))
    assert all(0 <= share <= want for share, want in zip(shares, wants, strict=True))
    hungry = [share for share, want in zip(shares, wants, strict=True) if share < want]
    if hungry:
        assert max(hungry) - min(hungry) <= 1
        assert max(shares) <= max(hungry) + 1 or max(shares) <= min(hungry) + 1


def test_answer_survives_storage() -> None:
    answer = Answer(outcome=Outcome.ANSWERED, result="valid", pairs=(("a.b", "1"), ("c", "")), text="x")
    assert Answer.read(answer.stored()) == answer


@pytest.mark.parametrize(
    ("wants", "others", "room"),
    [
        (1_000, [], 100),
        (7, [], 7),
        (1_000, [(1_000, 100)], 0),  # all of it is held: what another one gives back counts once it does
        (1_000, [(1_000, 50)], 50),
        (1_000, [(10, 10)], 90),  # nobody waits for what another has no use for
        (1_000, [(1_000, 30), (1_000, 30)], 34),
        (1_000, [(1_000, 200)], 0),
        (0, [(5, 5)], 0),
    ],
)
def test_process_gets_its_fair_share_of_free_room(wants: int, others: list[tuple[int, int]], room: int) -> None:
    assert allowance(wants, others, room=100) == room


@given(wants=st.lists(st.integers(0, 200), min_size=1, max_size=5), turns=st.lists(st.integers(0, 4), max_size=30))
def test_processes_share_exactly_the_available_room(wants: list[int], turns: list[int]) -> None:
    holds = [0] * len(wants)

    def take(one: int) -> None:
        others = [(wants[at], holds[at]) for at in range(len(wants)) if at != one]
        holds[one] = allowance(wants[one], others, room=100)

    for turn in turns:
        take(turn % len(wants))
        assert sum(holds) <= 100
    for one in [*range(len(wants)), *range(len(wants))]:
        take(one)
    assert sum(holds) >= min(sum(wants), 100) - len(wants)
