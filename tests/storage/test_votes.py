"""Votes: one voice a person and round, and a new round begins with none."""

from storage import Store
from tests.storage.factories import instruction, vote


async def test_a_voice_counts_once_and_only_in_its_round(store: Store) -> None:
    asked, other = instruction(), instruction()
    for one in (asked, other):
        await store.write(lambda tx, one=one: tx.instructions.insert(one, actor="U1"))  # type: ignore[misc]
    first, second, again = vote(asked, "U2"), vote(asked, "U3"), vote(asked, "U2", round_=2)
    for voice in (first, second, again, vote(other, "U4")):
        assert await store.write(lambda tx, voice=voice: tx.votes.cast(voice))  # type: ignore[misc]
    assert not await store.write(lambda tx: tx.votes.cast(vote(asked, "U3")))
    assert await store.read(lambda tx: tx.votes.of(asked.id, 1)) == [first, second]
    assert await store.read(lambda tx: tx.votes.of(asked.id, 2)) == [again]
    assert await store.read(lambda tx: tx.votes.of(asked.id, 3)) == []
