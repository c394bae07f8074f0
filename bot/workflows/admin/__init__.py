"""What the operator and the approvers look at, and what keeps the house: audit, overview, retention."""
