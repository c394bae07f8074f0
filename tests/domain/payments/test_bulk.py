"""Bulk payments as values: digests, duplicates, and an accounting in which no item gets lost."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.approvals import requirement_of
from bot.domain.money import Cents
from bot.domain.payments import bulk_records
from bot.domain.payments.bulk import (
    BulkItem,
    BulkPayload,
    HashList,
    Tally,
    duplicates_in,
    hashes_digest,
    items_digest,
    largest_of,
    row_of,
    tally,
    twin_digest,
)
from bot.domain.payments.instruction import State
from bot.domain.policy import Facts, Policy, Repeat
from bot.presentation.reasons import worded

ITEMS = [
    BulkItem(row=2, email="ana@example.com", cents=Cents(100), note="one"),
    BulkItem(row=3, email="ben@example.com", cents=Cents(250)),
    BulkItem(row=5, email="Ana@example.com", cents=Cents(100), note="other"),
]
ROWS = [bulk_records.BulkRow(row=item.row, email=item.email, cents=item.cents) for item in ITEMS]
STATUSES = ("created", "COMMITTED", "pending", "Completed", "cancelled", "failed", "paused", "")


def reported(item: BulkItem, status: str = "completed", **changes: object) -> bulk_records.ReportedItem:
    values = {"email": item.email, "cents": item.cents, "internal_note": f"B-1/{item.row}"}
    return bulk_records.ReportedItem(status=status, hash=f"h{item.row}", **{**values, **changes})


def account(*pages: list[bulk_records.ReportedItem]) -> bulk_records.Accounting:
    found = bulk_records.Accounting(reference="B-1", rows=ROWS)
    for page in pages:
        found.take(page)
    found.finish()
    return found


@pytest.mark.parametrize("change", [{"row": 9}, {"email": "eve@example.com"}, {"cents": 101}, {"note": "x"}])
def test_bulk_digest_covers_every_item(change: dict[str, object]) -> None:
    assert items_digest([replace(ITEMS[0], **change), *ITEMS[1:]]) != items_digest(ITEMS)  # type: ignore[arg-type]
    assert items_digest(ITEMS[:2]) != items_digest(ITEMS)
    assert items_digest(list(reversed(ITEMS))) != items_digest(ITEMS)


def test_cancellation_holds_one_to_a_hundred_hashes_and_amounts() -> None:
    approved = {"h1": 100, "h2": 250}
    assert hashes_digest({"h2": 250, "h1": 100}) == hashes_digest(approved)
    for other in ({"h1": 100, "h2": 251}, {"h1": 250, "h2": 100}, {"h1": 100}, {"h1": 100, "h3": 250}):
        assert hashes_digest(other) != hashes_digest(approved)
    assert len(HashList.of([f"h{n}" for n in range(100)]).all) == 100
    for refused in ([], ["h1", ""], ["h1", "h1"], [f"h{n}" for n in range(101)]):
        with pytest.raises(ValueError, match=r"hash|empty"):
            HashList.of(refused)


def test_bulk_settles_when_every_item_has_ended() -> None:
    one_each = [("completed", 1, 100), ("failed", 1, 100), ("canceled", 1, 100)]
    assert tally(one_each).is_settled
    for word in ("created", "committed", "pending", "", "paused"):
        assert not tally([*one_each, (word, 1, 100)]).is_settled


@pytest.mark.parametrize(("counts", "state"), [
    ({"canceled": 2}, State.COMPLETED), ({"canceled": 1, "completed": 1}, State.COMPLETED),
    ({"completed": 2}, State.FAILED), ({"failed": 2}, State.FAILED), ({"pending": 2}, State.FAILED), ({}, State.FAILED),
])  # fmt: skip
def test_cancellation_that_cancels_nothing_has_failed(counts: dict[str, int], state: State) -> None:
    assert bulk_records.ended_cancel(Tally(counts=counts)) is state


@pytest.mark.parametrize(("rows", "repeats", "more", "reasons"), [
    (0, (), 0, ()), (1, (), 1, ("1 row repeats an earlier one: one more approver",)),
    (2, (), 1, ("2 rows repeat an earlier one: one more approver",)), (0, ("L-ABC", "P-DEF"), 1, ()),
    (2, ("L-ABC",), 1, ("2 rows repeat an earlier one: one more approver",)),
])  # fmt: skip
def test_repeats_add_one_approver_at_most(
    rows: int, repeats: tuple[str, ...], more: int, reasons: tuple[str, ...]
) -> None:
    payload = BulkPayload(
        name="march.csv", count=1, cents=100, items_digest="a", twin_digest="b", largest=tuple(largest_of(ITEMS[:1])),
        duplicate_count=rows,
    )  # fmt: skip
    policy = Policy.model_validate({"channels": {"approvals": "C0APPROVE"}, "approval": {"quorum": 2}})
    found = requirement_of(policy, [Facts(cents=100)], payload, tuple(Repeat(reference=name) for name in repeats))
    assert (found.quorum, found.reasons) == (2 + more, reasons)
    assert tuple(one.reference for one in found.repeats) == repeats


def test_bulk_summary_names_duplicates_twins_and_largest() -> None:
    other = [replace(item, note="", row=item.row + 7, email=item.email.upper()) for item in reversed(ITEMS)]
    assert twin_digest(other) == twin_digest(ITEMS)
    assert twin_digest(ITEMS[:2]) != twin_digest(ITEMS)
    assert duplicates_in(ITEMS) == (5,)
    assert [one.row for one in largest_of(ITEMS, 2)] == [3, 2]


def test_digest_ignores_names_in_the_file() -> None:
    named = [replace(item, name="Ana Lopez") for item in ITEMS]
    assert (items_digest(named), twin_digest(named)) == (items_digest(ITEMS), twin_digest(ITEMS))


@pytest.mark.parametrize("note", ["B-1/", "B-1/x", "B-12/3", "x B-1/3", "B-1/3 x", "B-1/12345678"])
def test_only_our_reference_identifies_a_row(note: str) -> None:
    assert row_of(note, "B-1") is None
    assert row_of(" B-1/3 ", "B-1") == 3
    assert row_of("b-1 / 3", "B-1") == 3


@pytest.mark.parametrize(("before", "after", "moves"), [
    ("", "created", True), ("created", "completed", True), ("pending", "committed", False),
    ("completed", "failed", False), ("canceled", "pending", False), ("paused", "created", True),
    ("created", "paused", False), ("failed", "failed", False),
])  # fmt: skip
def test_item_status_never_goes_back(before: str, after: str, moves: bool) -> None:
    assert bulk_records.moves_on(before, after) is moves


def test_foreign_doubled_and_different_items_are_counted() -> None:
    found = account([reported(ITEMS[0]), reported(ITEMS[0]), reported(ITEMS[1], cents=Cents(999))])
    found.take([reported(ITEMS[2], internal_note="B-9/5")])
    assert (found.doubles, found.different, found.strangers) == (1, 1, 1)
    for words in ("reported twice", "another amount", "never requested"):
        assert words in worded(found.trouble)


def test_rows_without_notes_match_once() -> None:
    nameless = [reported(item, internal_note="") for item in ITEMS]
    found = account(nameless, [reported(ITEMS[0], internal_note="")])
    assert {row.status for row in found.rows.values()} == {"completed"}
    assert found.strangers == 1


MINE = [reported(item) for item in ITEMS]
NAMELESS = [reported(item, internal_note="") for item in ITEMS]
RENAMED = [reported(item, internal_note="rent") for item in ITEMS]
OTHER = reported(ITEMS[0], internal_note="", email="somebody@example.com")


@pytest.mark.parametrize(
    ("items", "verdict"),
    [
        ([], None),
        (MINE, True),
        ([reported(item, internal_note=f"B-2/{item.row}") for item in ITEMS], False),
        ([*MINE[:1], *RENAMED[1:]], None),
        (RENAMED, None),  # somebody wrote the notes anew
        ([RENAMED[0].model_copy(update={"email": "somebody@example.com"})], False),
        (NAMELESS, True),
        ([*NAMELESS[:2], reported(ITEMS[0], internal_note="")], True),
        (NAMELESS[:1], None),
        (NAMELESS[:2], None),
        ([*NAMELESS[:-1], OTHER], False),
        ([*NAMELESS, OTHER], None),  # ours are among them
        ([OTHER], False),
        ([OTHER.model_copy(update={"email": ""})], None),
        ([OTHER.model_copy(update={"cents": None})], None),
    ],
)
def test_items_are_matched_to_our_rows(items: list[bulk_records.ReportedItem], verdict: bool | None) -> None:
    assert bulk_records.is_ours(items, reference="B-1", wanted=ITEMS) is verdict


@given(st.lists(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(STATUSES)), max_size=6), max_size=8))
def test_bulk_counts_add_up_for_any_report(story: list[list[tuple[int, str]]]) -> None:
    rows = list(ROWS)
    ends: dict[int, str] = {}
    for scan in story:
        found = bulk_records.Accounting(reference="B-1", rows=rows)
        found.take([reported(ITEMS[index], status) for index, status in scan])
        found.finish()
        rows = list(found.rows.values())
        counted = tally((row.status, 1, row.cents) for row in rows)
        assert counted.total == len(ITEMS)
        assert counted.final + counted.pending + counted.under_way + counted.unaccounted == len(ITEMS)
        assert sum(counted.sums.values()) == sum(item.cents for item in ITEMS)
        for row in rows:
            assert ends.get(row.row, row.status) == row.status
            if row.state is not None and row.state.is_final:
                ends[row.row] = row.status


def missed(number: int = 2, **changes: object) -> bulk_records.ReportedItem:
    """A failure with our note; ``internal_note`` empty: without."""
    item = next(one for one in ITEMS if one.row == number)
    return reported(item, **{"status": "", "error": "no account", **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("listed", "failure", "after", "doubts"),
    [
        ({}, missed(), {2: "failed"}, (0, 0)),
        ({2: "created"}, missed(), {2: "failed"}, (0, 0)),
        ({2: "committed"}, missed(status="FAILED"), {2: "failed"}, (0, 0)),
        ({2: "failed"}, missed(), {2: "failed"}, (0, 0)),
        ({2: "pending"}, missed(), {2: "pending"}, (1, 0)),
        ({2: "completed"}, missed(), {2: "completed"}, (1, 0)),
        ({2: "cancelled"}, missed(), {2: "canceled"}, (1, 0)),
        *(({}, missed(status=word), {2: ""}, (0, 0)) for word in ("pending", "Completed", "committed", "canceled")),
        ({}, missed(internal_note="B-1/9"), {}, (0, 1)),
        # Without our note: the address and the amount, failed rows first, then those that the items lack.
        ({}, missed(internal_note=""), {2: "failed", 5: ""}, (0, 0)),
        ({2: "completed"}, missed(internal_note=""), {2: "completed", 5: "failed"}, (0, 0)),
        ({2: "created"}, missed(internal_note="theirs"), {2: "created", 5: "failed"}, (0, 0)),
        ({5: "failed"}, missed(internal_note="", email="ANA@example.com"), {2: "", 5: "failed"}, (0, 0)),
        ({2: "pending", 5: "completed"}, missed(internal_note=""), {2: "pending", 5: "completed"}, (0, 1)),
        ({}, missed(internal_note="", cents=101), {2: "", 5: ""}, (0, 1)),
        ({}, missed(internal_note="", cents=None), {2: "", 5: ""}, (0, 1)),
        ({}, missed(3, internal_note="", cents=None), {3: "failed"}, (0, 0)),
        ({}, missed(internal_note="", email="eve@example.com"), {}, (0, 1)),
    ],
)
def test_listed_failures_fail_unless_items_contradict(
    listed: dict[int, str], failure: bulk_records.ReportedItem, after: dict[int, str], doubts: tuple[int, int]
) -> None:
    found = account([reported(item, listed[item.row]) for item in ITEMS if item.row in listed])
    twice = doubts[1] == 0 and failure.internal_note.startswith("B-1")
    changed = found.take_failures([failure] * (1 + twice), complete=True)
    assert {number: found.rows[number].status for number in after} == after
    assert (len(found.contradicted), len(found.unplaced)) == doubts
    assert found.failing == {number for number, status in after.items() if status == "failed"}
    assert (found.contradiction is None) == (doubts == (0, 0))
    explained = [number for number, status in after.items() if status == "failed"]
    assert [(one.row, one.status, one.error) for one in changed] == [(n, "failed", "no account") for n in explained]
    assert not found.take_failures([failure], complete=False) or failure.internal_note == "B-1/2"


def test_failures_match_rows_by_our_note() -> None:
    failed = [replace(row, status="failed", hash=f"h{row.row}") for row in ROWS[:2]]
    rows = [replace(failed[0], error="no account"), failed[1], ROWS[2]]
    found = bulk_records.Accounting(reference="B-1", rows=rows)
    assert not found.is_explained
    said = [missed(), missed(3, error=""), missed(internal_note="")]
    [change] = found.take_failures([replaced(said[0], error="other words"), *said[1:]], complete=False)
    assert (change.row, change.error) == (3, bulk_records.UNEXPLAINED)
    [change] = found.take_failures([missed(5)], complete=False)
    assert (change.row, found.is_explained, found.unplaced) == (5, True, [])


def replaced(item: bulk_records.ReportedItem, **changes: object) -> bulk_records.ReportedItem:
    return item.model_copy(update=changes)


@pytest.mark.parametrize(("before", "after", "doubted"), [
    *(("failed", word, True) for word in ("completed", "canceled", "pending")),
    *(("failed", word, False) for word in ("failed", "committed", "created", "paused")), ("completed", "failed", True),
    ("completed", "canceled", True), ("completed", "pending", False), ("pending", "failed", False),
    ("", "failed", False),
])  # fmt: skip
def test_item_with_two_final_states_is_a_contradiction(before: str, after: str, doubted: bool) -> None:
    found = bulk_records.Accounting(reference="B-1", rows=[replace(ROWS[0], status=before)])
    found.take([reported(ITEMS[0], after)])
    assert (found.contradicted == {2}) is doubted
    assert bulk_records.contradicts(before, after) is doubted


@pytest.mark.parametrize(("counts", "over", "state"), [
    ({}, True, State.COMMITTED), ({"": 3}, False, State.COMMITTED),
    ({"created": 1, "completed": 2}, True, State.COMMITTED), ({"": 1, "completed": 2}, True, State.COMMITTED),
    ({"pending": 1, "completed": 2}, False, State.COMMITTED),
    ({"pending": 1, "completed": 2}, True, State.PENDING_ESCROW),
    ({"completed": 1, "failed": 2}, True, State.COMPLETED), ({"completed": 3}, False, State.COMPLETED),
    ({"failed": 2, "canceled": 1}, True, State.FAILED), ({"failed": 1}, True, State.FAILED),
    ({"canceled": 3}, True, State.CANCELED),
])  # fmt: skip
def test_bulk_state_follows_from_its_counts(counts: dict[str, int], over: bool, state: State) -> None:
    assert bulk_records.state_of(Tally(counts=counts), over=over) is state


def test_unknown_item_status_is_kept() -> None:
    assert (bulk_records.our_word("CANCELLED"), bulk_records.our_word(" Paused "), bulk_records.our_word("")) == (
        "canceled",
        "paused",
        "unknown",
    )
