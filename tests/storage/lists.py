"""Lists of addresses as the database holds them."""

from datetime import UTC, datetime

from storage import Tx
from storage.rows import EmailRun
from tests.storage.factories import job

NOW = datetime(2026, 3, 1, tzinfo=UTC)
LIST = {"file": "F1", "name": "a.csv", "column": 0, "column_name": "email", "concurrency": 5}


def begun(tx: Tx, count: int, *, job_id: str = "J1") -> None:
    tx.jobs.add(
        job(job_id, kind="email.run", state="running", payload=LIST, source_key=job_id, created_at=NOW, due_at=NOW)
    )
    tx.emails.begin(
        EmailRun(job_id=job_id, header=["email"], rows=0, skipped=0, total=0, taken=0, repeated=0, outcomes={})
    )
    tx.emails.add_addresses(job_id, [(n, f"p{n}@example.com") for n in range(count)])
    tx.emails.note(job_id, rows=count, skipped=0, total=count)
