"""Pages behind the service's links: address form, tracking, booking details and pictures."""

from html import escape
from urllib.parse import parse_qs

from bot.playground.simulators.delivery.book import Book, NotAllowedError
from bot.playground.simulators.delivery.records import Booking, Prebooking
from bot.playground.simulators.exchange import Answer, Ask, Refusal

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">{refresh}
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 3rem auto; padding: 0 1rem; color: #1d1c1d }}
h1 {{ font-size: 1.3rem }} label {{ display: block; margin: .8rem 0 }} input {{ font: inherit; width: 100%;
padding: .4rem; box-sizing: border-box }} button {{ font: inherit; padding: .6rem 1.4rem; border: 0;
border-radius: .5rem; background: #007a5a; color: #fff }}
.way {{ display: block; width: 100%; background: #eef3f1; border-radius: .5rem }}
</style></head><body><h1>{title}</h1>{body}</body></html>
"""
_FORM = """<form method="post">
<label>Address <input name="address" required value="{address}"></label>
<label>Latitude <input name="latitude" required inputmode="decimal" value="{latitude}"></label>
<label>Longitude <input name="longitude" required inputmode="decimal" value="{longitude}"></label>
<label>Reference <input name="reference"></label>
<button>Deliver here</button></form>"""
_MAP = """<svg class="way" viewBox="0 0 400 60" role="img" aria-label="{said}"><line x1="40" y1="30" x2="360" y2="30"
stroke="#9bb5ac" stroke-width="4"/><text x="40" y="54" text-anchor="middle" font-size="12">store</text>
<text x="360" y="54" text-anchor="middle" font-size="12">door</text>{driver}</svg>"""
_PICTURE = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 80" width="160"><circle cx="40" cy="40" r="40"
fill="#007a5a"/><text x="40" y="52" text-anchor="middle" font-size="32" fill="#fff">{letters}</text></svg>"""
_SHARE = {"ACCEPTED": 0.0, "ARRIVED_AT_PICKUP": 0.0, "WAY_TO_DELIVER": 0.6, "RETURNING": 0.3}
_PLACES = {
    "market": "https://www.google.com/maps/place/Market/@-0.2092,-78.5031,17z/data=!3d-0.2101!4d-78.5023",
    "park": "https://www.openstreetmap.org/#map=17/-0.1820/-78.4841",
    "nowhere": "",
}
"""Targets of the short links: a marked place, the middle of a map, and a page without a position."""
_BAD = "<p>Latitude and longitude are numbers such as -0.1807 and -78.4678.</p>"


class Pages:
    """Serves these pages, and those of the service for people: dashboard and support chat."""

    def __init__(self, *, book: Book) -> None:
        self._book = book

    def address(self, ask: Ask) -> Answer:
        """Show the form for the address, or a confirmation after it was entered."""
        prebooking = self._prebooking(ask)
        if prebooking.canceled or prebooking.booking is not None:
            return _page("Thank you", "<p>There is nothing more to enter here.</p>")
        latitude, longitude = prebooking.store.point
        form = _FORM.format(
            address="12 Market Street", latitude=f"{latitude + 0.01:.4f}", longitude=f"{longitude + 0.01:.4f}"
        )
        return _page(f"Where should {escape(prebooking.store.name)} deliver?", form)

    def dashboard(self, _ask: Ask) -> Answer:
        """List every booking and its state."""
        rows = [f"<li>{one.number} · {escape(one.store.name)} · {escape(one.status)}</li>" for one in self._bookings()]
        return _page("Dashboard", f"<ul>{''.join(rows)}</ul>" if rows else "<p>No bookings yet.</p>")

    def maps(self, _ask: Ask) -> Answer:
        """List short links that can be pasted as a position."""
        rows = [f'<li><a href="/maps/{name}">/maps/{name}</a></li>' for name in _PLACES]
        return _page("Short map links", f"<ul>{''.join(rows)}</ul>")

    def map(self, ask: Ask) -> Answer:
        """Redirect to the long address of a map, as URL shorteners do."""
        place = _PLACES.get(ask.params["id"])
        if place is None:
            raise Refusal(_page("There is no such link", "", status=404))
        if not place:
            return _page("A place", "<p>This page shows no position.</p>")
        return Answer(status=302, body="", content_type="text/html", headers={"Location": place})

    def support(self, _ask: Ask) -> Answer:
        """Show that no one answers in the support chat."""
        return _page("Support", "<p>In the playground nobody answers. The panel has the switches.</p>")

    def _bookings(self) -> list[Booking]:
        return list(self._book.bookings.values())

    def enter(self, ask: Ask) -> Answer:
        """Accept the entered address."""
        prebooking = self._prebooking(ask)
        given = {name: values[0] for name, values in parse_qs(ask.raw.decode("utf-8", "replace")).items()}
        try:
            fields: dict[str, object] = {
                "address": given["address"],
                "latitude": str(float(given["latitude"])),
                "longitude": str(float(given["longitude"])),
                **({"reference": given["reference"]} if given.get("reference") else {}),
            }
        except (KeyError, ValueError):
            raise Refusal(_page("Please look again", _BAD, status=400)) from None
        try:
            self._book.enter_address(prebooking, fields)
        except NotAllowedError as problem:
            raise Refusal(_page("Too late", f"<p>{escape(str(problem))}.</p>", status=409)) from problem
        page = _page("Thank you", "<p>The search for a driver has started.</p>")
        return Answer(body=page.body, content_type=page.content_type, effect=True)

    def track(self, ask: Ask) -> Answer:
        """Show the driver's position; the page reloads itself."""
        booking = self._booking(ask)
        share = _SHARE.get(booking.status, 1.0)
        dot = f'<circle cx="{40 + 320 * share:.0f}" cy="30" r="9" fill="#007a5a"/>' if booking.driver else ""
        driver = f"{booking.driver[0]} of {booking.provider}" if booking.driver else "Nobody yet"
        said = f"{driver}: {booking.status}"
        body = f"{_MAP.format(said=escape(said), driver=dot)}<p><b>{escape(booking.status)}</b> · {escape(driver)}</p>"
        return _page(f"Booking {booking.number}", body, refresh='<meta http-equiv="refresh" content="3">')

    def proof(self, ask: Ask) -> Answer:
        """Show the proof of delivery, as text."""
        return _page("Delivered", f"<p>Handed over: {escape(ask.params['id'])}</p>")

    def detail(self, ask: Ask) -> Answer:
        """Show the booking with its orders, as in the service's dashboard."""
        booking = self._booking(ask)
        rows = "".join(
            f"<li>{escape(one.provider)}: {escape(one.state)}{f', {escape(one.driver[0])}' if one.driver else ''}</li>"
            for one in booking.orders
        )
        return _page(f"Booking {booking.number}", f"<p><b>{escape(booking.status)}</b></p><ul>{rows}</ul>")

    def picture(self, ask: Ask) -> Answer:
        """Return a picture of the driver."""
        driver = self._booking(ask).driver
        letters = "".join(part[0] for part in driver[0].split()) if driver else "?"
        return Answer(body=_PICTURE.format(letters=escape(letters)), content_type="image/svg+xml")

    def _prebooking(self, ask: Ask) -> Prebooking:
        found = self._book.prebookings.get(ask.params["id"])
        if found is None:
            raise Refusal(_page("There is no such link", "", status=404))
        return found

    def _booking(self, ask: Ask) -> Booking:
        found = self._book.bookings.get(ask.params["id"])
        if found is None:
            raise Refusal(_page("There is no such booking", "", status=404))
        return found


def _page(title: str, body: str, *, status: int = 200, refresh: str = "") -> Answer:
    text = _PAGE.format(title=title, body=body, refresh=refresh)
    return Answer(status=status, body=text, content_type="text/html")
