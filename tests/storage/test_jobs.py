"""Jobs and the boards that show them: one of each, changed by one at a time, never forgotten."""

from storage import Store
from tests.storage.factories import NOW, claims, job, later, unit


async def test_click_creates_one_job_and_one_change_wins(store: Store) -> None:
    assert await unit(store).jobs.add(job())
    assert not await unit(store).jobs.add(job("2", source_key="click-1"))
    assert await unit(store).jobs.by_source("click-1") == job()
    first = await unit(store).jobs.move(job(), "running", now=NOW, detail={"done": 1})
    assert (first.state, first.detail, first.payload, first.version) == ("running", {"done": 1}, {"file": "F1"}, 2)
    assert first.due_at == NOW, "what is not named stays"
    assert await unit(store).jobs.move(job(), "canceled", now=NOW) is None
    assert await unit(store).jobs.get("1") == first


async def test_claimed_job_is_held_until_the_lease_ends(store: Store) -> None:
    await unit(store).jobs.add(job())
    await unit(store).jobs.add(job("2", kind="other"))

    async def claim(owner: str, seconds: float) -> list[str]:
        taken = await claims(store, "jobs", seconds, owner, lease=60, kind="email")
        return [one.id for one in taken]

    assert await claim("a", -1) == [], "not due yet"
    assert await claim("a", 0) == ["1"]
    assert await claim("b", 59) == []
    assert await unit(store).jobs.extend("1", owner="a", until=later(100))
    assert not await unit(store).jobs.extend("1", owner="b", until=later(900))
    assert await claim("b", 99) == []
    assert await claim("b", 100) == ["1"]
    assert await unit(store).jobs.recover("b") == 0
    assert await unit(store).jobs.recover("c") == 1
    assert await claim("c", 101) == ["1"]


async def test_recent_jobs_of_a_person_are_listed(store: Store) -> None:
    jobs = [
        job("1", created_at=later(-5)),
        job("2", created_at=later(-4)),
        job("3", closed_at=NOW),
        job("4", requester="U2"),
        job("5", kind="other"),
    ]
    await store.write(lambda tx: [tx.jobs.add(one) for one in jobs])
    found = await unit(store).jobs.lately("U1", "email", since=later(-5))
    assert [one.id for one in found] == ["3", "2"]


async def test_jobs_are_claimed_fairly_across_people(store: Store) -> None:
    for number in range(4):
        await unit(store).jobs.add(job(f"a{number}", created_at=later(number)))
    await unit(store).jobs.add(job("b0", requester="U2", created_at=later(10)))
    await unit(store).jobs.add(job("c0", requester="U3", kind="other", created_at=later(11)))
    order = await store.read(lambda tx: [one.id for one in tx.jobs.in_turn("email")])
    assert order == ["a0", "b0", "a1", "a2", "a3"]
    taken = await claims(store, "jobs", 20, "me", limit=2, kind="email", in_turn=True)
    assert {one.id for one in taken} == {"a0", "b0"}
    await unit(store).jobs.move(taken[0], "canceled", now=later(20))
    assert (await unit(store).jobs.in_turn("email"))[0].id in ("a0", "a1", "b0")
