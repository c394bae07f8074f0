"""Every form as Slack gets it: each field with its limits, its example, what stands in it and what may stay empty."""

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
from tests.presentation.checks import as_another, as_sent


def test_forms_to_ask_for_payments() -> None:
    assert as_sent(payments.request(channel="C0FINANCE", kind=Kind.ONE_STEP)) == snapshot("""\
callback_id=payout.request title=New payout submit=Request approval close=Cancel \
private_metadata={"channel":"C0FINANCE","kind":"one_step"}
block_id=email label=Recipient's e-mail address as=email_text_input action_id=email
block_id=amount label=Amount in USD as=plain_text_input action_id=amount max_length=20 placeholder=25.00
block_id=description label=What is it for? as=plain_text_input action_id=description max_length=500 placeholder=March \
translation
block_id=code label=Your reference as=plain_text_input action_id=code max_length=64 placeholder=INV-2026-17 \
optional=True hint=For example an invoice number. Each can be used once.""")
    assert as_sent(payments.collect(channel="C0FINANCE")) == snapshot("""\
callback_id=purchase.request title=Request money submit=Get the link close=Cancel \
private_metadata={"channel":"C0FINANCE"}
block_id=email label=Buyer's e-mail address as=email_text_input action_id=email
block_id=description label=What is it for? as=plain_text_input action_id=description max_length=500 placeholder=March \
translation
block_id=items label=Items as=plain_text_input action_id=items max_length=2000 multiline=True placeholder=Web design = \
2 x 10.00
Hosting = 12 x 4.50 hint=One per line: item = quantity x price
block_id=code label=Your reference as=plain_text_input action_id=code max_length=64 placeholder=INV-2026-17 \
optional=True hint=For example an invoice number. Each can be used once.""")
    assert as_sent(payments.bulk(channel="C0FINANCE")) == snapshot("""\
callback_id=bulk.request title=Pay in bulk submit=Request approval close=Cancel private_metadata={"channel":"C0FINANCE"}
type=section text=A file with the columns *email*, *amount* (USD) and *note*. Nothing is paid until it's approved. \
accessory=type=button text=Send me a template action_id=bulk.template value=C0FINANCE
block_id=file label=CSV or XLSX file as=file_input action_id=file filetypes=[csv, xlsx, txt, tsv] max_files=1 \
optional=True
block_id=rows label=… or rows as=plain_text_input action_id=rows max_length=3000 multiline=True \
placeholder=ana@example.com, 25.00, March translation
ben@example.com, 10.50, Proofreading optional=True hint=One payment per line: email, amount, note. You can paste from \
a spreadsheet.\
""")
    assert as_sent(payments.account()) == snapshot("""\
callback_id=account.status title=Check an account submit=Check close=Cancel private_metadata=
block_id=email label=E-mail address as=email_text_input action_id=email\
""")


def test_the_form_that_edits_a_payout() -> None:
    meant = instruction(recipient=Recipient(instead="anna@example.com"))
    assert as_sent(payments.edit(meant)) == snapshot("""\
callback_id=payout.edit title=Edit and resend submit=Request approval close=Cancel \
private_metadata={"id":"01KAGT00000000000000000000","round":1,"channel":"C0FINANCE","kind":"payout"}
type=section text=Did you mean *anna@example.com*? Its domain was paid before, and one letter differs.
block_id=email label=Recipient's e-mail address as=email_text_input action_id=email initial_value=anna@example.com
block_id=amount label=Amount in USD as=plain_text_input action_id=amount max_length=20 placeholder=25.00 \
initial_value=25.00
block_id=description label=What is it for? as=plain_text_input action_id=description max_length=500 placeholder=March \
translation initial_value=March translation
block_id=code label=Your reference as=plain_text_input action_id=code max_length=64 placeholder=INV-2026-17 \
optional=True hint=For example an invoice number. Each can be used once.\
""")


