"""What one person is told who looks at bulk payments."""

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.bulk_records import BulkJob, JobPage
from bot.presentation.payments import bulk_answers


def test_one_word_is_spelled_one_way_in_the_history() -> None:
    jobs = (BulkJob(id="a1", status="DONE", count=3), BulkJob(id="b2", status="done", count=3))
    text = bulk_answers.history(JobPage(jobs=jobs, page=1, pages=1), {}, command="/pay").text
    assert text == snapshot("""\
*Bulk payments*, page 1 of 1
• a1 · finished · 3 payments
• b2 · finished · 3 payments""")


@pytest.mark.parametrize(
    ("figures", "word"),
    [
        ({"completed": 3, "failed": 0, "pending": 0}, "completed"),
        ({"completed": 2, "failed": 0, "pending": 0}, "finished"),  # one was canceled
        ({"completed": 0, "failed": 0, "pending": 0}, "finished"),
        ({"completed": 2, "failed": 1, "pending": 0}, "finished"),
        ({"completed": 2, "failed": 0, "pending": 1}, "pending in escrow"),
        ({"completed": 3}, "finished"),  # nothing is said of failures
    ],
)
def test_one_made_elsewhere_is_completed_when_every_payment_was(figures: dict[str, int], word: str) -> None:
    job = BulkJob(id="a1", status="DONE", count=3, **figures)
    assert f"Status: {word}\n" in bulk_answers.job(job).text + "\n"
    listed = bulk_answers.history(JobPage(jobs=(job,), page=1, pages=1), {}, command="/pay").text
    assert listed.splitlines()[1].startswith(f"• a1 · {word} · 3 payments")
