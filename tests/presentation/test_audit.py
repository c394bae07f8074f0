"""The audit as a story: who did what in plain words, and nothing of others gets loose in it."""

import re
from datetime import timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from bot.domain.audit import Entry, VerifiedRow
from bot.domain.content import Content
from bot.domain.payments.instruction import Kind, State
from bot.domain.reasons import Exchange, Reason, stored
from bot.domain.reasons import given as own_words
from bot.presentation.audit import lines, story
from tests.domain.made import NOW, instruction, payload
from tests.presentation.checks import calls_in, check_message, lines_of, seen
from tests.presentation.drawn import KEPT_REASONS, foreign

ODD_REASONS = [{"code": "of_tomorrow"}, {"code": "ended_here", "facts": {"found": "x", "state": "odd"}}]
"""What only a forged row holds, or one of a newer version."""
NEW_MESSAGE = 12_000
"""Characters that the text of a new message may have in any case."""


def told(seq: int, action: str, *, actor: str = "switchboard", intact: bool = True, **changes: Any) -> VerifiedRow:
    detail = changes.pop("detail", {})
    states = {"before": "awaiting", "after": "awaiting", **changes}
    at = NOW + timedelta(seconds=seq)
    entry = Entry(at=at, instruction_id="i", actor=actor, action=action, detail=detail, **states)
    return VerifiedRow(seq=seq, entry=entry, is_intact=intact)


LIFE = [
    told(3, "requested", actor="U0MARIA", before="", after="new"),
    told(4, "create", before="new", after="creating"),
    told(5, "created", before="creating", after="awaiting", detail={"remote_id": "652f"}),
    told(7, "approve", actor="U0ADA", detail={"round": 1, "counted": ["U0ADA"], "quorum": 2}),
    told(
        8, "approve", actor="U0LIN", after="approved", detail={"round": 1, "counted": ["U0ADA", "U0LIN"], "quorum": 2}
    ),
    told(9, "send", before="approved", after="sending", detail={"attempt": 2, "counted": ["U0ADA", "U0LIN"]}),
    told(10, "send_put_off", before="sending", after="approved", detail={"reason": Reason(Exchange.TOO_MANY).stored()}),
    told(11, "send", before="approved", after="sending", detail={"attempt": 3, "counted": ["U0ADA", "U0LIN"]}),
    told(12, "observed", before="sending", after="committed", detail={"status": "committed"}),
    told(13, "observed", before="committed", after="completed", detail={"status": "Completed"}),
]


def said(row: VerifiedRow) -> str:
    """One line without its time."""
    [line] = lines(instruction(), [row])
    return line.split("  ", 1)[1]


def test_unknown_status_is_shown_raw() -> None:
    assert said(told(1, "observed", detail={"status": "Half <Done>"})) == "Provider status: Half &lt;Done&gt;."
    assert said(told(1, "observed")) == "Provider status: nothing."


def test_history_counts_the_votes_of_a_retry() -> None:
    row = told(1, "retry", actor="U0ADA", before="needs_human", after="new", detail={"counted": ["U0ADA"], "quorum": 1})
    assert said(row) == "<@U0ADA> approved a retry (1 of 1)."


def test_purchase_card_shows_its_states() -> None:
    subject = instruction(kind=Kind.PURCHASE)
    asked, opened = lines(subject, [LIFE[0], told(2, "opened", detail={"remote_id": "652f", "status": "created"})])
    assert asked.endswith("<@U0MARIA> requested $25.00 from ana@example.com.")
    assert opened.endswith("Created (“652f”); the buyer can pay.")


def test_history_of_a_payout_is_in_plain_words() -> None:
    shown = story(instruction(state=State.COMPLETED), LIFE)
    check_message(shown, longest=NEW_MESSAGE)
    assert f"{shown.text.splitlines()[0]}\n{seen(shown)}" == snapshot("""\
*Audit of P-4F7K2M*: $25.00 to Ana Maria Lopez (ana@example.com), for “March translation”, now paid
Audit of P-4F7K2M
$25.00 to Ana Maria Lopez (ana@example.com), for “March translation”, now paid
• 2026-11-20 09:00:03 UTC  <@U0MARIA> requested $25.00 to Ana Maria Lopez (ana@example.com).
• 2026-11-20 09:00:04 UTC  Asked the provider to create it (attempt 1); no money moves.
• 2026-11-20 09:00:05 UTC  Created (“652f”); sent to approvers.
• 2026-11-20 09:00:07 UTC  <@U0ADA> approved (1 of 2).
• 2026-11-20 09:00:08 UTC  <@U0LIN> approved (2 of 2).
• 2026-11-20 09:00:09 UTC  Sent (attempt 1), approved by <@U0ADA>, <@U0LIN>.
• 2026-11-20 09:00:10 UTC  That attempt had no effect; will be sent again. Reason: too many requests.
• 2026-11-20 09:00:11 UTC  Sent (attempt 2), approved by <@U0ADA>, <@U0LIN>.
• 2026-11-20 09:00:12 UTC  Provider status: committed.
• 2026-11-20 09:00:13 UTC  Provider status: completed.
10 entries.
[Send as CSV]\
""")