def test_forms_of_bookings() -> None:
    book = bookings.book(["Centro"], channel="C0FINANCE", anyway=True)
    assert as_sent(book) == snapshot("""\
callback_id=booking.request title=Book a delivery submit=Show the price close=Close \
private_metadata={"channel":"C0FINANCE"}
block_id=store label=Store as=static_select action_id=store options=[text=Centro value=Centro] \
initial_option=text=Centro value=Centro
block_id=name label=First name as=plain_text_input action_id=name max_length=60 placeholder=Ana
block_id=last_name label=Last name as=plain_text_input action_id=last_name max_length=60 placeholder=Lopez
block_id=phone label=Phone as=plain_text_input action_id=booking.phone max_length=200 placeholder=+593 99 123 4567 \
hint=With country code, or a local number. Press Enter to fill in an earlier customer. dispatch_action=True
block_id=email label=E-mail address as=email_text_input action_id=email optional=True
block_id=address label=Delivery address as=plain_text_input action_id=address max_length=200 placeholder=12 Market \
Street, 3rd floor
block_id=position label=Position as=plain_text_input action_id=position max_length=2000 placeholder=-0.1807, -78.4678 \
hint=Coordinates, or a map link (short ones too)
block_id=place_reference label=How to find it as=plain_text_input action_id=place_reference max_length=150 \
placeholder=Blue door optional=True
block_id=payment label=Payment as=radio_buttons action_id=payment options=[text=Already paid value=CARD, text=Cash: \
the driver collects it value=CASH] initial_option=text=Already paid value=CARD
block_id=amount label=Order total as=plain_text_input action_id=amount max_length=20 placeholder=25.50 hint=Before \
delivery fee and discounts
block_id=cook label=Prep time (minutes) as=plain_text_input action_id=cook max_length=4 placeholder=15 optional=True \
hint=We look for a driver after this. Leave empty to start now.
block_id=notes label=Notes for the driver as=plain_text_input action_id=notes max_length=250 placeholder=Ring twice \
optional=True
block_id=anyway label=Without a price as=checkboxes action_id=anyway options=[text=Book even without a price \
value=anyway] optional=True""")
    assert as_another(book, bookings.prebook(["Centro", "Norte"], channel="C0FINANCE")) == snapshot("""\
callback_id=booking.prebook title=Pre-book a delivery submit=Get the link close=Close \
private_metadata={"channel":"C0FINANCE"}
type=section text=You get a link for the customer, who enters the address. Then the driver search starts.
block_id=store label=Store as=static_select action_id=store options=[text=Centro value=Centro, text=Norte value=Norte]
block_id=name …
block_id=last_name …
block_id=phone …
block_id=email …
block_id=payment …
block_id=amount …
block_id=cook …
block_id=notes …""")
    typed = {bookings.STORE: "Norte", bookings.POSITION: "-0.18, -78.46", bookings.PAYMENT: "CASH"}
    assert as_another(book, bookings.price(["Centro", "Norte"], values=typed, problem="*No*")) == snapshot("""\
callback_id=booking.quote title=Price of a delivery submit=Show the price close=Close private_metadata={}
type=section text=*No*
block_id=store label=Store as=static_select action_id=store options=[text=Centro value=Centro, text=Norte \
value=Norte] initial_option=text=Norte value=Norte
block_id=position label=Position as=plain_text_input action_id=position max_length=2000 placeholder=-0.1807, -78.4678 \
initial_value=-0.18, -78.46 hint=Coordinates, or a map link (short ones too)
block_id=payment label=Payment as=radio_buttons action_id=payment options=[text=Already paid value=CARD, text=Cash: \
the driver collects it value=CASH] initial_option=text=Cash: the driver collects it value=CASH
block_id=amount …
block_id=vehicle label=Vehicle as=plain_text_input action_id=vehicle max_length=80 placeholder=CAR optional=True""")


