from datetime import timedelta

import pytest
from inline_snapshot import snapshot

from bot.domain.approvals import No, Refusal
from bot.domain.content import Content
from bot.domain.errors import PersonError
from bot.domain.payments.instruction import State
from bot.domain.requirement import Requirement
from bot.presentation import answers
from bot.presentation.help import Usage, no_such_verb, usage
from bot.presentation.mistakes import at_field, mistakes
from bot.presentation.payments import answers as payment_answers
from tests.domain.made import NOW, instruction, payload, vote
from tests.presentation.checks import check_message, readable


def same_words(content: Content) -> None:
    """The text by itself says what the blocks say."""
    said = content.text.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
    for line in readable(content).splitlines():
        plain = line.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">").strip()
        assert plain in said, plain


@pytest.mark.parametrize("refusal", [*No, *Refusal])
def test_every_refusal_has_a_sentence(refusal: No | Refusal) -> None:
    content = payment_answers.refused(refusal, instruction())
    check_message(content)
    assert content.text.endswith((".", ".*"))


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (State.APPROVED, "now *approved* by <@U0LIN>"),
        (State.SENDING, "now *being sent*, approved by <@U0LIN>"),
        (State.COMMITTED, "now *sent*, approved by <@U0LIN>"),
        (State.COMPLETED, "already *completed*, approved by <@U0LIN>"),
        (State.REJECTED, "already *rejected* by <@U0LIN>"),
        (State.WITHDRAWN, "already *withdrawn* by <@U0LIN>"),
    ],
)
def test_the_loser_is_told_who_was_first(state: State, said: str) -> None:
    closed = NOW if "already" in said else None
    content = payment_answers.refused(Refusal.DECIDED, instruction(state=state, decided_by="U0LIN", closed_at=closed))
    assert said in content.text
    assert ("<!date^" in content.text) is (closed is not None)


def test_what_nobody_decided_names_nobody() -> None:
    assert "<@" not in payment_answers.refused(Refusal.DECIDED, instruction(state=State.EXPIRED)).text


def test_who_asked_is_told_what_it_needs_and_where_to_hear_of_it() -> None:
    needs = Requirement(quorum=2, typed_amount=True, reasons=("over 1000.00 USD",))
    content = payment_answers.requested(instruction(requirement=needs), member=True)
    for part in ("25.00 USD to ana@example.com", "P-4F7K2M", "Needs 2 approvals", "over 1000.00 USD", "posted here"):
        assert part in content.text


def test_where_the_bot_is_no_member_the_rule_and_the_way_to_invite_it_are_named() -> None:
    assert payment_answers.requested(instruction(), member=False).text == snapshot(
        ":memo: Asked for 25.00 USD to ana@example.com, reference P-4F7K2M. Needs 1 approval besides the requester. "
        "\n"
        "*channel*: I can only post where I am a member, and I am not in <#C0FINANCE>, so I will send you the "
        "outcome of this one in a direct message. To have the next one there, invite me: `/invite @Switchboard`"
    )


def test_nobody_is_invited_into_other_peoples_direct_messages() -> None:
    assert payment_answers.requested(instruction(origin_channel="D0OTHERS"), member=False).text == snapshot(
        ":memo: Asked for 25.00 USD to ana@example.com, reference P-4F7K2M. Needs 1 approval besides the requester. "
        "I am not part of this conversation, so I will send you the outcome in a direct message."
    )


def test_what_waits_is_told_the_readers_own_first_with_what_it_is_for() -> None:
    one = instruction(expires_at=NOW + timedelta(days=1))
    other = instruction(reference="P-222222", payload=payload(description="Tom & Ana's <dinner>"), requester="U0TOM")
    content = payment_answers.waiting(
        [payment_answers.Waiting(one, [vote("U0LIN")], True), payment_answers.Waiting(other, [], False)],
        approvals_channel="C0APPROVE",
    )
    check_message(content)
    same_words(content)
    assert "*2 waiting for approval*, 1 of them for you" in content.text
    assert "approved by <@U0LIN>" in content.text
    assert "March translation" in content.text


def test_a_long_list_says_how_many_more_there_are() -> None:
    content = payment_answers.waiting(
        [payment_answers.Waiting(instruction(), [], False)] * 20, approvals_channel="C0APPROVE"
    )
    assert "and 5 more" in content.text
    assert "and 5 more" in readable(content)
    assert len(content.blocks) <= 50


def test_nothing_waits_is_an_answer_too() -> None:
    assert "Nothing waits" in payment_answers.waiting([], approvals_channel="C0APPROVE").text


def test_mistakes_name_argument_rule_what_was_given_and_one_right_example() -> None:
    content = mistakes(
        [
            PersonError(argument="email", rule="it is missing", example="/pay send ana@example.com 25.00 x"),
            PersonError(argument="amount", rule="it must be more than zero", example="ignored", given="-1"),
        ]
    )
    check_message(content)
    same_words(content)
    assert content.text == snapshot("""\
:pencil2: *email*: it is missing.
:pencil2: *amount*: it must be more than zero. You gave: -1
Nothing was done. For example: `/pay send ana@example.com 25.00 x`""")


def test_a_reference_keeps_its_letters_at_the_beginning_of_a_rule() -> None:
    content = mistakes(
        [
            PersonError(argument="hash", rule="B-4F7K2M has no payment with the hash xyz", example="x"),
            PersonError(argument="page", rule="nothing stands there", example="x"),
        ]
    )
    assert content.text == snapshot("""\
:pencil2: *hash*: B-4F7K2M has no payment with the hash xyz.
:pencil2: *page*: nothing stands there.
Nothing was done. For example: `x`""")


def test_beside_a_field_stand_rule_and_example() -> None:
    said = at_field(PersonError(argument="amount", rule="it must be more than zero", example="25.00"))
    assert said == "It must be more than zero. For example: 25.00"
    known = at_field(PersonError(argument="email", rule="it must be like ana@example.com", example="ana@example.com"))
    assert known == "It must be like ana@example.com."


def test_help_lists_verbs_in_their_order_with_examples() -> None:
    verbs = [Usage("send <email>", "ask", "send a@b.c"), Usage("show <operation>", "look", "show P-1")]
    content = usage("/pay", "Pay people", verbs)
    check_message(content)
    same_words(content)
    assert content.text.index("send &lt;email&gt;") < content.text.index("show &lt;operation&gt;")
    assert "`/pay send a@b.c`" in content.text


def test_an_unknown_verb_is_answered_with_those_there_are() -> None:
    content = no_such_verb("sned`<!channel>", "/pay", [Usage("send <email>", "ask", "send a@b.c")])
    check_message(content)
    assert content.text == snapshot("""\
:pencil2: *verb*: `sned`&lt;!channel&gt;` is not something `/pay` can do. It is one of `send` or `help`.
For example: `/pay send a@b.c`""")


def test_a_service_that_is_not_configured_names_its_variables() -> None:
    text = answers.not_configured("payments", ["PAYMENTS_BASE_URL", "PAYMENTS_PARTNER_ID"]).text
    assert "`PAYMENTS_BASE_URL`, `PAYMENTS_PARTNER_ID`" in text


def test_other_troubles_have_their_words() -> None:
    assert "Nothing was recorded" in answers.try_again("The database is busy.").text
    assert "`/sb-pay approvals`" in answers.slow("/sb-pay").text
    assert "`deadbeef`" in answers.broken("deadbeef").text
    assert "&lt;!here&gt;" in answers.unknown_command("/x<!here>").text
