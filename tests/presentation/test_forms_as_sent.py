"""Every form: Slack opens it, and it asks for what its command needs, each field with its limit and what may stay \
empty."""

from functools import partial

from inline_snapshot import snapshot

from bot.domain.bookings.booking import BookingKind, Stage
from bot.domain.files.columns import ColumnSummary
from bot.domain.files.tables import Marks
from bot.domain.payments.instruction import Kind, Recipient
from bot.presentation import emails, views
from bot.presentation.bookings import forms as bookings
from bot.presentation.payments import forms as payments
from tests.domain.made import instruction
from tests.presentation.bookings.moments import booking
from tests.presentation.checks import form_of, lines_of

HERE = "C0FINANCE"


def test_forms_of_payments() -> None:
    meant = instruction(recipient=Recipient(instead="anna@example.com"))
    asked = [payments.request(channel=HERE, kind=Kind.ONE_STEP), payments.edit(meant), payments.collect(channel=HERE)]
    found = [*asked, payments.bulk(channel=HERE), payments.account()]
    assert lines_of(list(map(form_of, found))) == snapshot("""\
New payout [Request approval] ⏎ Recipient's e-mail address ⏎ Amount in USD (up to 20) ⏎ What is it for? (up to 500) ⏎ \
Your reference (up to 64, optional)
Edit and resend [Request approval] ⏎ Did you mean *anna@example.com*? Its domain was paid before, and one letter \
differs. ⏎ Recipient's e-mail address = anna@example.com ⏎ Amount in USD (up to 20) = 25.00 ⏎ What is it for? (up to \
500) = March translation ⏎ Your reference (up to 64, optional)
Request money [Get the link] ⏎ Buyer's e-mail address ⏎ What is it for? (up to 500) ⏎ Items (up to 2000) ⏎ Your \
reference (up to 64, optional)
Pay in bulk [Request approval] ⏎ A file with the columns *email*, *amount* (USD) and *note*. Nothing is paid until \
it's approved. [Send me a template] ⏎ CSV or XLSX file (csv, xlsx, txt, tsv, optional) ⏎ … or rows (up to 3000, \
optional)
Check an account [Check] ⏎ E-mail address\
""")


