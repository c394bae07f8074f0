"""What people see of each form about a request or a file, and what a button asks before it acts."""

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from bot.domain.files.columns import ColumnSummary
from bot.domain.money import Cents
from bot.domain.payments.bulk import BulkItem
from bot.domain.payments.bulk_file import BadRow, Checked, FormMetadata, Preview
from bot.domain.payments.instruction import Kind
from bot.presentation.blocks.text import paragraphs
from bot.presentation.payments import forms
from bot.presentation.payments.bad_rows import bad_rows
from bot.presentation.payments.cards import warnings
from bot.presentation.payments.kinds import in_full
from tests.presentation.checks import as_sent, check_view, lines_of, text_objects
from tests.presentation.drawn import foreign
from tests.presentation.payments.moments import card, moments


def decisions(kind: Kind) -> dict[str, str]:
    """Form -> what it shows, below the request that each of them names, and the warnings of its card."""
    waits, lost = moments(kind)["awaiting"], moments(kind)["needs_human"]
    made = [(make, waits) for make in (forms.approve, forms.reject, forms.withdraw)]
    views = [make(one, metadata="{}") for make, one in [*made, (forms.retry, lost), (forms.close, lost)]]
    about = f"\ntype=section text={in_full(waits)} · {waits.reference}\n"
    for view, one in zip(views, [*[waits] * len(made), lost, lost], strict=True):
        warned = [block for block in view["blocks"] if block in paragraphs(warnings(one))]
        assert bool(warned) is bool(warnings(one))
        view["blocks"] = [block for block in view["blocks"] if block not in warned]
    texts = {view["callback_id"]: as_sent(view).replace(about, "\n", 1) for view in views}
    return {name: text.removeprefix(f"callback_id={name} ") for name, text in texts.items()}


def test_forms_about_a_payout() -> None:
    assert lines_of(decisions(Kind.PAYOUT)) == snapshot("""\
payout.approve: title=Approve a payout submit=Approve close=Cancel private_metadata={} ⏎ block_id=amount label=To \
approve, type the amount: 25.00 as=plain_text_input action_id=amount max_length=20
payout.reject: title=Reject a payout submit=Reject close=Cancel private_metadata={} ⏎ block_id=reason label=Reason \
as=plain_text_input action_id=reason max_length=500 multiline=True hint=Visible to everyone in this channel.
payout.withdraw: title=Withdraw a payout submit=Withdraw close=Cancel private_metadata={} ⏎ block_id=reason \
label=Reason as=plain_text_input action_id=reason max_length=500 multiline=True hint=Visible to everyone; the \
requester is told.
payout.retry: title=Retry a payout submit=Approve new attempt close=Cancel private_metadata={} ⏎ type=section \
text=:warning: *First check the provider's dashboard.* If it was paid there, retrying could pay twice. We check once \
more before sending. ⏎ block_id=amount label=Type the amount: 25.00 as=plain_text_input action_id=amount max_length=20
payout.close: title=Close as not paid submit=Close close=Cancel private_metadata={} ⏎ block_id=reason label=Reason \
as=plain_text_input action_id=reason max_length=500 multiline=True hint=How do you know that it wasn't paid?\
""")
    one = moments(Kind.PAYOUT)["needs_human, never created"]
    assert as_sent(forms.retry(one, metadata=forms.about(one, channel="C0APPROVE", ts="1.2"))) == snapshot("""\
callback_id=payout.retry title=Retry a payout submit=Approve new attempt close=Cancel \
private_metadata={"id":"01KAGT00000000000000000000","round":1,"channel":"C0APPROVE","ts":"1.2"}
type=section text=$25.00 to Ana Maria Lopez (ana@example.com) · P-4F7K2M
type=section text=The payout couldn't be created, so nothing was paid. Retrying creates it again.
block_id=amount label=Type the amount: 25.00 as=plain_text_input action_id=amount max_length=20\
""")


