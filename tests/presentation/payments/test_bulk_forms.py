"""Whatever stands in a file, the form with its sum is within Slack's limits and carries what it was about."""

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.files.columns import ColumnSummary
from bot.domain.money import Cents
from bot.domain.payments.bulk import BulkItem
from bot.domain.payments.bulk_file import BadRow, Checked, FormMetadata, Preview
from bot.presentation.payments import answers, forms
from tests.presentation.checks import check_view
from tests.presentation.drawn import foreign

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
    problem = answers.bad_rows(name, bad, rows=checked.rows).blocks if bad else ()
    shown = seen(looks, checked, name)
    view = forms.file_form(shown, carried, note=forms.CHANGED if note else "", problem=problem)
    check_view(view)
    back = FormMetadata.load(view["private_metadata"])
    assert (back.file, back.key, back.seen, dict(back.places)) == ("F1", "file:F1", "0" * 64, shown.places)
    assert back.counted == (not bad)
    assert view["submit"]["text"] == ("Go on" if bad else "Ask for approval")


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
