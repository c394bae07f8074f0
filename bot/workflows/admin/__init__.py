"""Views for operators and approvers, and maintenance: audit, overview, health, clocks, retention."""
