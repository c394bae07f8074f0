"""What one person is told about deliveries: prices, stores, webhooks, and what became of what they did."""

from dataclasses import replace

from inline_snapshot import snapshot

from bot.domain.bookings.booking import Act
from bot.domain.bookings.record import HookState, Quote, WebhookKind
from bot.domain.reasons import Exchange, OfBooking, Reason
from bot.presentation.bookings import answers
from tests.presentation.bookings.moments import NO_ANSWER, booking, moments
from tests.presentation.checks import check_message, lines_of

DRIVER = WebhookKind.DRIVER
QUOTED = Quote(fee="4.14", fee_with_tax="4.76", tax="0.62", currency="USD", eta="25", distance="3.2")
RECORD = {"address": "12 Market Street", "country_code": "+593", "mobile": "22345678", "latitude": "-0.18"}


def test_answers() -> None:
    one = booking()
    told = {
        "priced": answers.priced("Centro", QUOTED),
        "posted elsewhere": answers.elsewhere(one),
        "no stores": answers.stores([], command="/deliver"),
        "looked for": answers.acted(moments()["unknown"], Act.REFRESH, trouble=None),
        "cannot cancel": answers.acted(one, Act.CANCEL, trouble=Reason(OfBooking.CANNOT_CANCEL)),
        "say why": answers.of_booking(answers.SAY_WHY, one, command="/deliver"),
        "store": answers.store("Centro", RECORD),
        "store changed": answers.store("Centro", RECORD, lead=answers.STORE_CHANGED),
        "store trouble": answers.store_trouble(NO_ANSWER, looked_for="Centro"),
    }
    for content in told.values():
        check_message(content)
    assert lines_of({name: content.text for name, content in told.items()}) == snapshot("""\
priced: :moneybag: *Delivery fee $4.76 ($0.62 tax)* ⏎ About 25 min, 3.2 km ⏎ From Centro
posted elsewhere: :package: Booked: Ana Lopez (B-4F7K2M). I'm not in this channel, so I'll message you. To add me: \
`/invite @Switchboard`
no stores: :convenience_store: No stores yet. `/deliver stores` loads them from the provider; `/deliver store add` \
adds one.
looked for: :ballot_box_with_check: Checking with the provider: Ana Lopez (B-4F7K2M).
cannot cancel: :warning: Ana Lopez (B-4F7K2M) can't be canceled: it's now driver on the way to the store.
say why: :information_source: Ana Lopez (B-4F7K2M) wasn't booked here; I follow it from now on. To cancel it, add a \
reason: `/deliver cancel B-4F7K2M &lt;reason&gt;`
store: :convenience_store: *Centro* ⏎ Address: 12 Market Street ⏎ Position: -0.18 ⏎ Phone: +593 22345678
store changed: :white_check_mark: Saved. *Centro* ⏎ Address: 12 Market Street ⏎ Position: -0.18 ⏎ Phone: +593 22345678
store trouble: :warning: Couldn't reach Delivery. Checking whether Centro was added; see `stores` in a minute.\
""")


def test_missing_price_names_the_reason() -> None:
    told = [
        answers.not_covered("This address is not covered", store="Centro", bookable=True),
        answers.no_price("The delivery service says: The amount is too high.", refused=True),
        answers.no_price("The delivery service gave no answer.", refused=False),
    ]
    assert lines_of(told) == snapshot("""\
:no_entry_sign: *Not covered*: this address is outside Centro's delivery area. “This address is not covered” Check \
the pin or choose another store. To book without a price, tick the box at the end.
:no_entry_sign: *No price*: The delivery service says: The amount is too high. Nothing was booked.
:warning: *No price right now*: The delivery service gave no answer. Nothing was booked.""")


def test_webhooks() -> None:
    state = HookState(kind=DRIVER, host="switchboard.example.com", ours=True)
    hooks = [
        state,
        replace(state, host="other.example.com", ours=False),
        replace(state, host="", trouble=Reason(Exchange.ANSWERED, status=500)),
    ]
    leads = [
        answers.hooks("Centro", one, turned_on=on)
        .text.splitlines()[0]
        .removeprefix(":satellite_antenna: *Webhooks for ")
        for one, on in (
            ([state], None),
            ([state], True),
            (hooks, True),
            (hooks, False),
            ([HookState(kind=DRIVER)] * 2, False),
        )
    ]
    assert leads == [
        "Centro*",
        "Centro* are on.",
        "Centro* are not all on.",
        "Centro* are not all off.",
        "Centro* are off.",
    ]
    assert answers.hooks("Centro", hooks, turned_on=True).text == snapshot("""\
:satellite_antenna: *Webhooks for Centro* are not all on.
• `DRIVER_ASSIGNED`: comes here (switchboard.example.com).
• `DRIVER_ASSIGNED`: goes elsewhere (other.example.com).
• `DRIVER_ASSIGNED`: off. :warning: Answer 500.""")


def test_unknown_store_suggests_a_match_or_ten_names() -> None:
    names = [f"Store {number}" for number in range(12)]
    assert answers.store_rule(names).endswith(
        ": Store 0, Store 1, Store 2, Store 3, Store 4, Store 5, Store 6, Store 7, Store 8, Store 9 and 2 more"
    )
    assert answers.store_rule([*names, "Harbour"], given="harbor") == "no store called “harbor”. Did you mean Harbour?"
    assert answers.store_rule(["Centro"], given="Norte") == "no store called “Norte”. There is: Centro"
    assert answers.store_rule([]) == "there is no store yet"
