"""What the tests of the delivery client book."""

from pydantic import SecretStr

from bot.domain.bookings.booking import BookingRequest
from bot.domain.bookings.record import Payment, Phone, Position

KEY = SecretStr("store-key")
HERE = Position(latitude="-0.1850", longitude="-78.4700")
PHONE = Phone(country_code="+593", national="991234567")
BOOKING = (
    "01EXTERNAL",
    BookingRequest(
        name="Ana", last_name="Lopez", country_code=PHONE.country_code, mobile=PHONE.national, payment=Payment.CASH,
        cents=2550, latitude=HERE.latitude, longitude=HERE.longitude, address="12 Market Street", notes="Ring twice",
        cook_minutes=15,
    ),
)  # fmt: skip
