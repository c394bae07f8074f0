"""Each service from the settings: it is there when everything it needs is, and names what it lacks."""

from contextlib import AsyncExitStack
from typing import Any

import pytest

from bot.domain.text import Secrets
from bot.settings import Settings
from bot.wiring.services import Outside, make_delivery, make_localization, make_payments
from bot.wiring.surroundings import Surroundings
from tests.support.clock import ManualClock
from tests.support.rig import SECRET_KEY, GivenSettings, Unlimited

KEY = "a-key-of-the-service-0123456789"


PAYMENTS = {
    "payments_base_url": "https://pay.example.com",
    "payments_partner_id": "partner",
    "payments_partner_secret": "partner-secret",
}
LOCALIZATION = {"localization_base_url": "https://words.example.com", "localization_api_key": KEY}


def outside(stack: AsyncExitStack, given: dict[str, Any]) -> Outside:
    settings: Settings = GivenSettings(secret_key=SECRET_KEY, **given)
    return Outside(settings=settings, stack=stack, total=1.0, monotonic=lambda: 0.0, secrets=Secrets(()))


@pytest.mark.parametrize("lacking", [None, *PAYMENTS, *LOCALIZATION])
async def test_payments_and_localization_need_all_settings(lacking: str | None) -> None:
    given = {name: value for name, value in {**PAYMENTS, **LOCALIZATION}.items() if name != lacking}
    async with AsyncExitStack() as stack:
        pays, localizes = make_payments(outside(stack, given), Unlimited()), make_localization(outside(stack, given))
    for service, needs in ((pays, PAYMENTS), (localizes, LOCALIZATION)):
        assert (service.client is not None) == service.is_configured == (lacking not in needs)
        assert list(service.missing) == ([str(lacking).upper()] if lacking in needs else [])


async def test_delivery_needs_a_base_address() -> None:
    async with AsyncExitStack() as stack:
        none = make_delivery(outside(stack, {}))
        assert (none.client, "DELIVERY_BASE_URL" in none.missing) == (None, True)
        there = make_delivery(
            outside(stack, {"delivery_base_url": "https://bring.example.com", "delivery_master_key": KEY})
        )
        assert there.client is not None
        assert not there.missing


def test_connect_timeout_is_5_seconds_by_default() -> None:
    assert Surroundings(clock=ManualClock(), owner="x").service_connect == 5.0
