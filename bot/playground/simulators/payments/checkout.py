"""The buyer's side of a purchase: one small page with two buttons."""

from html import escape
from urllib.parse import parse_qs

from bot.playground.simulators.exchange import Answer, Ask, Refusal
from bot.playground.simulators.payments.book import Book
from bot.playground.simulators.payments.records import CANCELED, CONFIRMED, CREATED, Record

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Checkout</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 4rem auto; padding: 0 1rem; color: #1d1c1d }}
h1 {{ font-size: 1.3rem }} li {{ margin: .2rem 0 }} .sum {{ font-size: 1.8rem; font-weight: 700 }}
button {{ font: inherit; padding: .6rem 1.4rem; border-radius: .5rem; border: 1px solid #888; background: #fff }}
button.pay {{ background: #007a5a; border-color: #007a5a; color: #fff }}
</style></head><body><h1>{description}</h1><ul>{items}</ul><p class="sum">USD {amount}</p>{rest}</body></html>
"""
_BUTTONS = (
    '<form method="post"><button class="pay" name="choice" value="pay">Pay</button> '
    '<button name="choice" value="cancel">Cancel</button></form>'
)


class Checkout:
    """Shows a purchase to its buyer and takes the decision."""

    def __init__(self, *, book: Book) -> None:
        self._book = book

    def show(self, ask: Ask) -> Answer:
        """The page of a purchase; once it is decided, without buttons."""
        return _page(self._purchase(ask))

    def decide(self, ask: Ask) -> Answer:
        """Take the form's ``choice`` (``pay`` or ``cancel``) and send the buyer back to the shop."""
        record = self._purchase(ask)
        choice = parse_qs(ask.raw.decode("utf-8", "replace")).get("choice", [""])[0]
        if record.status != CREATED or choice not in ("pay", "cancel"):
            raise Refusal(_page(record, status=409))
        self._book.settle(record, CONFIRMED if choice == "pay" else CANCELED)
        back = record.confirmation_uri if choice == "pay" else record.cancel_uri
        if back is None:
            page = _page(record)
            return Answer(body=page.body, content_type=page.content_type, effect=True)
        return Answer(status=303, body="", content_type="text/html", headers={"Location": back}, effect=True)

    def _purchase(self, ask: Ask) -> Record:
        record = self._book.shelf.by_id.get(ask.params["id"])
        if record is None or record.operation_type != "purchase":
            raise Refusal(Answer(status=404, body="<h1>There is no such purchase</h1>", content_type="text/html"))
        return record


def _page(record: Record, *, status: int = 200) -> Answer:
    lines = (f"<li>{item.quantity} × {escape(item.description)}: {item.cents / 100:.2f}</li>" for item in record.items)
    decided = f"<p>This purchase is {escape(record.status)}.</p>"
    body = _PAGE.format(
        description=escape(record.description),
        items="".join(lines),
        amount=f"{record.cents / 100:.2f}",
        rest=_BUTTONS if record.status == CREATED else decided,
    )
    return Answer(status=status, body=body, content_type="text/html")
