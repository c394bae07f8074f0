"""What people see of each form about a request, and what a button asks before it acts."""

from typing import Any

from inline_snapshot import snapshot

from bot.domain.payments.instruction import Kind
from bot.presentation.payments import forms
from bot.presentation.payments.kinds import headline
from tests.presentation.checks import check_view, lines_of, text_objects
from tests.presentation.payments.moments import card, moments


def shown(view: dict[str, Any]) -> str:
    """Title and button, then one block a line."""
    check_view(view)
    title, submit = view["title"]["text"], view.get("submit", {}).get("text", "")
    lines = [" | ".join(text["text"] for text in text_objects(block)) for block in view["blocks"]]
    return "\n".join([f"{title} [{submit}]", *lines])


def decisions(kind: Kind) -> dict[str, str]:
    """Form -> what it shows, below the request that each of them names."""
    waits, lost = moments(kind)["awaiting"], moments(kind)["needs_human"]
    made = [(make, waits) for make in (forms.approve, forms.reject, forms.withdraw)]
    views = [make(one, metadata="{}") for make, one in [*made, (forms.retry, lost), (forms.close, lost)]]
    about = f"\n{headline(waits)}\nReference {waits.reference}\n"
    return {view["callback_id"]: shown(view).replace(about, "\n", 1) for view in views}


def test_forms_about_a_payout() -> None:
    assert lines_of(decisions(Kind.PAYOUT)) == snapshot("""\
payout.approve: Approve a payout [Approve] ⏎ Type the amount, 25.00 USD, to approve it
payout.reject: Reject a payout [Reject] ⏎ Reason | Everybody sees it.
payout.withdraw: Withdraw a payout [Withdraw] ⏎ Reason | Everybody sees it; the person who asked is told.
payout.retry: Retry a payout [Approve new attempt] ⏎ :warning: *Look this payout up at the service first.* If it was \
paid there, a new attempt may pay it again. Switchboard reads it once more before it sends anything. ⏎ Type the \
amount, 25.00 USD
payout.close: Close as not paid [Close] ⏎ Reason | How do you know that it was not paid?""")
    never_created = forms.retry(moments(Kind.PAYOUT)["needs_human, never created"], metadata="{}")
    assert shown(never_created) == snapshot("""\
Retry a payout [Approve new attempt]
25.00 USD to ana@example.com
Reference P-4F7K2M
The payout could not be created, so nothing was paid. A new attempt creates it again.
Type the amount, 25.00 USD""")


def test_forms_about_many() -> None:
    """What differs from those about a payout, but for its name."""
    first = {
        name: text.replace("payout", "(it)").replace("25.00", "(sum)") for name, text in decisions(Kind.PAYOUT).items()
    }
    found = {}
    for kind, name, cents in ((Kind.BULK, "bulk payment", "1250.00"), (Kind.BULK_CANCEL, "cancellation", "95.00")):
        told = {form: text.replace(name, "(it)").replace(cents, "(sum)") for form, text in decisions(kind).items()}
        found[name] = {form: text for form, text in told.items() if text != first[form]}
    assert found == snapshot(
        {
            "bulk payment": {},
            "cancellation": {
                "payout.retry": """\
Retry a (it) [Approve new attempt]
Only payments that still read as pending are named again. What was canceled already is canceled once only.
Type the amount, (sum) USD""",
                "payout.close": """\
Close a (it) [Close]
Reason | What became of the payments, and how do you know?""",
            },
        }
    )


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
payout, Withdraw: Withdraw this payout? | 25.00 USD to ana@example.com. This cannot be undone. If somebody else asked \
for it, a form asks you for the reason. | Withdraw | Leave it
purchase, Withdraw: Withdraw this purchase? | 119.50 USD from ben@example.com. This cannot be undone. If somebody else \
asked for it, a form asks you for the reason. | Withdraw | Leave it
bulk, Cancel pending: Ask to cancel? | 2 payments are pending. Approvers decide about exactly those that are pending \
now. | Ask for approval | Leave them
bulk_cancel, Withdraw: Withdraw this cancellation? | 95.00 USD back from 2 payments still pending in escrow. This \
cannot be undone. If somebody else asked for it, a form asks you for the reason. | Withdraw | Leave it""")