def test_forms_about_a_booking() -> None:
    quoted = {"quote": {"fee": "4.14", "fee_with_tax": "4.76", "tax": "0.62", "currency": "USD"}}
    priced = bookings.confirm(booking(stage=Stage.QUOTED, detail=quoted))
    assert as_sent(priced) == snapshot("""\
callback_id=booking.confirm title=Confirm booking submit=Book close=Close private_metadata={"id":"01M"}
type=section text=:moneybag: *Delivery fee $4.76 ($0.62 tax)*
type=section text=*B-4F7K2M · Centro → Ana Lopez*
12 Market Street · <https://www.openstreetmap.org/?mlat=-0.18&mlon=-78.46#map=17/-0.18/-78.46|map>
Order: $25.50 in cash, collected by the driver · prep time 15 minutes""")
    unpriced = bookings.confirm(booking(stage=Stage.QUOTED, detail={"unpriced": "no answer"}))
    assert as_another(priced, unpriced) == snapshot("""\
callback_id=booking.confirm title=Book without a price? submit=Book close=Close private_metadata={"id":"01M"}
type=section text=:warning: *No price*: No answer. You can book anyway: the price is known when Delivery takes it, \
and it may decline.
type=section …
12 …
Order: 25.50 in cash, collected by the driver · prep time 15 minutes""")
    taken = bookings.cancel(booking(detail={"driver": {"name": "Luis"}}, remote_id="r"))
    assert as_sent(taken) == snapshot("""\
callback_id=booking.cancel title=Cancel the booking submit=Cancel the booking close=Keep it \
private_metadata={"id":"01M"}
type=section text=B-4F7K2M · Centro → Ana Lopez
type=section text=This can't be undone. A driver is on the way, so the provider may charge for it.
block_id=reason label=Reason as=plain_text_input action_id=reason max_length=250 multiline=True hint=Visible to \
everyone in this channel, and to the provider.""")
    for one in (booking(), booking(kind=BookingKind.PREBOOKING, remote_id="r")):
        assert bookings.cancel(one)["title"]["text"] == "Cancel the booking"
    link = booking(kind=BookingKind.PREBOOKING, stage=Stage.WAITING)
    assert as_another(taken, bookings.cancel(link)) == snapshot("""\
callback_id=booking.cancel title=Cancel the pre-booking submit=Cancel the pre-booking close=Keep it \
private_metadata={"id":"01M"}
type=section …
type=section text=This can't be undone.
block_id=reason …""")


def test_forms_of_stores() -> None:
    assert as_sent(bookings.store_add(channel="C0FINANCE")) == snapshot("""\
callback_id=store.add title=Add a store submit=Add it close=Close private_metadata={"channel":"C0FINANCE"}
block_id=name label=Name as=plain_text_input action_id=name max_length=60 placeholder=Centro
block_id=email label=E-mail address as=email_text_input action_id=email optional=True
block_id=phone label=Phone as=plain_text_input action_id=phone max_length=200 placeholder=+593 2 234 5678 \
optional=True hint=With country code
block_id=address label=Address as=plain_text_input action_id=address max_length=200 placeholder=1 Main Square
block_id=position label=Position as=plain_text_input action_id=position max_length=2000 placeholder=-0.1807, -78.4678 \
hint=Coordinates, or a map link (short ones too)
block_id=place_reference label=How to find it as=plain_text_input action_id=place_reference max_length=150 \
placeholder=Beside the church optional=True
block_id=exterior label=Street number outside as=plain_text_input action_id=exterior max_length=80 placeholder=24B \
optional=True
block_id=interior label=Number inside as=plain_text_input action_id=interior max_length=80 placeholder=Floor 3 \
optional=True
block_id=number label=Address number as=plain_text_input action_id=number max_length=80 placeholder=24 optional=True
block_id=building label=Building as=plain_text_input action_id=building max_length=80 placeholder=Torre Sur \
optional=True
block_id=city label=City as=plain_text_input action_id=city max_length=80 placeholder=Quito optional=True
block_id=zip_code label=ZIP code as=plain_text_input action_id=zip_code max_length=80 placeholder=170150 optional=True
block_id=country label=Country as=plain_text_input action_id=country max_length=80 placeholder=Ecuador optional=True""")
    known = {bookings.NAME: "Centro", bookings.EMAIL: "centro@example.com"}
    changed = bookings.store_edit("Centro", values=known)
    assert changed["blocks"][2:] == bookings.store_add(channel="C0FINANCE")["blocks"][2:]
    changed["blocks"] = changed["blocks"][:2]
    assert as_sent(changed) == snapshot("""\
callback_id=store.edit title=Edit Centro submit=Save close=Close private_metadata={"store":"Centro"}
block_id=name label=Name as=plain_text_input action_id=name max_length=60 placeholder=Centro initial_value=Centro
block_id=email label=E-mail address as=email_text_input action_id=email initial_value=centro@example.com \
optional=True""")