def test_forms_of_bookings() -> None:
    typed = {bookings.STORE: "Norte", bookings.POSITION: "-0.18, -78.46", bookings.PAYMENT: "CASH"}
    link = booking(kind=BookingKind.PREBOOKING, stage=Stage.WAITING)
    quoted = {"quote": {"fee": "4.14", "fee_with_tax": "4.76", "tax": "0.62", "currency": "USD"}}
    found = [
        bookings.book(["Centro"], channel=HERE, anyway=True),
        bookings.prebook(["Centro", "Norte"], channel=HERE),
        bookings.price(["Centro", "Norte"], values=typed, problem="*No*"),
        bookings.confirm(booking(stage=Stage.QUOTED, detail=quoted)),
        bookings.confirm(booking(stage=Stage.QUOTED, detail={"unpriced": "no answer"})),
        bookings.cancel(booking(detail={"driver": {"name": "Luis"}}, remote_id="r")),
        bookings.cancel(link),
        bookings.store_add(channel=HERE),
        bookings.store_edit("Centro", values={bookings.NAME: "Centro", bookings.EMAIL: "centro@example.com"}),
    ]
    assert lines_of(list(map(form_of, found))) == snapshot("""\
Book a delivery [Show the price] ⏎ Store (Centro) = Centro ⏎ First name (up to 60) ⏎ Last name (up to 60) ⏎ Phone (up \
to 200) ⏎ E-mail address (optional) ⏎ Delivery address (up to 200) ⏎ Position (up to 2000) ⏎ How to find it (up to \
150, optional) ⏎ Payment (Already paid / Cash: the driver collects it) = Already paid ⏎ Order total (up to 20) ⏎ Prep \
time (minutes) (up to 4, optional) ⏎ Notes for the driver (up to 250, optional) ⏎ Without a price (Book even without a \
price, optional)
Pre-book a delivery [Get the link] ⏎ You get a link for the customer, who enters the address. Then the driver search \
starts. ⏎ Store (Centro / Norte) ⏎ First name (up to 60) ⏎ Last name (up to 60) ⏎ Phone (up to 200) ⏎ E-mail address \
(optional) ⏎ Payment (Already paid / Cash: the driver collects it) = Already paid ⏎ Order total (up to 20) ⏎ Prep time \
(minutes) (up to 4, optional) ⏎ Notes for the driver (up to 250, optional)
Price of a delivery [Show the price] ⏎ *No* ⏎ Store (Centro / Norte) = Norte ⏎ Position (up to 2000) = -0.18, -78.46 ⏎ \
Payment (Already paid / Cash: the driver collects it) = Cash: the driver collects it ⏎ Order total (up to 20) ⏎ \
Vehicle (up to 80, optional)
Confirm booking [Book] ⏎ :moneybag: *Delivery fee $4.76 ($0.62 tax)* ⏎ *B-4F7K2M · Centro → Ana Lopez*: 12 Market \
Street · <https://www.openstreetmap.org/?mlat=-0.18&mlon=-78.46#map=17/-0.18/-78.46|map> ⏎ Order: $25.50 in cash, \
collected by the driver · prep time 15 minutes
Book without a price? [Book] ⏎ :warning: *No price*: No answer. You can book anyway: the price is known when Delivery \
takes it, and it may decline. ⏎ *B-4F7K2M · Centro → Ana Lopez*: 12 Market Street · \
<https://www.openstreetmap.org/?mlat=-0.18&mlon=-78.46#map=17/-0.18/-78.46|map> ⏎ Order: 25.50 in cash, collected by \
the driver · prep time 15 minutes
Cancel the booking [Cancel the booking] ⏎ B-4F7K2M · Centro → Ana Lopez ⏎ This can't be undone. A driver is on the \
way, so the provider may charge for it. ⏎ Reason (up to 250)
Cancel the pre-booking [Cancel the pre-booking] ⏎ B-4F7K2M · Centro → Ana Lopez ⏎ This can't be undone. ⏎ Reason (up \
to 250)
Add a store [Add it] ⏎ Name (up to 60) ⏎ E-mail address (optional) ⏎ Phone (up to 200, optional) ⏎ Address (up to 200) \
⏎ Position (up to 2000) ⏎ How to find it (up to 150, optional) ⏎ Street number outside (up to 80, optional) ⏎ Number \
inside (up to 80, optional) ⏎ Address number (up to 80, optional) ⏎ Building (up to 80, optional) ⏎ City (up to 80, \
optional) ⏎ ZIP code (up to 80, optional) ⏎ Country (up to 80, optional)
Edit Centro [Save] ⏎ Name (up to 60) = Centro ⏎ E-mail address (optional) = centro@example.com ⏎ Phone (up to 200, \
optional) ⏎ Address (up to 200) ⏎ Position (up to 2000) ⏎ How to find it (up to 150, optional) ⏎ Street number outside \
(up to 80, optional) ⏎ Number inside (up to 80, optional) ⏎ Address number (up to 80, optional) ⏎ Building (up to 80, \
optional) ⏎ City (up to 80, optional) ⏎ ZIP code (up to 80, optional) ⏎ Country (up to 80, optional)\
""")
    for one in (booking(), booking(kind=BookingKind.PREBOOKING, remote_id="r")):
        assert bookings.cancel(one)["title"]["text"] == "Cancel the booking"


def test_form_lists_100_stores_and_accepts_typed_ones() -> None:
    store = [form_of(bookings.price([f"S{n}" for n in range(count)])).splitlines()[1] for count in (100, 101)]
    assert store == ["Store (100 choices)", "Store (up to 60)"]


LOOKS = [
    ColumnSummary(name="name", filled=3, addresses=0, samples=("Ana", "Ben")),
    ColumnSummary(name="email", filled=3, addresses=2, samples=("ana@example.com",)),
]


def test_forms_of_lists() -> None:
    list_form = partial(emails.list_form, LOOKS, marks=Marks(), file="F1", name="list.csv", channel="C1", thread_ts="1")
    lacking = {emails.ROW_BY_ROW: ["EMAIL_SINGLE_BASE_URL"]}
    found = [emails.file_form(channel=HERE), list_form(rows=1, lacking={}), list_form(rows=2_000, lacking=lacking)]
    assert lines_of(list(map(form_of, found))) == snapshot("""\
Process e-mails [Go on] ⏎ List of addresses (csv, tsv, txt, xlsx)
Process e-mails [Start] ⏎ *list.csv* · 1 row ⏎ Column with the addresses (name (0% addresses) / email (66% addresses)) \
= email (66% addresses) ⏎ How (Row by row / Whole file) = Row by row ⏎ Speed (advanced) (optional) = 1000
Process e-mails [Start] ⏎ *list.csv* · 2,000 rows ⏎ Column with the addresses (name (0% addresses) / email (66% \
addresses)) = email (66% addresses) ⏎ How (Whole file) = Whole file ⏎ “Row by row” isn't set up: an admin has to set \
EMAIL_SINGLE_BASE_URL.\
""")


def test_form_of_verb_asks_for_its_arguments() -> None:
    asked = [("payouts|purchases", "one of the two", True), ("page", "a number", False)]
    view = views.verb("/pay list", "everything at the service", asked, about={"command": "pay", "verb": "list"})
    assert form_of(view) == snapshot("""\
/pay list [Go on]
Everything at the service.
Payouts or purchases (up to 500, optional)
Page (up to 500)\
""")