def test_forms_about_many() -> None:
    """What differs from those about a payout, but for its name."""
    first = {
        name: text.replace("payout", "(it)").replace("25.00", "(sum)") for name, text in decisions(Kind.PAYOUT).items()
    }
    found = {}
    for kind, name, cents in ((Kind.BULK, "bulk payment", "$1,250.00"), (Kind.BULK_CANCEL, "cancellation", "$95.00")):
        told = {
            form: text.replace(name, "(it)").replace(cents, "(sum)").replace(cents.strip("$").replace(",", ""), "(sum)")
            for form, text in decisions(kind).items()
        }
        found[name] = {form: text for form, text in told.items() if text != first[form]}
    assert list(found.pop("bulk payment")) == ["payout.approve"], "it has doubts, which are confirmed"
    assert lines_of(found["cancellation"]) == snapshot("""\
payout.retry: title=Retry a (it) submit=Approve new attempt close=Cancel private_metadata={} ⏎ type=section text=Only \
payments that still wait are canceled; what was canceled before stays as it is. ⏎ block_id=amount label=Type the \
amount: (sum) as=plain_text_input action_id=amount max_length=20
payout.close: title=Close a (it) submit=Close close=Cancel private_metadata={} ⏎ block_id=reason label=Reason \
as=plain_text_input action_id=reason max_length=500 multiline=True hint=What happened to the payments, and how do you \
know?\
""")


def test_what_buttons_ask() -> None:
    found = {}
    for kind, name in (
        (Kind.PAYOUT, "awaiting"),
        (Kind.PURCHASE, "new"),
        (Kind.BULK, "pending_escrow"),
        (Kind.BULK_CANCEL, "awaiting"),
    ):
        for block in card(moments(kind)[name]).blocks:
            for element in block.get("elements", []):
                if "confirm" in element:
                    asked = [text["text"] for text in text_objects(element["confirm"])]
                    found[f"{kind}, {element['text']['text']}"] = " | ".join(asked)
    assert lines_of(found) == snapshot("""\
purchase, Withdraw: Withdraw this purchase? | Withdraw this $119.50 request? You can send it again later. | Withdraw | \
Keep it
bulk, Cancel 2 waiting: Cancel 2 waiting payments? | $95.00 comes back once it's approved. Only what waits now is \
canceled. | Request approval | Keep them\
""")


LOOKS = st.lists(
    st.builds(
        ColumnSummary,
        name=foreign(),
        filled=st.just(3),
        addresses=st.integers(0, 3),
        samples=st.lists(foreign(), max_size=3).map(tuple),
    ),
    min_size=2,
    max_size=60,
)
ITEMS = st.lists(
    st.builds(
        BulkItem,
        row=st.integers(2, 10_001),
        email=st.sampled_from(["ana@example.com", "luis@example.com", "x" * 200 + "@example.com"]),
        cents=st.integers(1, 10**13).map(Cents),
    ),
    min_size=1,
    max_size=40,
)
BAD = st.lists(st.builds(BadRow, row=st.integers(2, 99), column=st.just("amount"), rule=foreign(), given=foreign()))


def seen(looks: list[ColumnSummary], checked: Checked | None, name: str) -> Preview:
    places = {"email": 0, "amount": 1} if checked is not None else {}
    return Preview(
        name=name, fingerprint="0" * 64, how="UTF-8 with commas", looks=looks, places=places, checked=checked
    )


@given(LOOKS, ITEMS, BAD, foreign(), st.booleans())
def test_the_form_of_a_file(
    looks: list[ColumnSummary], items: list[BulkItem], bad: list[BadRow], name: str, note: bool
) -> None:
    carried = FormMetadata(file="F1", channel="C1", key="file:F1", thread_ts="1.1")
    checked = Checked(name=name, items=items, bad=bad, rows=len(items) + len(bad), read_as="x")
    problem = bad_rows(checked).blocks if bad else ()
    shown = seen(looks, checked, name)
    view = forms.file_form(shown, carried, note=forms.CHANGED if note else "", problem=problem)
    check_view(view)
    back = FormMetadata.load(view["private_metadata"])
    assert (back.file, back.key, back.seen, dict(back.places)) == ("F1", "file:F1", "0" * 64, shown.places)
    assert back.counted == (not bad)
    assert view["submit"]["text"] == ("Go on" if bad else "Request approval")


@given(LOOKS, foreign())
def test_the_form_that_asks_for_the_columns(looks: list[ColumnSummary], name: str) -> None:
    view = forms.file_form(seen(looks, None, name), FormMetadata(file="F1", channel="C1", key="k"))
    check_view(view)
    assert view["blocks"][0]["text"]["text"].startswith(":mag: *Which column is which?*")
    assert not FormMetadata.load(view["private_metadata"]).counted


@given(
    st.dictionaries(st.sampled_from(["email", "amount", "note", "other"]), st.sampled_from(["", "0", "1", "none", "x"]))
)
def test_a_choice_is_read_back(values: dict[str, str]) -> None:
    chosen = forms.chosen(values)
    assert set(chosen.values()) <= {0, 1}
    wrong = forms.errors(chosen)
    assert bool(wrong) == ("email" not in chosen or "amount" not in chosen or chosen["email"] == chosen["amount"])
