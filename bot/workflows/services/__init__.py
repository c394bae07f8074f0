"""Outside services as the context holds them: a client each, or the names of the variables that are missing."""
