"""Webhooks of a store, and bookings made elsewhere."""

from bot.playground.simulators.delivery import Booking
from tests.support.deliveries import heard, service_of
from tests.support.rig import Rig

FIELDS = {"customerName": "Walk", "customerLastName": "In", "latitude": "-0.19", "longitude": "-78.47"}


async def made_elsewhere(rig: Rig) -> Booking:
    booking = service_of(rig).book.create(service_of(rig).store("Centro"), FIELDS)
    await heard(rig)
    return booking