def test_a_hundred_stores_are_a_list_and_more_are_typed() -> None:
    def store(count: int) -> str:
        (_, store, *_) = as_sent(bookings.price([f"S{n}" for n in range(count)])).splitlines()
        return store

    assert store(100).endswith("text=S99 value=S99] (100)")
    assert store(101) == snapshot("""\
block_id=store label=Store as=plain_text_input action_id=store max_length=60 placeholder=S0 hint=Its name""")


LOOKS = [
    ColumnSummary(name="name", filled=3, addresses=0, samples=("Ana", "Ben")),
    ColumnSummary(name="email", filled=3, addresses=2, samples=("ana@example.com",)),
]


def test_forms_of_lists() -> None:
    assert as_sent(emails.file_form(channel="C0FINANCE")) == snapshot("""\
callback_id=email.file title=Process e-mails submit=Go on close=Cancel private_metadata={"channel":"C0FINANCE"}
block_id=file label=List of addresses as=file_input action_id=file filetypes=[csv, tsv, txt, xlsx] max_files=1 \
hint=CSV or Excel (.xlsx), column names in the first row. Up to 10 MB.\
""")
    list_form = partial(
        emails.list_form, LOOKS, marks=Marks(), file="F1", name="list.csv", channel="C1", thread_ts="1.2"
    )
    both = list_form(rows=1, lacking={})
    assert as_sent(both) == snapshot("""\
callback_id=email.list title=Process e-mails submit=Start close=Cancel \
private_metadata={"file":"F1","name":"list.csv","channel":"C1","thread":"1.2"}
type=section text=*list.csv* · 1 row
block_id=column label=Column with the addresses as=static_select action_id=column options=[value=0|0|name text=name \
(0% addresses) description=Ana, Ben, value=1|66|email text=email (66% addresses) description=ana@example.com] \
initial_option=value=1|66|email text=email (66% addresses) description=ana@example.com
block_id=how label=How as=radio_buttons action_id=how options=[value=rows text=Row by row description=Check each \
address; can be paused, value=whole text=Whole file description=Send the file in one piece] initial_option=value=rows \
text=Row by row description=Check each address; can be paused
block_id=concurrent label=Speed (advanced) as=number_input action_id=concurrent is_decimal_allowed=False min_value=1 \
max_value=1000 initial_value=1000 optional=True hint=Addresses at a time, 1 to 1,000. Row by row only.\
""")
    lacking = {emails.ROW_BY_ROW: ["EMAIL_SINGLE_BASE_URL"]}
    whole = list_form(rows=2_000, lacking=lacking)
    assert as_another(both, whole) == snapshot("""\
callback_id=email.list …
type=section text=*list.csv* · 2,000 rows
block_id=column …
block_id=how label=How as=radio_buttons action_id=how options=[value=whole text=Whole file description=Send the file \
in one piece] initial_option=value=whole text=Whole file description=Send the file in one piece
type=section text=“Row by row” isn't set up: an admin has to set EMAIL_SINGLE_BASE_URL.\
""")


def test_the_form_of_a_verb() -> None:
    asked = [("payouts|purchases", "one of the two", True), ("page", "a number", False)]
    view = views.verb("/pay list", "everything at the service", asked, about={"command": "pay", "verb": "list"})
    assert as_sent(view) == snapshot("""\
callback_id=verb title=/pay list submit=Go on close=Cancel private_metadata={"command":"pay","verb":"list"}
type=section text=Everything at the service.
block_id=payouts|purchases label=Payouts or purchases as=plain_text_input action_id=payouts|purchases max_length=500 \
optional=True hint=One of the two.
block_id=page label=Page as=plain_text_input action_id=page max_length=500 hint=A number.""")
