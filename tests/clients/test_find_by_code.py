from collections.abc import Callable

import pytest
from aiohttp import web
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.clients.payments import PaymentsClient
from bot.clients.payments.calls import OperationScan
from bot.domain.payments.operation import Operation, OperationPage
from bot.presentation.reasons import worded
from tests.clients.partner_server import Call, JsonObject, Partner, operation, page_of_a_proxy, said


async def test_find_by_code_reads_all_pages_for_every_payout_with_it(client: PaymentsClient, partner: Partner) -> None:
    partner.operations = [operation(number, code="mine" if number in {3, 230} else "x") for number in range(1, 251)]
    found = await client.find_by_code("mine")
    assert [one.id for one in found.hits] == ["op-3", "op-230"]
    assert (found.complete, found.total, found.reason) == (True, 250, None)
    assert [call.query["page"] for call in partner.calls] == ["1", "2", "3"]
    assert all(call.query["perPage"] == "100" and call.query["type"] == "payout" for call in partner.calls)


@pytest.mark.parametrize("count", [0, 1, 99, 100, 101, 200])
async def test_absence_needs_the_whole_list(client: PaymentsClient, partner: Partner, count: int) -> None:
    partner.operations = [operation(number) for number in range(1, count + 1)]
    found = await client.find_by_code("mine")
    assert (found.hits, found.complete, found.total) == ((), True, count)
    assert len(partner.calls) == max(1, -(-count // 100))


async def test_code_match_ignores_case_and_spacing_only(client: PaymentsClient, partner: Partner) -> None:
    codes = ["mine2", None, "", "min", " MINE", "mi ne"]
    partner.operations = [operation(number, code=code) for number, code in enumerate(codes)]
    others: list[str] = []
    found = await client.find_by_code("mine", see=lambda one: others.append(one.id))
    assert [one.id for one in found.hits] == ["op-4", "op-5"]
    assert others == ["op-0", "op-1", "op-2", "op-3"]


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda page, _: page | {"currentPage": 1}, "sent page 1 of the list instead of page 2"),
        (lambda page, _: page | {"perPage": 10}, "sent 10 operations a page instead of 100"),
        (lambda page, _: page | {"from": 1}, "repeats its pages"),
        (lambda page, _: page | {"from": None}, "repeats its pages"),
        (lambda page, number: page | {"total": page["total"] + number}, "changed while we read it"),
        (lambda page, _: page | {"lastPage": 1}, "showed 100"),
        (lambda page, _: page | {"data": page["data"][:-1]}, "operations and showed"),
        (lambda page, _: page | {"data": []}, "empty page"),
        (lambda page, _: page | {"data": [page["data"][0]] * 100}, "an operation twice"),
        (lambda page, _: page | {"data": [*page["data"][1:], operation(1)]}, "an operation twice"),
        (lambda page, _: page | {"lastPage": 2_001}, "more than 2000 pages"),
        (lambda page, _: page | {"data": [{"id": "no status"}]}, "couldn't be read"),
        (lambda page, _: page | {"total": None}, "couldn't be read"),
    ],
)
async def test_a_list_that_cannot_be_trusted_proves_nothing(
    client: PaymentsClient, partner: Partner, spoil: Callable[[JsonObject, int], JsonObject], reason: str
) -> None:
    partner.operations = [operation(number) for number in range(1, 251)]

    def answer(call: Call) -> web.Response:
        # The first page is fine, unless it is the one that lies about being the last.
        number, page = int(call.query["page"]), partner.listing(call)
        return said(spoil(page, number) if number > 1 or "showed 100" in reason else page)

    partner.answer = answer
    found = await client.find_by_code("absent")
    assert not found.complete
    assert reason in worded(found.reason)
    assert len(partner.calls) <= 4


async def test_dropped_parameters_never_mean_absent(client: PaymentsClient, partner: Partner) -> None:
    partner.reads_body = partner.reads_query = False
    partner.operations = [operation(number) for number in range(1, 251)]
    found = await client.find_by_code("code-250")
    assert (found.hits, found.complete) == ((), False)
    assert len(partner.calls) == 1


@pytest.mark.parametrize("refusal", [lambda: said({}, 500), lambda: said({}, 429), lambda: page_of_a_proxy(502)])
async def test_matches_found_before_a_failure_count(
    client: PaymentsClient, partner: Partner, refusal: Callable[[], web.Response]
) -> None:
    partner.operations = [operation(number) for number in range(1, 251)]
    partner.answer = lambda call: refusal() if call.query["page"] == "2" else None
    found = await client.find_by_code("code-7")
    assert [one.id for one in found.hits] == ["op-7"]
    assert not found.complete
    assert found.reason


PAGES = st.builds(
    OperationPage,
    operations=st.lists(
        st.builds(Operation, id=st.sampled_from("abcdef"), status=st.just("created"), code=st.sampled_from(["m", "x"])),
        max_size=3,
    ).map(tuple),
    page=st.integers(0, 4),
    last_page=st.integers(0, 4),
    per_page=st.just(2),
    total=st.integers(0, 6),
    first=st.none() | st.integers(0, 6),
    last=st.none(),
)


@settings(max_examples=300)
@given(st.lists(PAGES, min_size=1, max_size=6))
def test_a_complete_scan_saw_as_many_different_operations_as_the_list_has(pages: list[OperationPage]) -> None:
    scan = OperationScan(code="m", per_page=2)
    seen: list[Operation] = []
    for page in pages:
        if scan.is_over:
            break
        seen += page.operations
        scan.take(page)
    if scan.result.complete:
        assert len({one.id for one in seen}) == len(seen) == scan.result.total
    assert {one.id for one in scan.result.hits} <= {one.id for one in seen if one.code == "m"}