def test_unknown_audit_action_is_shown_by_name() -> None:
    moved = told(
        1, "moved_by_hand", actor="U0ADA", before="needs_human", after="committed",
        detail={"reason": stored(own_words("why"))},
    )  # fmt: skip
    as_text = told(1, "moved_by_hand", actor="U0ADA", before="needs_human", after="committed", detail={"reason": "why"})
    assert said(as_text) == said(moved) == "<@U0ADA>: moved by hand (needs a decision → sent). Reason: why."
    assert said(told(1, "looked")) == "Switchboard: looked."
    assert said(told(1, "x", before="strange", after="")) == snapshot("Switchboard: x (strange → nothing).")


def test_changed_row_is_marked() -> None:
    rows = [*LIFE, told(14, "approve", actor="U0EVE", intact=False), VerifiedRow(seq=15, entry=None, is_intact=False)]
    shown = story(instruction(), rows)
    assert lines_of(seen(shown).splitlines()[-4:-1]) == snapshot("""\
• 2026-11-20 09:00:14 UTC  :warning: *this row was changed after it was written:* <@U0EVE> approved.
• :warning: *Row 15 was changed after it was written.*
12 entries. :warning: *Not all of them are as they were written. Tell your operator.*""")
    assert ":warning:" not in "\n".join(shown.text.splitlines()[:-2])


def test_long_history_is_cut_in_the_middle() -> None:
    rows = [told(seq, "observed", detail={"status": f"s{seq}", "reason": "r" * 500}) for seq in range(1, 300)]
    shown = story(instruction(), rows)
    check_message(shown, longest=NEW_MESSAGE)
    told_lines = shown.text.split("\n")[1:]
    [mark] = [line for line in told_lines if "left out" in line]
    assert mark.startswith(f"… {299 - len(told_lines) + 1} lines left out")
    assert [re.findall(r"status: (s\d+)\.", line) for line in (told_lines[0], told_lines[-1])] == [["s1"], ["s299"]]
    assert story(instruction(), LIFE, is_complete=False).text.splitlines()[-1] == snapshot("… there is more")


ENTRIES = st.builds(
    told,
    st.integers(1, 10**6),
    st.sampled_from([*(row.entry.action for row in LIFE if row.entry), "rejected", "tightened", "needs_human"])
    | foreign(),
    actor=st.sampled_from(["U0ADA", "switchboard", "U0ADA> <!channel"]) | foreign(),
    intact=st.booleans(),
    before=st.sampled_from(["", "awaiting"]) | foreign(),
    after=st.sampled_from(["approved", "completed"]) | foreign(),
    detail=st.fixed_dictionaries(
        {},
        optional={
            "reason": KEPT_REASONS | st.integers() | st.sampled_from(ODD_REASONS),
            "status": foreign(),
            "remote_id": foreign(),
            "quorum": st.integers() | foreign(),
            "counted": st.lists(st.just("U0ADA") | foreign(), max_size=30) | foreign(),
        },
    ),
)


@given(st.lists(ENTRIES, max_size=40), foreign(400))
def test_every_history_is_escaped_and_fits(rows: list[VerifiedRow], description: str) -> None:
    shown: Content = story(instruction(payload=payload(description=description)), rows)
    check_message(shown, longest=NEW_MESSAGE)
    # People may be named (one whose id another made up is nobody); nobody else may be called.
    assert all(re.fullmatch(r"@[UW][A-Z0-9]+|!date\^17.*", call, re.DOTALL) for call in calls_in(shown))
    assert sum(len(str(block)) for block in shown.blocks) < 13_000


def test_details_name_the_votes_that_counted() -> None:
    def counted(*names: str) -> str:
        detail = {"attempt": 1, "counted": list(names)}
        return said(told(9, "send", before="approved", after="sending", detail=detail))

    assert counted() == snapshot("Sent (attempt 1), approved by nobody.")
    assert counted("U0ADA") == snapshot("Sent (attempt 1), approved by <@U0ADA>.")
    assert counted("U0ADA", "U0LIN") == snapshot("Sent (attempt 1), approved by <@U0ADA>, <@U0LIN>.")
    assert "U12" not in counted(*(f"U{number}" for number in range(14)))
    assert " and 2 more" in counted(*(f"U{number}" for number in range(14)))
    assert " more" not in counted(*(f"U{number}" for number in range(12)))
