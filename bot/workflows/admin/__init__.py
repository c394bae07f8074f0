"""Views for the operator and the approvers, and maintenance: audit, overview, retention."""
