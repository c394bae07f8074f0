"""E-mail processing as people see it."""
