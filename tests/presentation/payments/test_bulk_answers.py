"""What one person is told who looks at bulk payments."""

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
