"""Reasons of requests that wait."""

import pytest

from bot.domain.approvals import No
from bot.presentation.payments.holding import held, is_held


@pytest.mark.parametrize("sent_before", [False, True])
def test_a_held_request_is_known_by_its_reason(sent_before: bool) -> None:
    assert [no for no in No if not is_held(held(no, sent_before=sent_before))] == []
    assert is_held(
        "held, because they left the group. *Withdraw* ends it; if they may ask again, it needs new approvals"
    )
    assert not is_held("the service did not answer")
