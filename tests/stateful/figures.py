"""How many random histories are drawn, and how long they are."""

from hypothesis import HealthCheck, settings

NORMAL = settings(
    max_examples=15,
    stateful_step_count=30,
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=False,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)

LONG = settings(NORMAL, max_examples=200)
"""What the campaign draws."""
