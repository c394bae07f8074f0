"""The tables. ``migrations/`` creates them; a test checks that both agree."""

# The metadata is complete as soon as any of it is imported.
from storage.tables import instructions, queues, services  # noqa: F401
