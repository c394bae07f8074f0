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
from tests.presentation.checks import check_view, form_of, lines_of, text_objects
from tests.presentation.drawn import foreign
from tests.presentation.payments.moments import card, moments


def decisions(kind: Kind) -> dict[str, str]:
    """Form -> what it shows, below the request that each of them names, and the warnings of its card."""
    waits, lost = moments(kind)["awaiting"], moments(kind)["needs_human"]
    made = [(make, waits) for make in (forms.approve, forms.reject, forms.withdraw)]
    views = [make(one, metadata="{}") for make, one in [*made, (forms.retry, lost), (forms.close, lost)]]
    for view, one in zip(views, [*[waits] * len(made), lost, lost], strict=True):
        warned = [block for block in view["blocks"] if block in paragraphs(warnings(one))]
        assert bool(warned) is bool(warnings(one))
        view["blocks"] = [block for block in view["blocks"] if block not in warned]
    about = f"\n{in_full(waits)} · {waits.reference}\n"
    return {view["callback_id"]: form_of(view).replace(about, "\n", 1) for view in views}


def test_forms_about_a_request() -> None:
    """Those of bulk payments and cancellations only where they differ in more than their names."""
    first = decisions(Kind.PAYOUT)
    found = {f"payout, {form}": text for form, text in first.items()}
    for kind, name, cents in ((Kind.BULK, "bulk payment", "1,250.00"), (Kind.BULK_CANCEL, "cancellation", "95.00")):
        for form, text in decisions(kind).items():
            plain = text.replace(name, "payout").replace(cents, "25.00").replace(cents.replace(",", ""), "25.00")
            if plain != first[form]:
                found[f"{kind}, {form}"] = text
    assert lines_of(found) == snapshot("""\
payout, payout.approve: Approve a payout [Approve] ⏎ To approve, type the amount: 25.00 (up to 20)
payout, payout.reject: Reject a payout [Reject] ⏎ Reason (up to 500)
payout, payout.withdraw: Withdraw a payout [Withdraw] ⏎ Reason (up to 500)
payout, payout.retry: Retry a payout [Approve new attempt] ⏎ :warning: *First check the provider's dashboard.* If it \
was paid there, retrying could pay twice. We check once more before sending. ⏎ Type the amount: 25.00 (up to 20)
payout, payout.close: Close as not paid [Close] ⏎ Reason (up to 500)
bulk, payout.approve: Approve a bulk payment [Approve anyway] ⏎ $1,250.00 · 10 payments to 9 people · L-4F7K2M
bulk_cancel, payout.retry: Retry a cancellation [Approve new attempt] ⏎ Only payments that still wait are canceled; \
what was canceled before stays as it is. ⏎ Type the amount: 95.00 (up to 20)
bulk_cancel, payout.close: Close a cancellation [Close] ⏎ Reason (up to 500)\
""")
    one = moments(Kind.PAYOUT)["needs_human, never created"]
    assert form_of(forms.retry(one, metadata=forms.about(one, channel="C0APPROVE", ts="1.2"))) == snapshot("""\
Retry a payout [Approve new attempt]
$25.00 to Ana Maria Lopez (ana@example.com) · P-4F7K2M
The payout couldn't be created, so nothing was paid. Retrying creates it again.
Type the amount: 25.00 (up to 20)\
""")


def test_buttons_ask_for_confirmation() -> None:
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
def test_file_form_has_its_fields(
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
def test_columns_form_has_its_fields(looks: list[ColumnSummary], name: str) -> None:
    view = forms.file_form(seen(looks, None, name), FormMetadata(file="F1", channel="C1", key="k"))
    check_view(view)
    assert view["blocks"][0]["text"]["text"].startswith(":mag: *Which column is which?*")
    assert not FormMetadata.load(view["private_metadata"]).counted


@given(
    st.dictionaries(st.sampled_from(["email", "amount", "note", "other"]), st.sampled_from(["", "0", "1", "none", "x"]))
)
def test_chosen_columns_are_read_back(values: dict[str, str]) -> None:
    chosen = forms.chosen(values)
    assert set(chosen.values()) <= {0, 1}
    wrong = forms.errors(chosen)
    assert bool(wrong) == ("email" not in chosen or "amount" not in chosen or chosen["email"] == chosen["amount"])
